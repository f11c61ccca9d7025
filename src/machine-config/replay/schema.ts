/**
 * The parts of Talos' configuration that registry trust reads and writes, as its Go types have them: which keys exist,
 * what their values are, how they merge, and which are written when empty. Everything else is `any`: kept, merged by
 * the general rules, never judged, so that patches for what we don't own pass whatever Talos makes of them.
 */

export type Type =
  | { readonly kind: 'string' }
  | { readonly kind: 'bool' }
  /** Bytes, written in standard padded base64. */
  | { readonly kind: 'base64' }
  | { readonly kind: 'url' }
  | { readonly kind: 'list'; readonly of: Type; readonly merge: 'append' | 'replace' | 'byInterface' }
  | { readonly kind: 'map'; readonly of: Type }
  | { readonly kind: 'struct'; readonly fields: Readonly<Record<string, Field>> }
  | { readonly kind: 'any' };

export interface Field {
  readonly type: Type;
  /** `omit`: not written when zero. `keep`: always written. `pointer`: written when set, also when it is empty then. */
  readonly empty: 'omit' | 'keep' | 'pointer';
}

const STRING: Type = { kind: 'string' };
const BOOL: Type = { kind: 'bool' };
const BASE64: Type = { kind: 'base64' };
const ANY: Type = { kind: 'any' };

const omit = (type: Type): Field => ({ type, empty: 'omit' });
const keep = (type: Type): Field => ({ type, empty: 'keep' });
const pointer = (type: Type): Field => ({ type, empty: 'pointer' });
const struct = (fields: Readonly<Record<string, Field>>): Type => ({ kind: 'struct', fields });
const map = (of: Type): Type => ({ kind: 'map', of });
const list = (of: Type, merge: 'append' | 'replace' | 'byInterface' = 'append'): Type => ({
  kind: 'list',
  of,
  merge,
});
const any = (...keys: readonly string[]): Readonly<Record<string, Field>> =>
  Object.fromEntries(keys.map((key) => [key, pointer(ANY)]));

const CREDENTIALS = {
  username: omit(STRING),
  password: omit(STRING),
  auth: omit(STRING),
  identityToken: omit(STRING),
};

const REGISTRIES = struct({
  mirrors: omit(
    map(struct({ endpoints: keep(list(STRING)), overridePath: pointer(BOOL), skipFallback: pointer(BOOL) })),
  ),
  config: omit(
    map(
      struct({
        tls: pointer(
          struct({
            clientIdentity: pointer(struct({ crt: keep(BASE64), key: keep(BASE64) })),
            ca: omit(BASE64),
            insecureSkipVerify: pointer(BOOL),
          }),
        ),
        auth: pointer(struct(CREDENTIALS)),
      }),
    ),
  ),
});

const NETWORK = struct({
  hostname: omit(STRING),
  interfaces: omit(list(ANY, 'byInterface')),
  nameservers: omit(list(STRING)),
  searchDomains: omit(list(STRING)),
  extraHostEntries: omit(list(struct({ ip: keep(STRING), aliases: keep(list(STRING)) }))),
  ...any('kubespan'),
  disableSearchDomain: pointer(BOOL),
});

const MACHINE = struct({
  ...any('type', 'token', 'ca', 'acceptedCAs', 'certSANs', 'controlPlane', 'kubelet', 'pods', 'disks'),
  ...any('install', 'files', 'env', 'time', 'sysctls', 'sysfs', 'systemDiskEncryption', 'features', 'udev'),
  ...any('logging', 'kernel', 'seccompProfiles', 'baseRuntimeSpecOverrides', 'nodeLabels'),
  ...any('nodeAnnotations', 'nodeTaints'),
  network: pointer(NETWORK),
  registries: omit(REGISTRIES),
});

const CLUSTER = struct({
  ...any('id', 'secret', 'controlPlane', 'clusterName', 'token', 'aescbcEncryptionSecret'),
  ...any('secretboxEncryptionSecret', 'ca', 'acceptedCAs', 'aggregatorCA', 'serviceAccount', 'apiServer'),
  ...any('controllerManager', 'proxy', 'scheduler', 'discovery', 'etcd', 'coreDNS', 'externalCloudProvider'),
  ...any('extraManifests', 'extraManifestHeaders', 'inlineManifests', 'adminKubeconfig'),
  ...any('allowSchedulingOnMasters', 'allowSchedulingOnControlPlanes'),
  network: pointer(
    struct({
      ...any('cni'),
      dnsDomain: omit(STRING),
      podSubnets: keep(list(STRING, 'replace')),
      serviceSubnets: keep(list(STRING, 'replace')),
    }),
  ),
});

/** The document without a kind. */
export const LEGACY: Type = struct({
  ...any('version', 'debug', 'persist'),
  machine: pointer(MACHINE),
  cluster: pointer(CLUSTER),
});

const META = { apiVersion: omit(STRING), kind: omit(STRING) };

/** The documents that set registries and hosts, and which machinery knows them first. */
export const OWN_DOCUMENTS: Readonly<Record<string, Type>> = {
  RegistryTLSConfig: struct({
    ...META,
    name: keep(STRING),
    clientIdentity: pointer(struct({ cert: omit(STRING), key: omit(STRING) })),
    ca: omit(STRING),
    insecureSkipVerify: pointer(BOOL),
  }),
  RegistryAuthConfig: struct({ ...META, name: keep(STRING), ...CREDENTIALS }),
  RegistryMirrorConfig: struct({
    ...META,
    name: keep(STRING),
    endpoints: omit(list(struct({ url: keep({ kind: 'url' }), overridePath: pointer(BOOL) }))),
    skipFallback: pointer(BOOL),
  }),
  StaticHostConfig: struct({ ...META, name: keep(STRING), hostnames: keep(list(STRING)) }),
};

/** Other kinds, which are carried along unread. */
export const OTHER_DOCUMENT: Type = ANY;
