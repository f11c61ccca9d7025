/**
 * Generated manifests: one holder with patch lists in every layout, of all kinds of patches that Talos knows, most of
 * them in harmless combinations and some not.
 */
import fc from 'fast-check';
import { stringify } from 'yaml';
import { parseRegistryHost } from '../../src/trust/registry-host.ts';

export const HOST = parseRegistryHost('registry.ok-shared.internal');
export const SECOND = parseRegistryHost('second.example.internal:5000');

const registries = fc.record(
  {
    mirrors: fc.constantFrom(
      {},
      { 'docker.io': { endpoints: ['https://m.example.internal'], overridePath: true } },
    ),
    config: fc.constantFrom(
      {},
      { 'other.example.internal': { auth: { username: 'u' } } },
      { [HOST.key]: { auth: { username: 'u' } } },
      { [HOST.key]: { tls: { ca: 'b2xk' } } },
    ),
  },
  { requiredKeys: [] },
);

const entry = fc.constantFrom(
  { ip: '10.0.0.1', aliases: ['a.example.internal'] },
  { ip: '10.0.0.1', aliases: [HOST.name, 'b.example.internal'] },
  { ip: '10.0.0.1', aliases: [HOST.name] },
  { ip: '10.0.0.2', aliases: ['Registry.OK-shared.internal'] },
);

const hostEntries = fc.oneof(
  fc.constantFrom<{ ip: string; aliases: string[] }[]>([], []),
  fc.array(entry, { maxLength: 2 }),
);

/** Operations on whole owned places, and on others. */
const ordinary = fc.oneof(
  fc.constantFrom<object>(
    { op: 'add', path: '/machine/sysctls', value: { 'vm.swappiness': '1' } },
    { op: 'replace', path: '/cluster/network/cni', value: { name: 'none' } },
    { registryTrust: HOST.key },
  ),
  registries.map((value) => ({ op: 'add', path: '/machine/registries', value })),
  hostEntries.map((value) => ({ op: 'add', path: '/machine/network/extraHostEntries', value })),
);

/** Operations whose effect depends on others. */
const dependent = fc.oneof(
  fc.constantFrom<object>(
    { op: 'add', path: '/machine/network', value: { interfaces: [{ interface: 'eth0', dhcp: true }] } },
    { op: 'add', path: '/machine/network', value: {} },
    { op: 'add', path: '/machine/network/kubespan', value: { enabled: true } },
    { op: 'replace', path: '', value: { machine: { type: 'worker' }, cluster: {} } },
    { op: 'remove', path: '/machine/registries' },
    { op: 'remove', path: '/machine/network/extraHostEntries' },
    { op: 'remove', path: '/machine/network/extraHostEntries/0' },
    { op: 'remove', path: '/machine/network/extraHostEntries/-1' },
    { op: 'test', path: '/machine/registries' },
    { op: 'test', path: '/machine/network', value: {} },
    { op: 'add', path: '/machine/registries/config', value: {} },
    { op: 'add', path: '/machine/registries/config/other.example.internal', value: {} },
    { op: 'add', path: `/machine/registries/config/${HOST.key}/tls`, value: { ca: 'b2xk' } },
    { op: 'add', path: '/machine/registries/mirrors/a~1b', value: { endpoints: [] } },
  ),
  entry.map((value) => ({ op: 'add', path: '/machine/network/extraHostEntries/-', value })),
  entry.map((value) => ({ op: 'replace', path: '/machine/network/extraHostEntries/0', value })),
);

const harmlessTexts = fc.oneof(
  fc.constantFrom<string | object>(
    'machine:\n  sysctls:\n    vm.swappiness: "1"\n',
    '{"machine":{"kubelet":{}}}',
    'apiVersion: v1alpha1\nkind: WatchdogTimerConfig\n',
    { registryTrust: HOST.key },
  ),
  registries.map((value) => stringify({ machine: { registries: value } })),
  hostEntries.map((value) => JSON.stringify({ machine: { network: { extraHostEntries: value } } })),
);

const oddTexts = fc.oneof(
  fc.constantFrom<string>(
    'machine:\n  registries:\n    $patch: delete\n',
    'machine:\n  network:\n    extraHostEntries:\n      - ip: 10.0.0.1\n        $patch: delete\n',
    `machine:\n  registries:\n    config:\n      ${HOST.key}: null\n`,
    `machine:\n  registries:\n    config:\n      ${HOST.key}:\n        tls:\n          ca: ""\n`,
    '- op: add\n  path: /machine/registries\n  value: {}\n',
    '[]',
    '',
    'machine:\n  sysctls: {}\n---\n',
    `apiVersion: v1alpha1\nkind: RegistryTLSConfig\nname: ${HOST.key}\nca: old\n`,
    `apiVersion: v1alpha1\nkind: StaticHostConfig\nname: 10.0.0.9\nhostnames: [${HOST.name}]\n`,
    `apiVersion: v1alpha1\nkind: StaticHostConfig\nname: 10.0.0.9\nhostnames:\n  - ${HOST.name}\n  - c.example.internal\n`,
  ),
  hostEntries.map(
    (value) => `---\nmachine:\n  network:\n    ${JSON.stringify({ extraHostEntries: value })}\n`,
  ),
);

export interface Kinds {
  /** Whether patches whose effect depends on others are among them. */
  readonly patches: 'ordinary' | 'all';
}

export function manifests({ patches }: Kinds): fc.Arbitrary<string> {
  const isAll = patches === 'all';
  const operations = fc.array(isAll ? fc.oneof(ordinary, dependent) : ordinary, { maxLength: isAll ? 5 : 4 });
  const texts = fc.array(isAll ? fc.oneof(harmlessTexts, oddTexts) : harmlessTexts, { maxLength: 3 });
  return fc
    .record({
      talosVersion: fc.constantFrom(undefined, 'v1.9.5', 'v1.11', 'v1.12', '1.13', '${TALOS_VERSION}'),
      configPatches: fc.option(operations, { nil: undefined }),
      strategicPatches: fc.option(texts, { nil: undefined }),
      layout: fc.record({
        indent: fc.constantFrom(2, 4),
        indentSeq: fc.boolean(),
        collectionStyle: fc.constantFrom('any', 'any', 'flow'),
        defaultStringType: fc.constantFrom('PLAIN', 'QUOTE_SINGLE'),
      }),
      comments: fc.boolean(),
      lineEnd: fc.constantFrom('\n', '\n', '\r\n'),
      finalNewline: fc.boolean(),
      around: fc.constantFrom(
        '',
        '---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata: {a: "  # no comment"}\n',
      ),
    })
    .map(({ layout, comments, lineEnd, finalNewline, around, ...holder }) => {
      const object = {
        apiVersion: 'bootstrap.cluster.x-k8s.io/v1alpha3',
        kind: 'TalosConfigTemplate',
        metadata: { name: 'w' },
        spec: { template: { spec: { generateType: 'worker', ...holder } } },
      };
      const text = stringify(object, { ...layout, lineWidth: 0, keepUndefined: false } as never);
      const commented = comments
        ? text.replace(/^( *)(configPatches|strategicPatches|path|kind):(?=[ \n])/gm, '$1# about $2\n$1$2:')
        : text;
      const whole = (commented + around).replaceAll('\n', lineEnd);
      return finalNewline ? whole : whole.replace(/\r?\n$/, '');
    });
}
