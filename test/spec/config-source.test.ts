import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { diagnosticsOf } from '../../src/diagnostic.ts';
import { readConfig } from '../../src/spec/config-source.ts';
import type { RegistryTrust } from '../../src/spec/registry-trust.ts';

const config = suite('config');

const SPEC = `host: Registry.ok-shared.internal:443
caSecret: {namespace: cert-manager, name: ok-shared-internal-ca}
address: {serviceNamespace: ok-shared, serviceName: ok-shared-ingress, family: IPv6}
talosconfigSecret: {namespace: ok-consumer, name: ok-consumer-talosconfig}
hostedOn: ok-shared
targets:
  kinds: [TalosControlPlane, TalosConfigTemplate]
  names: [workers]
  labelSelector: {matchLabels: {app.kubernetes.io/name: x}}
patchFormat: strategic
mode: Check
`;

const EXPECTED: RegistryTrust = {
  host: { name: 'registry.ok-shared.internal', key: 'registry.ok-shared.internal' },
  ca: { kind: 'Secret', namespace: 'cert-manager', name: 'ok-shared-internal-ca', key: 'ca.crt' },
  family: 'IPv6',
  kind: 'RegistryTrust',
  insecure: 'refuse',
  patchFormat: 'strategic',
  mode: 'Check',
  service: { namespace: 'ok-shared', name: 'ok-shared-ingress' },
  talosconfigSecret: { namespace: 'ok-consumer', name: 'ok-consumer-talosconfig', key: 'talosconfig' },
  hostedOn: 'ok-shared',
  targets: {
    kinds: ['TalosControlPlane', 'TalosConfigTemplate'],
    names: ['workers'],
    labelSelector: { matchLabels: { 'app.kubernetes.io/name': 'x' } },
  },
};

const FLAT = {
  host: 'registry.ok-shared.internal',
  'caSecret.namespace': 'cert-manager',
  'caSecret.name': 'ok-shared-internal-ca',
  'address.serviceNamespace': 'ok-shared',
  'address.serviceName': 'ok-shared-ingress',
  'address.family': 'IPv6',
  'talosconfigSecret.namespace': 'ok-consumer',
  'talosconfigSecret.name': 'ok-consumer-talosconfig',
  hostedOn: 'ok-shared',
  'targets.kinds': 'TalosControlPlane, TalosConfigTemplate',
  'targets.names': 'workers',
  'targets.labelSelector.matchLabels.app.kubernetes.io/name': 'x',
  patchFormat: 'strategic',
  mode: 'Check',
};

const SHAPES: Readonly<Record<string, string>> = {
  object: object(SPEC),
  'cluster-config': `type: talos\nteam: platform\nregistryTrust:\n  enabled: true\n${indent(SPEC)}`,
  'flat ConfigMap': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: ${JSON.stringify(FLAT)}\n`,
  'JSON object': JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', data: FLAT }),
  'other documents around it': `---\napiVersion: apps/v1\nkind: Deployment\n---\n${object(SPEC)}---\n`,
};

for (const [shape, text] of Object.entries(SHAPES)) {
  config(`${shape}: the same config`, () => {
    assert.equal(readConfig(text), { configs: [EXPECTED], diagnostics: [] });
  });
}

config('defaults', () => {
  const result = readConfig(object('host: r.example.internal\ncaConfigMap: {namespace: a, name: b}\n'));
  assert.equal(result.configs[0], {
    host: { name: 'r.example.internal', key: 'r.example.internal' },
    ca: { kind: 'ConfigMap', namespace: 'a', name: 'b', key: 'ca.crt' },
    family: 'IPv4',
    kind: 'RegistryTrust',
    insecure: 'refuse',
    patchFormat: 'auto',
    mode: 'Hydrate',
  });
});

const BLOCK = 'host: r.example.internal\ncaSecret: {namespace: a, name: b}\n';

const NOT_ENABLED: readonly (readonly [string, string, readonly string[]])[] = [
  ['an empty file', '', []],
  ['comments only', '# nothing\n', []],
  ['no block', 'type: talos\nname: x\n', []],
  ['another type', `type: kubeadm\nregistryTrust:\n  enabled: true\n${indent(BLOCK)}`, []],
  ['no type', `registryTrust:\n  enabled: true\n${indent(BLOCK)}`, []],
  ['enabled: false', `type: talos\nregistryTrust:\n  enabled: false\n${indent(BLOCK)}`, []],
  ['no enabled', `type: talos\nregistryTrust:\n${indent(BLOCK)}`, ['CONFIG_NOT_ENABLED']],
  ['enabled: yes', `type: talos\nregistryTrust:\n  enabled: yes\n${indent(BLOCK)}`, ['CONFIG_NOT_ENABLED']],
  [
    'enabled: !!str true',
    `type: talos\nregistryTrust:\n  enabled: !!str true\n${indent(BLOCK)}`,
    ['CONFIG_NOT_ENABLED'],
  ],
  [
    'enabled: "true"',
    `type: talos\nregistryTrust:\n  enabled: "true"\n${indent(BLOCK)}`,
    ['CONFIG_NOT_ENABLED'],
  ],
  ['a block that is a text', 'type: talos\nregistryTrust: on\n', ['CONFIG_NOT_ENABLED']],
  [
    'a misspelled block',
    `type: talos\nregistrytrust:\n  enabled: true\n${indent(BLOCK)}`,
    ['CONFIG_NOT_ENABLED'],
  ],
  ['an empty block', 'type: talos\nregistryTrust:\n', []],
  ['a ConfigMap without data', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: function-input}\n', []],
  ['a ConfigMap with empty data', 'apiVersion: v1\nkind: ConfigMap\ndata: {}\n', []],
];

for (const [about, text, codes] of NOT_ENABLED) {
  config(`${about}: not enabled${codes.length > 0 ? ', with a warning' : ''}`, () => {
    const result = readConfig(text);
    assert.equal(result.configs, []);
    const diagnostics = result.diagnostics;
    assert.equal(
      diagnostics.map(({ code, severity }) => `${severity} ${code}`),
      codes.map((code) => `warning ${code}`),
    );
  });
}

const CA = 'caSecret: {namespace: a, name: b}\n';
const HOST = 'host: r.example.internal\n';

/** Spec, and what it is refused with: code and pointer, and a word of the hint where it suggests something. */
const REFUSED: readonly (readonly [string, string, readonly string[], RegExp?])[] = [
  ['no host', CA, ['CONFIG_MISSING_KEY /spec/host']],
  ['no CA', HOST, ['CONFIG_MISSING_KEY /spec']],
  ['two CAs', `${HOST}${CA}caConfigMap: {namespace: a, name: b}\n`, ['CONFIG_INVALID /spec/caConfigMap']],
  ['a typing error', `${HOST}${CA}adress: {}\n`, ['CONFIG_UNKNOWN_KEY /spec'], /address/],
  [
    'another capitalisation',
    `${CA}Host: x\n`,
    ['CONFIG_MISSING_KEY /spec/host', 'CONFIG_UNKNOWN_KEY /spec'],
    /host/,
  ],
  [
    'a nested typing error',
    `${HOST}caSecret: {namespace: a, nmae: b}\n`,
    ['CONFIG_MISSING_KEY /spec/caSecret/name', 'CONFIG_UNKNOWN_KEY /spec/caSecret'],
    /name/,
  ],
  ['a key like nothing', `${HOST}${CA}zzzzzzzz: 1\n`, ['CONFIG_UNKNOWN_KEY /spec'], /Known keys/],
  ['a host that is a URL', `host: https://r.example.internal\n${CA}`, ['HOST_INVALID /spec/host']],
  ['a host that is a list', `host: [a]\n${CA}`, ['CONFIG_INVALID /spec/host']],
  [
    'a name that is none',
    `${HOST}caSecret: {namespace: a, name: B_}\n`,
    ['CONFIG_INVALID /spec/caSecret/name'],
  ],
  [
    'a key that is none',
    `${HOST}caSecret: {namespace: a, name: b, key: a/b}\n`,
    ['CONFIG_INVALID /spec/caSecret/key'],
  ],
  ['a text for a mapping', `${HOST}caSecret: a/b\n`, ['CONFIG_INVALID /spec/caSecret']],
  [
    'half a Service',
    `${HOST}${CA}address: {serviceName: x}\n`,
    ['CONFIG_MISSING_KEY /spec/address/serviceNamespace'],
  ],
  ['a family that is none', `${HOST}${CA}address: {family: ipv4}\n`, ['CONFIG_INVALID /spec/address/family']],
  ['a form that is none', `${HOST}${CA}patchFormat: helm\n`, ['CONFIG_INVALID /spec/patchFormat']],
  ['a mode that is none', `${HOST}${CA}mode: check\n`, ['CONFIG_INVALID /spec/mode']],
  [
    'In without values',
    `${HOST}${CA}targets: {labelSelector: {matchExpressions: [{key: a, operator: In}]}}\n`,
    ['CONFIG_INVALID /spec/targets/labelSelector/matchExpressions/0/values'],
  ],
  [
    'Exists with values',
    `${HOST}${CA}targets: {labelSelector: {matchExpressions: [{key: a, operator: Exists, values: [b]}]}}\n`,
    ['CONFIG_INVALID /spec/targets/labelSelector/matchExpressions/0/values'],
  ],
  [
    'a variable',
    `${HOST}caSecret: {namespace: "\${NS}", name: b}\n`,
    ['CONFIG_INVALID /spec/caSecret/namespace'],
  ],
  ['an alias', `host: &h r.example.internal\nhostedOn: *h\n${CA}`, ['YAML_ALIAS undefined']],
];

for (const [about, spec, expected, hint] of REFUSED) {
  config(`${about}: refused`, () => {
    const diagnostics = refusals(object(spec));
    assert.equal(
      diagnostics.map(({ code, at }) => `${code} ${at?.pointer}`),
      expected,
    );
    if (hint !== undefined) assert.match(diagnostics.map((diagnostic) => diagnostic.hint).join('\n'), hint);
  });
}

const FILES_REFUSED: readonly (readonly [string, string, string])[] = [
  [
    'another kind of our group',
    object(SPEC).replace('kind: RegistryTrust', 'kind: RegistryCache'),
    'CONFIG_UNKNOWN_KIND',
  ],
  ['another version of our group', object(SPEC).replace('v1alpha1', 'v2'), 'CONFIG_UNKNOWN_KIND'],
  ['a foreign kind', 'apiVersion: apps/v1\nkind: Deployment\n', 'CONFIG_NOT_FOUND'],
  ['a list', '- a\n', 'CONFIG_NOT_FOUND'],
  ['two configs', `${object(SPEC)}---\n${object(SPEC)}`, 'CONFIG_INVALID'],
  ['an unknown key beside spec', `${object(SPEC)}sepc: {}\n`, 'CONFIG_UNKNOWN_KEY'],
  ['not YAML', 'type: [talos\n', 'YAML_INVALID'],
  ['a duplicate key', 'type: talos\ntype: talos\n', 'YAML_AMBIGUOUS'],
  [
    'a flat key that is both a text and a mapping',
    'apiVersion: v1\nkind: ConfigMap\ndata: {host: a.b, caSecret: x, caSecret.name: y}\n',
    'CONFIG_INVALID',
  ],
];

for (const [about, text, code] of FILES_REFUSED) {
  config(`${about}: ${code}`, () => {
    assert.ok(refusals(text).some((diagnostic) => diagnostic.code === code));
  });
}

config('a refusal names the file and the line', () => {
  const [diagnostic] = diagnosticsOf(
    thrown(() => readConfig('a: 1\nb: [\n', { file: 'cluster-config.yaml' })),
  );
  assert.is(diagnostic?.at?.file, 'cluster-config.yaml');
  assert.ok((diagnostic?.at?.line ?? 0) >= 2);
});

config('no value is repeated, whatever key or value it stands at', () => {
  const secret = '-----BEGIN-CANARY-----';
  for (const spec of [
    `host: ${secret}\n`,
    `${HOST}caSecret: ${secret}\n`,
    `${HOST}${CA}mode: ${secret}\n`,
    `${HOST}${CA}"${secret}": x\n`,
    `${HOST}caSecret: {namespace: a, name: b, key: ${secret}/}\n`,
  ]) {
    assert.not.match(JSON.stringify(refusals(object(spec))), /CANARY/);
  }
});

config('keys of Object.prototype are no keys', () => {
  const [diagnostic] = refusals(
    'apiVersion: v1\nkind: ConfigMap\ndata: {__proto__.host: x, constructor.name: y}\n',
  );
  assert.ok(diagnostic);
  assert.is(({} as Record<string, unknown>)['host'], undefined);
});

config.run();

function object(spec: string): string {
  return `apiVersion: fn.openkubes.io/v1alpha1\nkind: RegistryTrust\nmetadata: {name: x}\nspec:\n${indent(spec)}`;
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, '  ');
}

function refusals(text: string) {
  return diagnosticsOf(thrown(() => readConfig(text)));
}

function thrown(action: () => unknown): unknown {
  try {
    action();
  } catch (cause) {
    return cause;
  }
  throw new Error('nothing was refused');
}
