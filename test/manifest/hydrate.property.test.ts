/** Laws of hydrate over generated manifests: patch lists in every layout, hosts and values at random. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { Refusal } from '../../src/diagnostic.ts';
import type { Form } from '../../src/machine-config/form.ts';
import { hydrate } from '../../src/manifest/hydrate.ts';
import type { TrustIntent } from '../../src/manifest/intent.ts';
import { parseRegistryHost } from '../../src/trust/registry-host.ts';
import { fc, fuzzRuns } from '../support/fuzz.ts';
import { GOLDEN_VALUES } from '../support/owned-lines.ts';

const laws = suite('laws of hydrate');

const RUNS = fuzzRuns(1500);
const HOST = parseRegistryHost('registry.ok-shared.internal');
const SECOND = parseRegistryHost('second.example.internal:5000');

const intentFor = (host: typeof HOST, patchFormat: 'auto' | Form = 'auto'): TrustIntent => ({
  host,
  patchFormat,
  values: GOLDEN_VALUES,
});

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

const hostEntries = fc.constantFrom(
  [],
  [{ ip: '10.0.0.1', aliases: ['a.example.internal'] }],
  [{ ip: '10.0.0.1', aliases: [HOST.name, 'b.example.internal'] }],
  [{ ip: '10.0.0.1', aliases: [HOST.name] }],
);

const operations = fc.array(
  fc.oneof(
    fc.constantFrom(
      { op: 'add', path: '/machine/sysctls', value: { 'vm.swappiness': '1' } },
      { op: 'replace', path: '/cluster/network/cni', value: { name: 'none' } },
      { registryTrust: HOST.key },
    ),
    registries.map((value) => ({ op: 'add', path: '/machine/registries', value })),
    hostEntries.map((value) => ({ op: 'add', path: '/machine/network/extraHostEntries', value })),
  ),
  { maxLength: 4 },
);

const strategic = fc.array(
  fc.oneof(
    fc.constantFrom<string | object>(
      'machine:\n  sysctls:\n    vm.swappiness: "1"\n',
      '{"machine":{"kubelet":{}}}',
      'apiVersion: v1alpha1\nkind: WatchdogTimerConfig\n',
      { registryTrust: HOST.key },
    ),
    registries.map((value) => stringify({ machine: { registries: value } })),
    hostEntries.map((value) => JSON.stringify({ machine: { network: { extraHostEntries: value } } })),
  ),
  { maxLength: 3 },
);

const manifests = fc
  .record({
    talosVersion: fc.constantFrom(undefined, 'v1.9.5', 'v1.11', 'v1.12', '1.13', '${TALOS_VERSION}'),
    configPatches: fc.option(operations, { nil: undefined }),
    strategicPatches: fc.option(strategic, { nil: undefined }),
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

laws('twice is once, offline first is the same, and the output is YAML with the values', () => {
  let done = 0;
  check(manifests, (text) => {
    const output = attempt(text, [intentFor(HOST)]);
    const offline = attempt(text, [{ ...intentFor(HOST), values: 'unknown' }]);
    assert.is(offline === undefined, output === undefined);
    if (output === undefined || offline === undefined) return;
    done++;
    assert.is(attempt(output, [intentFor(HOST)]), output);
    assert.is(attempt(offline, [intentFor(HOST)]), output);
    for (const document of parseAllDocuments(output)) assert.equal(document.errors, []);
    const flat = JSON.stringify(parseAllDocuments(output).map((document) => document.toJS()));
    assert.ok(flat.includes(GOLDEN_VALUES.caBase64) && flat.includes(GOLDEN_VALUES.ip));
  });
  assert.ok(done > RUNS / 4, `only ${done} of ${RUNS} were hydrated`);
});

laws('nothing of the author is lost: every scalar that was there is there, but for what we own', () => {
  check(manifests, (text) => {
    const output = attempt(text, [intentFor(HOST)]);
    if (output === undefined) return;
    const kept = new Set(scalars(output));
    const owned = new Set(['b2xk', '10.0.0.1', HOST.key, 'registryTrust']);
    assert.equal(
      scalars(text).filter((scalar) => !kept.has(scalar) && !owned.has(scalar)),
      [],
      text,
    );
  });
});

laws('lines that are not ours stay, in their order', () => {
  check(manifests, (text) => {
    const output = attempt(text, [intentFor(HOST)]);
    if (output === undefined || /[[{]|"machine/.test(text)) return;
    const ours =
      /registryTrust|ca['"]?: |ip['"]?: |aliases|registry\.ok-shared|configPatches|strategicPatches|- \|/;
    const lines = output.split(/\r?\n/);
    let at = 0;
    for (const line of text.split(/\r?\n/).filter((one) => !ours.test(one))) {
      const found = lines.indexOf(line, at);
      assert.ok(found >= at, `lost: ${JSON.stringify(line)} of ${JSON.stringify(text)}`);
      at = found + 1;
    }
  });
});

laws('two registries in either order have the same effect', () => {
  check(manifests, (text) => {
    const ab = attempt(text, [intentFor(HOST), intentFor(SECOND)]);
    const ba = attempt(text, [intentFor(SECOND), intentFor(HOST)]);
    assert.is(ab === undefined, ba === undefined, text);
    if (ab !== undefined && ba !== undefined) assert.is(effect(ab), effect(ba), text);
  });
});

laws('a refusal leaves no output, and no text gives anything but a refusal', () => {
  const snippets = fc.constantFrom(
    'apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3\n',
    'kind: TalosConfigTemplate\n',
    'spec: {template: {spec: ',
    '{}',
    '}}\n',
    'spec:\n  template:\n    spec:\n',
    '      configPatches:\n',
    '      - ',
    'registryTrust: registry.ok-shared.internal\n',
    'op: add\n',
    '&a ',
    '*a',
    '---\n',
    '|\n',
    '"',
    "'",
    '\t',
    '\r',
    '<<: ',
    '? ',
    '!!map ',
    '- - ',
    '${X}',
  );
  check(
    fc.oneof(
      fc.array(snippets, { maxLength: 16 }).map((parts) => parts.join('')),
      fc.string({ unit: 'binary' }),
    ),
    (text) => {
      attempt(text, [intentFor(HOST)]);
      attempt(text, [{ ...intentFor(HOST, 'strategic'), values: 'unknown' }]);
    },
  );
});

laws.run();

function check<T>(arbitrary: fc.Arbitrary<T>, law: (value: T) => void): void {
  fc.assert(fc.property(arbitrary, law), { numRuns: RUNS });
}

function attempt(text: string, intents: readonly TrustIntent[]): string | undefined {
  try {
    return hydrate(text, intents).output;
  } catch (cause) {
    if (cause instanceof Refusal) return undefined;
    throw cause;
  }
}

/** All keys and scalars of all documents, those inside strategic patches too. */
function scalars(text: string): readonly string[] {
  return parseAllDocuments(text).flatMap((document) => scalarsOf(document.toJS()));
}

function scalarsOf(value: unknown): readonly string[] {
  if (typeof value === 'string' && /^\s*(?:machine:|\{)/.test(value)) return scalarsOf(parse(value));
  if (typeof value !== 'object' || value === null) return [String(value)];
  return Object.entries(value).flatMap(([key, child]) => [
    ...(Array.isArray(value) ? [] : [key]),
    ...scalarsOf(child),
  ]);
}

/** Sorted: what is set, whatever the order of operations and keys. */
function effect(text: string): string {
  return [...scalars(text)].sort().join('\n');
}
