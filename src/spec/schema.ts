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
const NAMESPACED =
  /^(?:[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?\/)?[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
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
/** A cluster, where another namespace may have one of the same name. */
const clusterName = v.pipe(
  v.string(),
  v.maxLength(317, 'a cluster, as name or namespace/name'),
  v.regex(NAMESPACED, 'a cluster, as name or namespace/name'),
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

const MIN_PROVIDER = /^v?[0-9]{1,4}\.[0-9]{1,4}\.[0-9]{1,4}$/;

const patchFormat = (
  formats: readonly ('auto' | 'json6902' | 'strategic' | 'documents')[],
  expected: string,
) =>
  v.optional(
    described(v.picklist(formats, expected), 'How patches are written where no placeholder decides it.'),
    'auto',
  );

/** How and where an intent is written, whatever it is. */
const placing = {
  targets: v.optional(
    described(targets, 'Objects that this config is for; default: every holder of Talos patches.'),
  ),
  minProvider: v.optional(
    described(
      spelled(MIN_PROVIDER, 'a version of the Talos bootstrap provider, such as v0.6.4'),
      'Oldest bootstrap provider that the manifests must work with; default: a current one.',
    ),
  ),
  mode: v.optional(
    described(
      v.picklist(['Hydrate', 'Check'], 'Hydrate or Check'),
      'Check judges the manifests offline and changes nothing.',
    ),
    'Hydrate',
  ),
};

const anyFormat = patchFormat(
  ['auto', 'json6902', 'strategic', 'documents'],
  'auto, json6902, strategic or documents',
);

const text = v.pipe(v.string(), v.minLength(1, 'a text'));

/** `spec` of a RegistryTrust. */
export const specSchema = v.strictObject({
  host: described(text, 'Host of the registry, or host:port when the port is not 443.'),
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
  hostedOn: v.optional(
    described(
      clusterName,
      'The cluster that hosts the registry, as name or namespace/name: it is bootstrapped in two phases, for it can’t take the CA from itself before it runs.',
    ),
  ),
  insecureSkipVerify: v.optional(
    described(
      v.picklist(['Refuse', 'Remove'], 'Refuse or Remove'),
      'What becomes of insecureSkipVerify in a manifest, beside which the CA would have no effect.',
    ),
    'Refuse',
  ),
  patchFormat: anyFormat,
  ...placing,
});

/** `spec` of a RegistryMirror. */
export const mirrorSchema = v.strictObject({
  registry: described(
    text,
    'Registry whose images come from the mirrors: a host, host:port, or * for all others.',
  ),
  endpoints: described(
    v.pipe(
      v.array(
        v.strictObject({
          url: described(text, 'URL of a mirror: https://host, with a path where images are below one.'),
          overridePath: v.optional(
            described(
              v.boolean('true or false'),
              'The path is the whole API path; without it /v2 is added behind.',
            ),
            false,
          ),
        }),
      ),
      v.minLength(1, 'a list of at least one endpoint'),
      v.maxLength(16, 'a list of at most 16 endpoints'),
    ),
    'Mirrors, in the order in which they are tried.',
  ),
  skipFallback: v.optional(
    described(v.boolean('true or false'), 'Never pull from the registry itself when no mirror has an image.'),
    false,
  ),
  authSecretRef: v.optional(
    described(
      v.strictObject({
        namespace: described(label, 'Its namespace.'),
        name: described(name, 'Its name.'),
      }),
      'Secret on the workload cluster (basic-auth or dockerconfigjson) with credentials for the mirrors.',
    ),
  ),
  patchFormat: anyFormat,
  ...placing,
});

const subnets = v.pipe(
  v.array(text),
  v.minLength(1, 'a list of one or two CIDRs'),
  v.maxLength(2, 'a list of one or two CIDRs'),
);

/** `spec` of a ClusterNetwork. */
export const networkSchema = v.strictObject({
  podSubnets: v.optional(described(subnets, 'CIDRs of Pods, at most one of each family.')),
  serviceSubnets: v.optional(described(subnets, 'CIDRs of Services, at most one of each family.')),
  patchFormat: patchFormat(['auto', 'json6902', 'strategic'], 'auto, json6902 or strategic'),
  ...placing,
});

export type MirrorSpec = v.InferOutput<typeof mirrorSchema>;
export type NetworkSpec = v.InferOutput<typeof networkSchema>;
export type Spec = v.InferOutput<typeof specSchema>;
export type Targets = NonNullable<Spec['targets']>;
export type LabelRequirement = v.InferOutput<typeof requirement>;
