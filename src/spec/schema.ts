/**
 * The one source of the config's shape: types, validation and `function-config/registry-trust.schema.json` come from it.
 * valibot, because the function's start-up counts: bundled and run on an empty script's Node it costs 1.07 ×, zod 1.40 ×,
 * typebox 1.54 ×.
 */
import * as v from 'valibot';

const NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;
const KEY = /^[-._a-zA-Z0-9]{1,253}$/;

/** The name of a Kubernetes object. */
const name = v.pipe(v.string(), v.regex(NAME, 'a Kubernetes name (lower-case letters, digits, - and .)'));
/** A key in a Secret or ConfigMap. */
const key = v.pipe(v.string(), v.regex(KEY, 'a key of letters, digits, -, _ and .'));
const text = v.pipe(v.string(), v.minLength(1, 'a text'));

const described = <const S extends v.GenericSchema>(schema: S, description: string) =>
  v.pipe(schema, v.description(description));

const objectKey = (description: string, defaultKey: string) =>
  described(v.strictObject({ namespace: name, name, key: v.optional(key, defaultKey) }), description);

const requirement = v.strictObject({
  key: text,
  operator: v.picklist(['In', 'NotIn', 'Exists', 'DoesNotExist'], 'In, NotIn, Exists or DoesNotExist'),
  values: v.optional(v.array(v.string())),
});

const targets = v.strictObject({
  kinds: v.optional(described(v.array(text), 'Kinds of objects.')),
  names: v.optional(described(v.array(name), 'Names of objects.')),
  labelSelector: v.optional(
    v.strictObject({
      matchLabels: v.optional(v.record(v.string(), v.string())),
      matchExpressions: v.optional(v.array(requirement)),
    }),
  ),
});

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
      v.strictObject({
        serviceNamespace: v.optional(name),
        serviceName: v.optional(name),
        family: v.optional(v.picklist(['IPv4', 'IPv6'], 'IPv4 or IPv6'), 'IPv4'),
      }),
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
