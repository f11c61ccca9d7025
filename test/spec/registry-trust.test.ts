/** The rules of a spec, one by one, on plain data. The shapes around it are tested in config-source.test.ts. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { diagnosticsOf } from '../../src/diagnostic.ts';
import type { SpecPlace } from '../../src/spec/place.ts';
import { parseRegistryTrust } from '../../src/spec/registry-trust.ts';

const rules = suite('rules of a spec');

const NESTED: SpecPlace = { at: { file: 'config.yaml' }, pointer: '/spec', keys: 'nested' };
const FLAT: SpecPlace = { at: {}, pointer: '/data', keys: 'flat' };

const SPEC = { host: 'r.example.internal', caSecret: { namespace: 'a', name: 'b' } };

function refusals(value: unknown, place: SpecPlace = NESTED) {
  try {
    parseRegistryTrust(value, place);
    return [];
  } catch (cause) {
    return diagnosticsOf(cause);
  }
}

const codes = (value: unknown, place?: SpecPlace) =>
  refusals(value, place).map(({ code, at }) => `${code} ${at?.pointer}`);

rules('all problems are in one refusal', () => {
  const spec = {
    host: 'https://r.example.internal',
    adress: {},
    mod: 'Check',
    address: { serviceName: 'x' },
    patchFormat: 'helm',
    targets: { labelSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
  };
  assert.equal(codes(spec).sort(), [
    'CONFIG_INVALID /spec/patchFormat',
    'CONFIG_INVALID /spec/targets/labelSelector/matchExpressions/0/values',
    'CONFIG_MISSING_KEY /spec',
    'CONFIG_MISSING_KEY /spec/address/serviceNamespace',
    'CONFIG_UNKNOWN_KEY /spec',
    'CONFIG_UNKNOWN_KEY /spec',
    'HOST_INVALID /spec/host',
  ]);
  assert.ok(refusals(spec).every(({ at }) => at?.file === 'config.yaml'));
});

/** A spec with one value put at a path, and the pointer that it is refused at. Every text of a spec is here. */
const PLACES: readonly (readonly [string, (value: unknown) => unknown, string])[] = [
  ['host', (host) => ({ ...SPEC, host }), '/spec/host'],
  [
    'caSecret.namespace',
    (namespace) => ({ ...SPEC, caSecret: { namespace, name: 'b' } }),
    '/spec/caSecret/namespace',
  ],
  ['caSecret.name', (name) => ({ ...SPEC, caSecret: { namespace: 'a', name } }), '/spec/caSecret/name'],
  [
    'caSecret.key',
    (key) => ({ ...SPEC, caSecret: { namespace: 'a', name: 'b', key } }),
    '/spec/caSecret/key',
  ],
  [
    'caConfigMap.name',
    (name) => ({ host: SPEC.host, caConfigMap: { namespace: 'a', name } }),
    '/spec/caConfigMap/name',
  ],
  [
    'address.serviceNamespace',
    (serviceNamespace) => ({ ...SPEC, address: { serviceNamespace, serviceName: 'x' } }),
    '/spec/address/serviceNamespace',
  ],
  [
    'address.serviceName',
    (serviceName) => ({ ...SPEC, address: { serviceNamespace: 'x', serviceName } }),
    '/spec/address/serviceName',
  ],
  ['address.family', (family) => ({ ...SPEC, address: { family } }), '/spec/address/family'],
  [
    'talosconfigSecret.name',
    (name) => ({ ...SPEC, talosconfigSecret: { namespace: 'a', name } }),
    '/spec/talosconfigSecret/name',
  ],
  ['hostedOn', (hostedOn) => ({ ...SPEC, hostedOn }), '/spec/hostedOn'],
  ['targets.kinds', (kind) => ({ ...SPEC, targets: { kinds: [kind] } }), '/spec/targets/kinds/0'],
  ['targets.names', (name) => ({ ...SPEC, targets: { names: [name] } }), '/spec/targets/names/0'],
  [
    'matchLabels value',
    (value) => ({ ...SPEC, targets: { labelSelector: { matchLabels: { 'a.b/c': value } } } }),
    '/spec/targets/labelSelector/matchLabels',
  ],
  [
    'matchLabels key',
    (key) => ({ ...SPEC, targets: { labelSelector: { matchLabels: { [String(key)]: 'x' } } } }),
    '/spec/targets/labelSelector/matchLabels',
  ],
  [
    'matchExpressions key',
    (key) => ({
      ...SPEC,
      targets: { labelSelector: { matchExpressions: [{ key, operator: 'Exists' }] } },
    }),
    '/spec/targets/labelSelector/matchExpressions/0/key',
  ],
  [
    'matchExpressions operator',
    (operator) => ({ ...SPEC, targets: { labelSelector: { matchExpressions: [{ key: 'a', operator }] } } }),
    '/spec/targets/labelSelector/matchExpressions/0/operator',
  ],
  [
    'matchExpressions values',
    (value) => ({
      ...SPEC,
      targets: { labelSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: [value] }] } },
    }),
    '/spec/targets/labelSelector/matchExpressions/0/values/0',
  ],
  ['patchFormat', (patchFormat) => ({ ...SPEC, patchFormat }), '/spec/patchFormat'],
  ['mode', (mode) => ({ ...SPEC, mode }), '/spec/mode'],
];

const CANARY = '-----BEGIN CANARY-----\n';

for (const [field, withValue, pointer] of PLACES) {
  rules(`${field}: a variable is refused, with a hint to expand it`, () => {
    const [only, ...rest] = refusals(withValue('x${VARIABLE}'));
    assert.is(rest.length, 0);
    assert.is(only?.code, field === 'host' ? 'HOST_INVALID' : 'CONFIG_INVALID');
    assert.is(only?.at?.pointer, pointer);
    assert.match(only?.hint ?? '', /^Expand variables/);
  });

  rules(`${field}: what stands there is not repeated`, () => {
    for (const value of [CANARY, [CANARY], { [CANARY]: CANARY }, `\${${CANARY}}`]) {
      const diagnostics = refusals(withValue(value));
      assert.ok(diagnostics.length > 0);
      assert.not.match(JSON.stringify(diagnostics), /CANARY/);
    }
  });
}

rules('a label whose key is a pasted value and whose value is no text is not repeated', () => {
  const matchLabels = { [CANARY]: [1] };
  const diagnostics = refusals({ ...SPEC, targets: { labelSelector: { matchLabels } } });
  assert.is(diagnostics.length, 1);
  assert.not.match(JSON.stringify(diagnostics), /CANARY/);
});

const ACCEPTED: readonly (readonly [string, unknown])[] = [
  ['a family alone', { ...SPEC, address: { family: 'IPv6' } }],
  ['an empty address', { ...SPEC, address: {} }],
  ['a Secret name with dots', { ...SPEC, caSecret: { namespace: 'a', name: 'b.c-d.e' } }],
  ['a namespace of digits', { ...SPEC, caSecret: { namespace: '1', name: 'b' } }],
  ['the longest namespace', { ...SPEC, caSecret: { namespace: 'a'.repeat(63), name: 'b' } }],
  ['hostedOn with its namespace', { ...SPEC, hostedOn: 'a/b.c' }],
  ['an empty label value', { ...SPEC, targets: { labelSelector: { matchLabels: { a: '' } } } }],
  [
    'Exists without values',
    { ...SPEC, targets: { labelSelector: { matchExpressions: [{ key: 'a.b/c', operator: 'Exists' }] } } },
  ],
  [
    'Exists with an empty list',
    {
      ...SPEC,
      targets: { labelSelector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: [] }] } },
    },
  ],
];

for (const [about, spec] of ACCEPTED) rules(`${about}: accepted`, () => assert.equal(codes(spec), []));

const NAMES: readonly (readonly [string, unknown, string])[] = [
  [
    'a namespace with a dot',
    { ...SPEC, caSecret: { namespace: 'a.b', name: 'b' } },
    '/spec/caSecret/namespace',
  ],
  [
    'a namespace that is too long',
    { ...SPEC, caSecret: { namespace: 'a'.repeat(64), name: 'b' } },
    '/spec/caSecret/namespace',
  ],
  [
    'a name with an empty part',
    { ...SPEC, caSecret: { namespace: 'a', name: 'b..c' } },
    '/spec/caSecret/name',
  ],
  [
    'a name with a hyphen before a dot',
    { ...SPEC, caSecret: { namespace: 'a', name: 'b-.c' } },
    '/spec/caSecret/name',
  ],
  [
    'a name that is too long',
    { ...SPEC, caSecret: { namespace: 'a', name: 'b'.repeat(254) } },
    '/spec/caSecret/name',
  ],
  ['hostedOn that is a path', { ...SPEC, hostedOn: 'a/b/c' }, '/spec/hostedOn'],
  ['hostedOn with a dot in its namespace', { ...SPEC, hostedOn: 'a.b/c' }, '/spec/hostedOn'],
  ['hostedOn without its name', { ...SPEC, hostedOn: 'a/' }, '/spec/hostedOn'],
  ['a name that is a path', { ...SPEC, caSecret: { namespace: 'a', name: '../b' } }, '/spec/caSecret/name'],
  [
    'a Service name with a dot',
    { ...SPEC, address: { serviceNamespace: 'a', serviceName: 'b.c' } },
    '/spec/address/serviceName',
  ],
  [
    'a label key with two slashes',
    { ...SPEC, targets: { labelSelector: { matchLabels: { 'a/b/c': 'x' } } } },
    '/spec/targets/labelSelector/matchLabels',
  ],
  [
    'a label key that JavaScript reserves',
    { ...SPEC, targets: { labelSelector: { matchLabels: { constructor: 'x' } } } },
    '/spec/targets/labelSelector/matchLabels',
  ],
];

for (const [about, spec, pointer] of NAMES)
  rules(`${about}: refused`, () => assert.equal(codes(spec), [`CONFIG_INVALID ${pointer}`]));

rules('keys inside a list get suggestions too', () => {
  const labelSelector = { matchExpressions: [{ kee: 'a', key: 'a', operator: 'Exists' }] };
  const [only] = refusals({ ...SPEC, targets: { labelSelector } });
  assert.is(only?.code, 'CONFIG_UNKNOWN_KEY');
  assert.match(only?.hint ?? '', /\bkey\b/);
});

for (const value of [undefined, null, 'x', true]) {
  rules(`${String(value)} for a spec: refused as a whole`, () => {
    assert.equal(codes(value), ['CONFIG_INVALID /spec']);
  });
}

rules('the pointer of flat data is the key that stands there', () => {
  const spec = {
    host: 'r.example.internal',
    caSecret: { namespace: 'B_', name: 'b' },
    targets: { names: ['B_'] },
  };
  assert.equal(codes(spec, FLAT), [
    'CONFIG_INVALID /data/caSecret.namespace',
    'CONFIG_INVALID /data/targets.names',
  ]);
  assert.equal(codes({ host: 'r.example.internal' }, FLAT), ['CONFIG_MISSING_KEY /data']);
});

rules.run();
