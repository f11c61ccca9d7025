/** RegistryMirror and ClusterNetwork, in every shape of a config. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { diagnosticsOf } from '../../src/diagnostic.ts';
import { readConfig } from '../../src/spec/config-source.ts';

const kinds = suite('mirrors and networks');

const object = (kind: string, spec: unknown): string =>
  JSON.stringify({ apiVersion: 'fn.openkubes.io/v1alpha1', kind, metadata: { name: 'x' }, spec });

const MIRROR = { registry: 'ghcr.io', endpoints: [{ url: 'https://m.internal' }] };

const PLACEMENT = { patchFormat: 'auto', mode: 'Hydrate' };

const PARSED_MIRROR = {
  kind: 'RegistryMirror',
  registry: 'ghcr.io',
  endpoints: [{ url: 'https://m.internal', scheme: 'https', hostKey: 'm.internal', path: 'append' }],
  fallback: 'use',
  ...PLACEMENT,
};

const PARSED_NETWORK = {
  kind: 'ClusterNetwork',
  podSubnets: ['10.64.0.0/16'],
  serviceSubnets: [],
  ...PLACEMENT,
};

const flat = (data: unknown): string => JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', data });

for (const [about, text, expected] of [
  ['a mirror', object('RegistryMirror', MIRROR), [PARSED_MIRROR]],
  ['a network', object('ClusterNetwork', { podSubnets: ['10.64.0.0/16'] }), [PARSED_NETWORK]],
  [
    'a mirror in flat data',
    flat({ kind: 'RegistryMirror', registry: 'ghcr.io', endpoints: 'https://m.internal' }),
    [PARSED_MIRROR],
  ],
  ['a network in flat data', flat({ kind: 'ClusterNetwork', podSubnets: '10.64.0.0/16' }), [PARSED_NETWORK]],
  [
    'blocks of a cluster-config file, without trust',
    JSON.stringify({
      type: 'talos',
      registryMirrors: [MIRROR],
      clusterNetwork: { podSubnets: ['10.64.0.0/16'] },
    }),
    [PARSED_MIRROR, PARSED_NETWORK],
  ],
  [
    'all that can be said of a mirror',
    object('RegistryMirror', {
      ...MIRROR,
      endpoints: [{ url: 'https://m.internal/v2', overridePath: true }],
      skipFallback: true,
      authSecretRef: { namespace: 'a', name: 'b' },
      targets: { names: ['x'] },
      patchFormat: 'documents',
      minProvider: 'v0.6.11',
      mode: 'Check',
    }),
    [
      {
        ...PARSED_MIRROR,
        endpoints: [
          { url: 'https://m.internal/v2', scheme: 'https', hostKey: 'm.internal', path: 'override' },
        ],
        fallback: 'skip',
        auth: { namespace: 'a', name: 'b' },
        targets: { names: ['x'] },
        patchFormat: 'documents',
        minProvider: { major: 0, minor: 6, patch: 11 },
        mode: 'Check',
      },
    ],
  ],
] as const) {
  kinds(about, () => {
    const result = readConfig(text);
    assert.equal(result, { configs: expected, diagnostics: [] });
  });
}

kinds('trust comes before mirrors, and mirrors before the network', () => {
  const result = readConfig(
    JSON.stringify({
      type: 'talos',
      clusterNetwork: { podSubnets: ['10.64.0.0/16'] },
      registryMirrors: [MIRROR, { ...MIRROR, registry: 'docker.io' }],
      registryTrust: { enabled: true, host: 'r.example.internal', caSecret: { namespace: 'a', name: 'b' } },
    }),
  );
  assert.equal(
    result.configs.map(({ kind }) => kind),
    ['RegistryTrust', 'RegistryMirror', 'RegistryMirror', 'ClusterNetwork'],
  );
});

kinds('for another type of cluster the blocks mean nothing', () => {
  const result = readConfig(JSON.stringify({ type: 'kubeadm', registryMirrors: [MIRROR] }));
  assert.equal(result.configs, []);
});

for (const [about, text, expected] of [
  [
    'no endpoints',
    object('RegistryMirror', { registry: 'ghcr.io', endpoints: [] }),
    'CONFIG_INVALID /spec/endpoints',
  ],
  [
    'no registry',
    object('RegistryMirror', { endpoints: MIRROR.endpoints }),
    'CONFIG_MISSING_KEY /spec/registry',
  ],
  [
    'an endpoint with credentials',
    object('RegistryMirror', { ...MIRROR, endpoints: [{ url: 'https://u:p4ssw0rd@m.internal' }] }),
    'MIRROR_INVALID /spec/endpoints/0/url',
  ],
  [
    'an endpoint twice',
    object('RegistryMirror', { ...MIRROR, endpoints: [MIRROR.endpoints[0], MIRROR.endpoints[0]] }),
    'MIRROR_INVALID /spec/endpoints/1/url',
  ],
  [
    'endpoints that differ in overridePath',
    object('RegistryMirror', {
      ...MIRROR,
      endpoints: [...MIRROR.endpoints, { url: 'https://n.internal', overridePath: true }],
    }),
    'MIRROR_INVALID /spec/endpoints',
  ],
  [
    'a registry that is a URL',
    object('RegistryMirror', { ...MIRROR, registry: 'https://ghcr.io' }),
    'MIRROR_INVALID /spec/registry',
  ],
  ['an unknown key', object('RegistryMirror', { ...MIRROR, endpoint: [] }), 'CONFIG_UNKNOWN_KEY /spec'],
  [
    'a wrong provider',
    object('RegistryMirror', { ...MIRROR, minProvider: '0.6' }),
    'CONFIG_INVALID /spec/minProvider',
  ],
  ['no subnets', object('ClusterNetwork', {}), 'CONFIG_MISSING_KEY /spec'],
  [
    'three subnets',
    object('ClusterNetwork', { podSubnets: ['a', 'b', 'c'] }),
    'CONFIG_INVALID /spec/podSubnets',
  ],
  [
    'documents for subnets',
    object('ClusterNetwork', { podSubnets: ['10.64.0.0/16'], patchFormat: 'documents' }),
    'CONFIG_INVALID /spec/patchFormat',
  ],
  [
    'a subnet that is none',
    object('ClusterNetwork', { serviceSubnets: ['10.64.0.1/16'] }),
    'SUBNET_INVALID /spec/serviceSubnets',
  ],
  [
    'subnets that overlap',
    object('ClusterNetwork', { podSubnets: ['10.96.0.0/16'], serviceSubnets: ['10.96.0.0/12'] }),
    'SUBNET_INVALID /spec',
  ],
  [
    'an unknown kind in flat data',
    flat({ kind: 'RegistryCache', registry: 'x' }),
    'CONFIG_UNKNOWN_KIND /data/kind',
  ],
  [
    'a mirrors block that is no list',
    JSON.stringify({ type: 'talos', registryMirrors: MIRROR }),
    'CONFIG_INVALID /registryMirrors',
  ],
  [
    'a network block that is a text',
    JSON.stringify({ type: 'talos', clusterNetwork: 'x' }),
    'CONFIG_INVALID /clusterNetwork',
  ],
] as const) {
  kinds(`${about}: ${expected}`, () => {
    const found = refusals(text);
    assert.ok(
      found.some(({ code, at }) => `${code} ${at?.pointer}` === expected),
      JSON.stringify(found),
    );
    assert.not.match(JSON.stringify(found), /p4ssw0rd/);
  });
}

kinds('endpoints may differ in overridePath when they are documents', () => {
  const endpoints = [...MIRROR.endpoints, { url: 'https://n.internal', overridePath: true }];
  assert.equal(refusals(object('RegistryMirror', { ...MIRROR, endpoints, patchFormat: 'documents' })), []);
});

kinds.run();

function refusals(text: string) {
  try {
    readConfig(text);
    return [];
  } catch (cause) {
    return diagnosticsOf(cause);
  }
}
