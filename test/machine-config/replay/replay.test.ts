/**
 * What the vectors don't say and real machinery (1.9.5, 1.12.0, 1.13.9) does: aliases in circles, tags, null names,
 * addresses of mirrors, empty documents in `data`, deletes that don't say of what. Generation `1.12` is taken to be like
 * 1.13 here, as the vectors have it for texts: it wasn't run.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { effectiveOf } from '../../../src/machine-config/replay/effective.ts';
import { generatedBase } from '../../../src/machine-config/replay/generated-base.ts';
import { patchText } from '../../../src/machine-config/replay/load-patch.ts';
import { BEHAVIOUR, type Machinery } from '../../../src/machine-config/replay/machinery.ts';
import { jsonOfRaw } from '../../../src/machine-config/replay/raw.ts';
import { type Base, dataBase, type Outcome, replay } from '../../../src/machine-config/replay/replay.ts';

const cases = suite('replay beyond the vectors');

const BASE = generatedBase('1.13', { kind: 'version', major: 1, minor: 11 });

function run(texts: readonly string[], machinery: Machinery = '1.13', base: Base = BASE): Outcome {
  return replay(machinery, base, { configPatches: [], strategicPatches: texts.map(patchText) });
}

function failure(outcome: Outcome): string {
  return outcome.kind === 'failed' ? outcome.failure : String(outcome.kind);
}

for (const text of [
  'machine:\n  sysctls: &a\n    x: *a\n',
  'machine: &a {registries: *a}\n',
  'machine:\n  registries: &a\n    config: [[*a]]\n',
]) {
  cases(`an alias inside its own anchor is a failure: ${JSON.stringify(text)}`, () => {
    assert.is(failure(run([text])), 'yaml');
    assert.throws(
      () => dataBase(text),
      ({ kind }: { kind?: unknown }) => kind === 'yaml',
    );
  });
}

cases('the same alias twice, one after the other, is fine', () => {
  const text =
    'machine:\n  registries:\n    config:\n      a: &x {tls: &y {ca: Y2E=}}\n      b: *x\n      c: {tls: *y}\n';
  assert.is(failure(run([text])), 'done');
});

cases('tags decide, quotes or not', () => {
  const text =
    'machine: {registries: {config: {h: {tls: {ca: !!binary WTJFPQ==, insecureSkipVerify: !!bool "true", clientIdentity: !!null ""}}}}}';
  const outcome = run([text]);
  assert.ok(outcome.kind === 'done' && typeof outcome.loaded !== 'string');
  const effective = effectiveOf(outcome.loaded, BEHAVIOUR['1.13']);
  assert.ok(effective !== 'panic');
  assert.equal(effective.tls.get('h'), { caBase64: 'Y2E=', verification: 'skip' });
});

cases('a document named null has no name', () => {
  const document = 'apiVersion: v1alpha1\nkind: StaticHostConfig\n';
  const outcome = run([`${document}name: ~\nhostnames: [a]\n`, `${document}hostnames: [b]\n`]);
  assert.ok(outcome.kind === 'done');
  assert.equal(outcome.written.slice(1).map(jsonOfRaw), [
    { apiVersion: 'v1alpha1', kind: 'StaticHostConfig', name: '', hostnames: ['a', 'b'] },
  ]);
});

/** As Go's url.Parse decides; compared with Go on 18,000 texts. */
for (const url of [
  'https://h:port',
  'ht!tp://a',
  'https://a b',
  'http://[::1',
  'http://x[::1]',
  'http://[::1]x',
  '%zz',
  '%4',
  '/%4z',
  'https://h/%zz',
  'https://h#%zz',
  'a:b#%',
  '1http://a',
  '://x',
  'x y:z',
  'https://h\u007f',
  'a\nb',
  'https://u x@h',
  'https://u\\@h',
  'https://h^',
  'https://h|',
  'https://h%41',
  'https://h:80:x',
  'https://h:80]',
]) {
  cases(`no endpoint: ${JSON.stringify(url)}`, () => {
    assert.is(failure(run([mirrorOf(url)])), 'url');
  });
}

for (const url of [
  'https://[::1]:5',
  'https://[::1]',
  'https://u:p@h/%41',
  'https://u@v@h',
  'm',
  '',
  '/x:y',
  'x/y:z',
  '/x//h:port',
  '///h:port',
  'a:b',
  'a:b:c',
  'a:%zz',
  'x#y:z',
  'https://h?%zz',
  'https://h/a?b#c',
  'https://h/a#b#%41',
  'x#\n',
  'https://h:',
  'https://a:b:80',
  'https://h"<>]',
]) {
  cases(`an endpoint, as far as reading goes: ${JSON.stringify(url)}`, () => {
    assert.is(failure(run([mirrorOf(url)])), 'done');
  });
}

for (const [word, expected] of [
  ['true', 'skip'],
  ['True', 'skip'],
  ['TRUE', 'skip'],
  ['tRUE', 'type'],
  ['xtrue', 'type'],
  ['truex', 'type'],
  ['"true"', 'type'],
  ['false', 'verify'],
  ['False', 'verify'],
  ['FALSE', 'verify'],
  ['xfalse', 'type'],
  ['falsex', 'type'],
  ['"false"', 'type'],
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'on', 'On', 'ON', '"yes"'].map((one) => [one, 'skip'] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'off', 'Off', 'OFF', '"no"'].map((one) => [one, 'verify'] as const),
  ['xyes', 'type'],
  ['yesx', 'type'],
  ['xno', 'type'],
  ['nox', 'type'],
  ['yES', 'type'],
  ['1', 'type'],
  ['{}', 'type'],
  ['[]', 'type'],
] as const) {
  cases(`insecureSkipVerify: ${word}`, () => {
    const outcome = run([`machine: {registries: {config: {h: {tls: {insecureSkipVerify: ${word}}}}}}`]);
    const effective =
      outcome.kind === 'done' && typeof outcome.loaded !== 'string'
        ? effectiveOf(outcome.loaded, BEHAVIOUR['1.13'])
        : 'panic';
    assert.is(effective === 'panic' ? failure(outcome) : effective.tls.get('h')?.verification, expected);
  });
}

function mirrorOf(url: string): string {
  const endpoints = JSON.stringify([{ url }]);
  return `apiVersion: v1alpha1\nkind: RegistryMirrorConfig\nname: docker.io\nendpoints: ${endpoints}\n`;
}

cases('empty documents in data: passed over from 1.12.11 on, and never alone', () => {
  for (const end of ['---\n', '---\nnull\n', '---\n# c\n']) {
    const base = dataBase(`machine: {type: worker}\n${end}`);
    assert.is(failure(run([], '1.12.0', base)), 'not-a-document');
    assert.is(failure(run([], '1.12', base)), 'done');
    assert.is(failure(run([], '1.13', base)), 'done');
  }
  for (const text of ['', '# c\n', '---\n'])
    assert.is(failure(run([], '1.13', dataBase(text))), 'no-document');
});

cases('a tab before anything else is no YAML', () => {
  for (const text of ['\t', '  \t# c\n', '# c\n \t\n']) assert.is(failure(run([text])), 'yaml');
});

cases('a delete says of which document it is', () => {
  const failures = [
    '$patch: delete\n',
    'kind: HostnameConfig\n$patch: delete\n',
    'apiVersion: v1alpha1\n$patch: delete\n',
    'kind: StaticHostConfig\nname: x\nhostnames:\n  $patch: delete\n',
  ].map((text) => failure(run([text])));
  assert.equal(failures, ['missing-version', 'missing-version', 'missing-kind', 'bad-selector']);
});

cases('interfaces of one list merge, also when there were none', () => {
  const outcome = run([
    'machine: {network: {interfaces: [{interface: a, dhcp: true}, {interface: a, mtu: 9}]}}',
  ]);
  assert.ok(outcome.kind === 'done');
  const { machine } = jsonOfRaw(outcome.written[0]) as { machine: { network: unknown } };
  assert.equal(machine.network, { interfaces: [{ interface: 'a', dhcp: true, mtu: 9 }] });
});

cases.run();
