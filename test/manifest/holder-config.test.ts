/** On which machineries a holder is read, with which contract, and what comes out of it as it stands. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Extent, type Reading, readingsOf } from '../../src/manifest/holder-config.ts';
import { holdersOf } from '../../src/manifest/holders.ts';
import { documentsOf } from '../../src/manifest/hydrate.ts';
import { objectsOf } from '../../src/manifest/objects.ts';
import { readPatches } from '../../src/manifest/steps.ts';

const reading = suite('readings of a holder');

function readings(spec: string, extent?: Extent): readonly Reading[] {
  const text = `apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3\nkind: TalosConfigTemplate\nmetadata: {name: w}\nspec:\n  template:\n    spec:\n${spec.replace(/^(?=.)/gm, '      ')}`;
  const [holder, ...others] = documentsOf({ text }).flatMap((document) =>
    objectsOf(document.parse()).flatMap(holdersOf),
  );
  assert.ok(holder !== undefined && others.length === 0);
  return readingsOf(holder, readPatches(holder), extent);
}

/** `MACHINERY of CONTRACT: OUTCOME` for each reading. */
function ways(spec: string, extent?: Extent): readonly string[] {
  return readings(spec, extent).map(({ machinery, contract, result }) => {
    const of =
      contract === 'data' || contract.kind !== 'version'
        ? String(contract === 'data' ? contract : contract.kind)
        : `${contract.major}.${contract.minor}`;
    const outcome =
      result.kind === 'read' ? 'read' : [result.failure, result.stage, result.index ?? ''].join(' ').trim();
    return `${machinery} of ${of}: ${outcome}`;
  });
}

const all = (of: string, outcome = 'read'): readonly string[] =>
  ['1.9', '1.12.0', '1.12', '1.13', '1.14'].map((machinery) => `${machinery} of ${of}: ${outcome}`);

const strategic = (text: string): string => `strategicPatches:\n- |\n${text.replace(/^(?=.)/gm, '  ')}`;

const MACHINERIES: readonly (readonly [string, string, readonly string[]])[] = [
  ['one base below 1.12', 'talosVersion: v1.11\n', ['1.9 of 1.11: read']],
  ['two for 1.12', 'talosVersion: v1.12\n', ['1.9 of 1.12: read', '1.12 of 1.12: read']],
  [
    'three from 1.13 on',
    'talosVersion: v1.13\n',
    ['1.9', '1.12', '1.14'].map((one) => `${one} of 1.13: read`),
  ],
  [
    'three for the next major',
    'talosVersion: v2.0\n',
    ['1.9', '1.12', '1.14'].map((one) => `${one} of 2.0: read`),
  ],
  ['three without a contract', '{}\n', ['1.9', '1.12', '1.14'].map((one) => `${one} of unset: read`)],
  [
    'an old contract and none for a variable',
    'talosVersion: ${V}\n',
    ['1.9 of 1.11: read', ...['1.9', '1.12', '1.14'].map((one) => `${one} of unset: read`)],
  ],
  ['all for the author’s own', 'generateType: none\ndata: "machine: {}"\n', all('data')],
];

for (const [about, spec, expected] of MACHINERIES)
  reading(`machineries: ${about}`, () => assert.equal(ways(spec), expected));

for (const text of [
  'machine: {registries: {mirrors: {a: {$patch: delete}}}}\n',
  '---\nmachine: {registries: {}}\n',
  '# only a comment\n',
  '  [{"op": "add", "path": "/machine/registries", "value": {}}]\n',
  '- {op: add, path: /machine/registries, value: {}}\n',
  'apiVersion: v1alpha1\nkind: StaticHostConfig\nname: 192.0.2.1\nhostnames: [a]\n',
]) {
  reading(`machineries: all where a text may be read differently: ${JSON.stringify(text)}`, () => {
    const found = ways(`talosVersion: v1.11\n${strategic(text)}`);
    assert.equal(
      found.map((way) => way.split(' ')[0]),
      ['1.9', '1.12.0', '1.12', '1.13', '1.14'],
    );
  });
}

reading('machineries: one where only a plain text is there, all when all are asked for', () => {
  const spec = `talosVersion: v1.11\n${strategic('machine: {registries: {}}\n')}`;
  assert.equal(ways(spec), ['1.9 of 1.11: read']);
  assert.equal(ways(spec, 'all'), all('1.11'));
});

const FAILURES: readonly (readonly [string, string, readonly string[]])[] = [
  [
    'an operation is named by its place among all of them',
    'talosVersion: v1.11\nconfigPatches:\n- {op: add, path: /machine/sysctls, value: {}}\n- {op: remove, path: /machine/registries}\n',
    ['1.9 of 1.11: missing-key configPatches 1'],
  ],
  [
    'a text is named by its place among all of them',
    'talosVersion: v1.11\nstrategicPatches:\n- "machine: {sysctls: {}}"\n- "machine: {registries: {frob: {}}}"\n',
    ['1.9 of 1.11: unknown-key strategicPatches 1'],
  ],
  [
    'a value that nobody can read fails before any machinery',
    'talosVersion: v1.12\nconfigPatches:\n- {op: add, path: /machine/registries, value: {? [a] : b}}\n',
    ['1.9 of 1.12: type configPatches', '1.12 of 1.12: type configPatches'],
  ],
  [
    'several documents take no operations',
    'talosVersion: v1.12\nconfigPatches:\n- {op: add, path: /machine/registries, value: {}}\n',
    ['1.9 of 1.12: read', '1.12 of 1.12: multi-document configPatches'],
  ],
  [
    'what only the node reads',
    'talosVersion: v1.11\nconfigPatches:\n- {op: add, path: /machine/registries, value: {config: {a: {tls: {ca: "!"}}}}}\n',
    ['1.9 of 1.11: base64 reload'],
  ],
  [
    'what stops the node',
    'talosVersion: v1.11\nconfigPatches:\n- {op: add, path: /machine/network/extraHostEntries, value: [null]}\n',
    ['1.9 of 1.11: panic reload'],
  ],
];

for (const [about, spec, expected] of FAILURES) reading(about, () => assert.equal(ways(spec), expected));

for (const spec of [
  'generateType: none\n',
  'generateType: none\ndata: "machine: ${X}"\n',
  'generateType: none\ndata: "{"\n',
]) {
  reading(`there is nothing to say of ${JSON.stringify(spec)}`, () => assert.equal(ways(spec), []));
}

/** `rest` of two specs, which only have to be the same or not. */
const RESTS: readonly (readonly [string, string, string, 'same' | 'other'])[] = [
  [
    'another value of an operation',
    'configPatches: [{op: add, path: /machine/sysctls, value: {a: b}}]\n',
    'configPatches: [{op: add, path: /machine/sysctls, value: {a: c}}]\n',
    'other',
  ],
  [
    'another op',
    'configPatches: [{op: add, path: /machine/sysctls, value: {a: b}}]\n',
    'configPatches: [{op: replace, path: /machine/sysctls, value: {a: b}}]\n',
    'other',
  ],
  [
    'no value and null',
    'configPatches: [{op: remove, path: /machine/sysctls}]\n',
    'configPatches: [{op: remove, path: /machine/sysctls, value: null}]\n',
    'same',
  ],
  [
    'the order of operations',
    'configPatches: [{op: add, path: /a, value: 1}, {op: add, path: /b, value: 1}]\n',
    'configPatches: [{op: add, path: /b, value: 1}, {op: add, path: /a, value: 1}]\n',
    'other',
  ],
  [
    'another text that reaches nothing owned',
    'strategicPatches: ["machine: {sysctls: {a: b}}"]\n',
    'strategicPatches: ["machine: {sysctls: {a: c}}"]\n',
    'other',
  ],
  [
    'the same beside something owned',
    'strategicPatches: ["machine: {sysctls: {a: b}, registries: {}}"]\n',
    'strategicPatches: ["machine: {sysctls: {a: c}, registries: {}}"]\n',
    'other',
  ],
  [
    'something owned',
    'configPatches: [{op: add, path: /machine/registries, value: {}}]\n',
    'configPatches: [{op: add, path: /machine/registries, value: {mirrors: {}}}]\n',
    'same',
  ],
  [
    'a value that can’t be read, and another',
    'configPatches: [{op: add, path: /machine/sysctls, value: {? [a] : b}}]\n',
    'configPatches: [{op: add, path: /machine/sysctls, value: {? [b] : c}}]\n',
    'same',
  ],
];

for (const [about, one, other, relation] of RESTS) {
  reading(`what isn’t owned: ${about}`, () => {
    const [a, b] = [one, other].map((spec) => {
      const [first] = readings(`talosVersion: v1.11\n${spec}`);
      return first?.result.kind === 'read' ? first.result.rest : assert.unreachable();
    });
    assert.is(a === b, relation === 'same');
  });
}

reading.run();
