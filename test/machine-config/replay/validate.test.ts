/** What a node refuses of documents and entries that it could read. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { generatedBase } from '../../../src/machine-config/replay/generated-base.ts';
import { patchText } from '../../../src/machine-config/replay/load-patch.ts';
import { replay } from '../../../src/machine-config/replay/replay.ts';
import { invalidSettings } from '../../../src/machine-config/replay/validate.ts';
import { makeCa } from '../../estate/certificates.ts';

const validating = suite('what nodes refuse');

function problems(...texts: readonly string[]): readonly string[] {
  const outcome = replay('1.13', generatedBase('1.13', { kind: 'unset' }), {
    configPatches: [],
    strategicPatches: texts.map(patchText),
  });
  assert.ok(outcome.kind === 'done' && typeof outcome.loaded !== 'string', JSON.stringify(outcome));
  return invalidSettings(outcome.loaded).map(({ failure, name }) => `${failure} ${name}`);
}

const document = (kind: string, name: string, more: unknown): string =>
  JSON.stringify({ apiVersion: 'v1alpha1', kind, name, ...(more as object) });

const hosts = (name: string, hostnames: readonly string[] = ['a']): string =>
  document('StaticHostConfig', name, { hostnames });

const ADDRESSES: readonly (readonly [string, boolean])[] = [
  ['192.0.2.1', true],
  ['0.0.0.0', true],
  ['255.255.255.255', true],
  ['256.0.0.1', false],
  ['192.0.2.01', false],
  ['192.0.2', false],
  ['192.0.2.1.5', false],
  ['x192.0.2.1', false],
  ['192.0.2.1x', false],
  ['2001:db8::1', true],
  ['::ffff:192.0.2.1', true],
  ['fe80::1%eth0', true],
  ['[2001:db8::1]', false],
  ['2001:db8::1/64', false],
  ['2001:db8:::1', false],
  ['host', false],
  ['0x7f.1', false],
];

for (const [name, isGood] of ADDRESSES) {
  validating(`a host document named ${name}`, () => {
    assert.equal(problems(hosts(name)), isGood ? [] : [`not-an-address ${name}`]);
  });
}

validating('a host document without names', () => {
  assert.equal(problems(hosts('192.0.2.1', [])), ['no-hostname 192.0.2.1']);
});

const LOGINS: readonly (readonly [string, Readonly<Record<string, string>>, boolean])[] = [
  ['nothing', {}, true],
  ['username and password', { username: 'u', password: 'p' }, true],
  ['only a username', { username: 'u' }, true],
  ['auth', { auth: 'x' }, true],
  ['identityToken', { identityToken: 'x' }, true],
  ['username and auth', { username: 'u', auth: 'x' }, false],
  ['password and auth', { password: 'p', auth: 'x' }, false],
  ['password and identityToken', { password: 'p', identityToken: 'x' }, false],
  ['auth and identityToken', { auth: 'x', identityToken: 'x' }, false],
];

for (const [about, login, isGood] of LOGINS) {
  validating(`a login by ${about}`, () => {
    assert.equal(problems(document('RegistryAuthConfig', 'r', login)), isGood ? [] : ['credentials r']);
  });
}

const ENDPOINTS: readonly (readonly [readonly string[], boolean])[] = [
  [[], true],
  [['https://a'], true],
  [['http://a'], true],
  [['HTTPS://a'], true],
  [['ftp://a'], false],
  [['a.internal'], false],
  [['ahttps://x'], false],
  [['https://a', 'ftp://b'], false],
  [['ftp://b', 'https://a'], false],
];

for (const [urls, isGood] of ENDPOINTS) {
  validating(`a mirror with ${urls.join(' and ') || 'no endpoint'}`, () => {
    const text = document('RegistryMirrorConfig', 'r', { endpoints: urls.map((url) => ({ url })) });
    assert.equal(problems(text), isGood ? [] : ['url r']);
  });
}

validating('the CA of a document: one good certificate anywhere, or none at all', async () => {
  const { certificatePem } = await makeCa({ commonName: 'validate' });
  const bad = '-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n';
  const broken = '-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n';
  const of = (ca: string): readonly string[] => problems(document('RegistryTLSConfig', 'r', { ca }));
  for (const good of [
    '',
    certificatePem,
    `# comment\n${certificatePem}`,
    bad + certificatePem,
    broken + certificatePem,
    certificatePem + bad,
  ])
    assert.equal(of(good), []);
  for (const ca of ['x', bad, broken, bad + broken]) assert.equal(of(ca), ['not-a-certificate r']);
});

validating('a registry document without a name', () => {
  assert.equal(problems('{apiVersion: v1alpha1, kind: RegistryTLSConfig}'), ['no-name ']);
});

validating('entries without value, in either section, and in no other', () => {
  const machine = (registries: string): readonly string[] => problems(`machine: {registries: ${registries}}`);
  assert.equal(machine('{mirrors: {a: }}'), ['null-entry ']);
  assert.equal(machine('{config: {a: , b: {}}}'), ['null-entry ']);
  assert.equal(machine('{config: {a: {}}, mirrors: {b: {}}}'), []);
  assert.equal(machine('{config: , mirrors: }'), []);
  assert.equal(machine('{}'), []);
});

validating('all problems, in the order of the documents', () => {
  assert.equal(problems(hosts('x'), document('RegistryAuthConfig', 'r', { username: 'u', auth: 'x' })), [
    'not-an-address x',
    'credentials r',
  ]);
});

validating.run();
