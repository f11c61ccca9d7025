/** The rules of mirrors and networks, one by one: places of problems, and that no value is ever repeated. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { diagnosticsOf } from '../../src/diagnostic.ts';
import { parseClusterNetwork } from '../../src/spec/cluster-network.ts';
import { readConfig } from '../../src/spec/config-source.ts';
import type { SpecPlace } from '../../src/spec/place.ts';
import { parseRegistryMirror } from '../../src/spec/registry-mirror.ts';
import { parseRegistryTrust } from '../../src/spec/registry-trust.ts';

const rules = suite('rules of the other kinds');

const NESTED: SpecPlace = { at: { file: 'config.yaml' }, pointer: '/spec', keys: 'nested' };
const FLAT: SpecPlace = { at: {}, pointer: '/data', keys: 'flat' };
const PARSERS = { trust: parseRegistryTrust, mirror: parseRegistryMirror, network: parseClusterNetwork };

type Kind = keyof typeof PARSERS;

const TRUST = { host: 'r.example.internal', caSecret: { namespace: 'a', name: 'b' } };
const MIRROR = { registry: 'ghcr.io', endpoints: [{ url: 'https://m.internal' }] };
const NETWORK = { podSubnets: ['10.244.0.0/16'] };

const refusals = (kind: Kind, spec: unknown, place = NESTED) => refusalsBy(() => PARSERS[kind](spec, place));
const codes = (kind: Kind, spec: unknown, place?: SpecPlace) =>
  refusals(kind, spec, place).map(({ code, at }) => `${code} ${at?.pointer}`);

/** A spec with one value put at a path, and where it is refused. Every text that only these kinds have is here. */
const PLACES: readonly (readonly [string, Kind, (value: unknown) => unknown, string])[] = [
  ['registry', 'mirror', (registry) => ({ ...MIRROR, registry }), '/spec/registry'],
  ['url', 'mirror', (url) => ({ ...MIRROR, endpoints: [{ url }] }), '/spec/endpoints/0/url'],
  [
    'authSecretRef.namespace',
    'mirror',
    (namespace) => ({ ...MIRROR, authSecretRef: { namespace, name: 'b' } }),
    '/spec/authSecretRef/namespace',
  ],
  [
    'authSecretRef.name',
    'mirror',
    (name) => ({ ...MIRROR, authSecretRef: { namespace: 'a', name } }),
    '/spec/authSecretRef/name',
  ],
  ['podSubnets', 'network', (cidr) => ({ podSubnets: [cidr] }), '/spec/podSubnets'],
  ['serviceSubnets', 'network', (cidr) => ({ serviceSubnets: [cidr] }), '/spec/serviceSubnets'],
  ['minProvider', 'network', (minProvider) => ({ ...NETWORK, minProvider }), '/spec/minProvider'],
  [
    'insecureSkipVerify',
    'trust',
    (insecureSkipVerify) => ({ ...TRUST, insecureSkipVerify }),
    '/spec/insecureSkipVerify',
  ],
];

const CANARY = '-----BEGIN CANARY-----\n';

for (const [field, kind, withValue, pointer] of PLACES) {
  rules(`${field}: a variable is refused, with a hint to expand it`, () => {
    const [only, ...rest] = refusals(kind, withValue('x${VARIABLE}'));
    assert.is(rest.length, 0);
    assert.is(only?.at?.pointer, pointer);
    if (field !== 'url') assert.match(only?.hint ?? '', /^Expand variables/);
  });

  rules(`${field}: what stands there is not repeated`, () => {
    for (const value of [
      CANARY,
      [CANARY],
      { [CANARY]: CANARY },
      `\${${CANARY}}`,
      `https://u:${CANARY}@a.b`,
    ]) {
      const diagnostics = refusals(kind, withValue(value));
      assert.ok(diagnostics.length > 0);
      assert.not.match(JSON.stringify(diagnostics), /CANARY/);
    }
  });
}

const REFUSED: readonly (readonly [string, Kind, unknown, readonly string[]])[] = [
  [
    'overridePath that is a text',
    'mirror',
    { ...MIRROR, endpoints: [{ url: 'https://m.internal', overridePath: 'yes' }] },
    ['CONFIG_INVALID /spec/endpoints/0/overridePath'],
  ],
  [
    'skipFallback that is a text',
    'mirror',
    { ...MIRROR, skipFallback: 'true' },
    ['CONFIG_INVALID /spec/skipFallback'],
  ],
  [
    'endpoints that are texts',
    'mirror',
    { ...MIRROR, endpoints: ['https://m.internal'] },
    ['CONFIG_INVALID /spec/endpoints/0'],
  ],
  [
    'an endpoint that is null',
    'mirror',
    { ...MIRROR, endpoints: [null] },
    ['CONFIG_INVALID /spec/endpoints/0'],
  ],
  [
    'too many endpoints',
    'mirror',
    { ...MIRROR, endpoints: Array.from({ length: 17 }, (_, i) => ({ url: `https://m${i}.internal` })) },
    ['CONFIG_INVALID /spec/endpoints'],
  ],
  [
    'an endpoint and itself with a slash',
    'mirror',
    { ...MIRROR, endpoints: [...MIRROR.endpoints, { url: 'https://m.internal/' }] },
    ['MIRROR_INVALID /spec/endpoints/1/url'],
  ],
  [
    'an endpoint and itself with its port',
    'mirror',
    { ...MIRROR, endpoints: [...MIRROR.endpoints, { url: 'https://m.internal:443' }] },
    ['MIRROR_INVALID /spec/endpoints/1/url'],
  ],
  [
    'half a Secret',
    'mirror',
    { ...MIRROR, authSecretRef: { name: 'b' } },
    ['CONFIG_MISSING_KEY /spec/authSecretRef/namespace'],
  ],
  [
    'a key of a Secret',
    'mirror',
    { ...MIRROR, authSecretRef: { namespace: 'a', name: 'b', key: 'c' } },
    ['CONFIG_UNKNOWN_KEY /spec/authSecretRef'],
  ],
  [
    'a label key that JavaScript reserves',
    'network',
    { ...NETWORK, targets: { labelSelector: { matchLabels: { constructor: 'x' } } } },
    ['CONFIG_INVALID /spec/targets/labelSelector/matchLabels'],
  ],
  ['an empty list', 'network', { podSubnets: [] }, ['CONFIG_INVALID /spec/podSubnets']],
  [
    'both lists wrong',
    'network',
    { podSubnets: ['a'], serviceSubnets: ['b'] },
    ['SUBNET_INVALID /spec/podSubnets', 'SUBNET_INVALID /spec/serviceSubnets'],
  ],
  [
    'different families',
    'network',
    { podSubnets: ['10.244.0.0/16'], serviceSubnets: ['fd00::/112'] },
    ['SUBNET_INVALID /spec'],
  ],
  ...['0.6', 'v0.6.4-rc.1', 'latest', '0.6.4 ', 6].map(
    (minProvider) =>
      ['no version', 'trust', { ...TRUST, minProvider }, ['CONFIG_INVALID /spec/minProvider']] as const,
  ),
  ...(['mirror', 'network', 'trust'] as const).flatMap((kind) =>
    ['x', null, true].map(
      (spec) => [`${kind} that is ${JSON.stringify(spec)}`, kind, spec, ['CONFIG_INVALID /spec']] as const,
    ),
  ),
];

for (const [about, kind, spec, expected] of REFUSED)
  rules(`${about}: refused (${JSON.stringify(spec)?.slice(-30)})`, () =>
    assert.equal(codes(kind, spec).sort(), expected),
  );

rules('a version with and without v is one', () => {
  for (const minProvider of ['0.6.4', 'v0.6.4'])
    assert.equal(PARSERS.trust({ ...TRUST, minProvider }, NESTED).minProvider, {
      major: 0,
      minor: 6,
      patch: 4,
    });
});

rules('Remove is the one word that takes insecureSkipVerify out', () => {
  assert.is(parseRegistryTrust({ ...TRUST, insecureSkipVerify: 'Remove' }, NESTED).insecure, 'remove');
  assert.is(parseRegistryTrust({ ...TRUST, insecureSkipVerify: 'Refuse' }, NESTED).insecure, 'refuse');
  assert.equal(codes('trust', { ...TRUST, insecureSkipVerify: true }), [
    'CONFIG_INVALID /spec/insecureSkipVerify',
  ]);
});

rules('the pointer of flat data is the key that stands there, not an entry of it', () => {
  assert.equal(codes('mirror', { ...MIRROR, endpoints: [{ url: 'm.internal' }] }, FLAT), [
    'MIRROR_INVALID /data/endpoints',
  ]);
  assert.equal(codes('network', { podSubnets: ['x'] }, FLAT), ['SUBNET_INVALID /data/podSubnets']);
  assert.equal(codes('mirror', { ...MIRROR, authSecretRef: { namespace: 'B_', name: 'b' } }, FLAT), [
    'CONFIG_INVALID /data/authSecretRef.namespace',
  ]);
});

rules('flat data: lists by commas, true and false as words', () => {
  const data = {
    kind: 'RegistryMirror',
    registry: '*',
    endpoints: 'https://a.internal, https://b.internal/v2,',
    skipFallback: 'true',
    'authSecretRef.namespace': 'a',
    'authSecretRef.name': 'b',
  };
  const result = readConfig(JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', data }));
  const [mirror] = result.configs;
  assert.ok(mirror?.kind === 'RegistryMirror');
  assert.equal(
    mirror.endpoints.map(({ url }) => url),
    ['https://a.internal', 'https://b.internal/v2'],
  );
  assert.equal([mirror.registry, mirror.fallback, mirror.auth], ['*', 'skip', { namespace: 'a', name: 'b' }]);
});

const cluster = (blocks: unknown): string => JSON.stringify({ type: 'talos', ...(blocks as object) });

rules('problems of all blocks of a file are in one refusal', () => {
  const text = cluster({
    registryTrust: { enabled: true, ...TRUST, mod: 'x' },
    registryMirrors: [{ ...MIRROR, registry: 'x' }, MIRROR, null],
    clusterNetwork: { podSubnets: ['x'] },
  });
  assert.equal(
    refusalsBy(() => readConfig(text)).map(({ code, at }) => `${code} ${at?.pointer}`),
    [
      'CONFIG_UNKNOWN_KEY /registryTrust',
      'MIRROR_INVALID /registryMirrors/0/registry',
      'CONFIG_INVALID /registryMirrors/2',
      'SUBNET_INVALID /clusterNetwork/podSubnets',
    ],
  );
});

for (const key of ['registryMirror', 'registrymirrors', 'clusterNetworks', 'cluster-network']) {
  rules(`a block named ${key} is not passed over in silence`, () => {
    const result = readConfig(cluster({ [key]: {} }));
    assert.equal(result.configs, []);
    assert.equal(
      result.diagnostics.map(({ code, severity }) => `${severity} ${code}`),
      ['warning CONFIG_NOT_ENABLED'],
    );
  });
}

rules('empty blocks, and blocks of other clusters, are nothing', () => {
  for (const text of [
    cluster({ registryMirrors: null, clusterNetwork: null }),
    cluster({ registryMirrors: [] }),
    JSON.stringify({ type: 'kubeadm', clusterNetwork: 'x' }),
  ])
    assert.equal(readConfig(text), { configs: [], diagnostics: [] });
});

rules.run();

function refusalsBy(read: () => unknown) {
  try {
    read();
    return [];
  } catch (cause) {
    return diagnosticsOf(cause);
  }
}
