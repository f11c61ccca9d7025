/**
 * The one source of the config's shape: types, validation and `function-config/registry-trust.schema.json` come from it.
 * valibot, because the function's start-up counts: bundled and run on an empty script's Node it costs 1.07 ×, zod 1.40 ×,
 * typebox 1.54 ×.
 *
 * Every text has a pattern that a variable left in it (`${X}`) doesn't meet, but for the host, which has a parser. Patterns
 * do without lookaheads: validators in Go, which read them in the schema file, know none.
 */
import * as v from 'valibot';

/** RFC 1123, as Kubernetes checks them: a label is one part of a DNS name, a subdomain is several of them. */
const LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const DATA_KEY = /^[-._a-zA-Z0-9]{1,253}$/;
const KIND = /^[A-Za-z][-A-Za-z0-9]{0,62}$/;
const LABEL_KEY = /^(?:[a-z0-9][-.a-z0-9]{0,252}\/)?[A-Za-z0-9](?:[-._A-Za-z0-9]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[-._A-Za-z0-9]{0,61}[A-Za-z0-9])?)?$/;

const spelled = (pattern: RegExp, expected: string) => v.pipe(v.string(), v.regex(pattern, expected));

/** The name of a Secret, a ConfigMap, a cluster or a holder. */
const name = v.pipe(
  v.string(),
  v.maxLength(253, 'a Kubernetes name of at most 253 characters'),
  v.regex(SUBDOMAIN, 'a Kubernetes name (lower-case letters, digits, - and .)'),
);
/** The name of a namespace or a Service. */
const label = spelled(LABEL, 'a Kubernetes name without dots (lower-case letters, digits and -, at most 63)');
/** A key in a Secret or ConfigMap. */
const dataKey = spelled(DATA_KEY, 'a key of letters, digits, -, _ and .');
const kind = spelled(KIND, 'a kind, such as TalosControlPlane');
const labelKey = spelled(LABEL_KEY, 'a label key');
const labelValue = spelled(LABEL_VALUE, 'a label value');

const described = <const S extends v.GenericSchema>(schema: S, description: string) =>
  v.pipe(schema, v.description(description));

const objectKey = (description: string, defaultKey: string) =>
  described(
    v.strictObject({
      namespace: described(label, 'Its namespace.'),
      name: described(name, 'Its name.'),
      key: v.optional(described(dataKey, 'The key in its data.'), defaultKey),
    }),
    description,
  );

const requirement = v.strictObject({
  key: described(labelKey, 'A label key.'),
  operator: described(
    v.picklist(['In', 'NotIn', 'Exists', 'DoesNotExist'], 'In, NotIn, Exists or DoesNotExist'),
    'How the label relates to the values.',
  ),
  values: v.optional(described(v.array(labelValue), 'For In and NotIn only, and then at least one.')),
});

const labelSelector = v.strictObject({
  matchLabels: v.optional(
    described(v.record(labelKey, labelValue), 'Labels that an object must have, with these values.'),
  ),
  matchExpressions: v.optional(described(v.array(requirement), 'Requirements that an object must meet.')),
});

const targets = v.strictObject({
  kinds: v.optional(described(v.array(kind), 'Kinds of objects.')),
  names: v.optional(described(v.array(name), 'Names of objects.')),
  labelSelector: v.optional(described(labelSelector, 'Labels of objects, as Kubernetes selects by them.')),
});

const address = v.strictObject({
  serviceNamespace: v.optional(described(label, 'Namespace of the Service. Given together with its name.')),
  serviceName: v.optional(described(label, 'Name of the Service.')),
  family: v.optional(
    described(v.picklist(['IPv4', 'IPv6'], 'IPv4 or IPv6'), 'Family of the address, wherever it comes from.'),
    'IPv4',
  ),
});

export const specSchema = v.strictObject({
  host: described(
    v.pipe(v.string(), v.minLength(1, 'a text')),
    'Host of the registry, or host:port when the port is not 443.',
  ),
  caSecret: v.optional(
    objectKey('Secret on the CA cluster that holds the CA as PEM. Give this or caConfigMap.', 'ca.crt'),
  ),
  caConfigMap: v.optional(
    objectKey(
      'ConfigMap on the CA cluster that holds the CA as PEM, such as a trust-manager bundle.',
      'ca.crt',
    ),
  ),
  address: v.optional(
    described(
      address,
      'Service on the infra cluster whose load-balancer status has the address, asked when no override is given and DNS has no answer.',
    ),
  ),
  talosconfigSecret: v.optional(
    objectKey(
      'Secret on the infra cluster with the talosconfig, for commands on running nodes.',
      'talosconfig',
    ),
  ),
  hostedOn: v.optional(described(name, 'The cluster that hosts the registry.')),
  targets: v.optional(
    described(targets, 'Objects that this config is for; default: every holder of Talos patches.'),
  ),
  patchFormat: v.optional(
    described(
      v.picklist(['auto', 'json6902', 'strategic'], 'auto, json6902 or strategic'),
      'How patches are written where no placeholder decides it.',
    ),
    'auto',
  ),
  mode: v.optional(
    described(
      v.picklist(['Hydrate', 'Check'], 'Hydrate or Check'),
      'Check judges the manifests offline and changes nothing.',
    ),
    'Hydrate',
  ),
});

export type Spec = v.InferOutput<typeof specSchema>;
export type Targets = NonNullable<Spec['targets']>;
export type LabelRequirement = v.InferOutput<typeof requirement>;
