import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveCa } from '../../src/resolve/ca-source.ts';
import { openCluster } from '../../src/resolve/cluster.ts';
import type { RegistryTrust } from '../../src/spec/registry-trust.ts';
import { base64, type EstateFolder, refusalBy, startEstateFolder } from './support.ts';

const source = suite('CA source');

const never = new AbortController().signal;

let place: EstateFolder;
source.before(async () => {
  place = await startEstateFolder();
});
source.after(() => place.stop());

type Fields = {
  readonly data?: Readonly<Record<string, string>>;
  readonly binaryData?: Readonly<Record<string, string>>;
};

/** Resolves the CA from an object with these fields. */
async function resolveFrom(kind: 'Secret' | 'ConfigMap', fields: Fields, key = 'ca.crt') {
  const ca: RegistryTrust['ca'] = { kind, namespace: 'cert-manager', name: 'given', key };
  const { namespace, name } = ca;
  const resource = kind === 'Secret' ? 'secrets' : 'configmaps';
  place.estate.caCluster.api.put({
    resource,
    namespace,
    name,
    body: { kind, metadata: { namespace, name }, ...fields },
  });
  const cluster = await openCluster({ role: 'ca', kubeconfig: place.ca }, { env: {} }, never);
  return resolveCa({ ca, cluster, limits: { requestMs: 5_000, signal: never }, now: new Date() });
}

const PLACES: readonly (readonly [string, 'Secret' | 'ConfigMap', (pem: string) => Fields])[] = [
  ['data of a Secret', 'Secret', (pem) => ({ data: { 'ca.crt': base64(pem), 'tls.key': 'canary' } })],
  ['data of a ConfigMap', 'ConfigMap', (pem) => ({ data: { 'ca.crt': pem } })],
  ['binaryData of a ConfigMap', 'ConfigMap', (pem) => ({ data: {}, binaryData: { 'ca.crt': base64(pem) } })],
];

for (const [title, kind, fieldsFor] of PLACES) {
  source(`from ${title}`, async () => {
    const { certificatePem } = place.estate.registryCa;
    const { bundle, diagnostics } = await resolveFrom(kind, fieldsFor(certificatePem));
    assert.is(bundle.pem.reveal(), certificatePem);
    assert.equal(diagnostics, []);
  });
}

source('what is said of the CA has its place', async () => {
  const { certificatePem } = place.estate.registryCa;
  const { diagnostics } = await resolveFrom(
    'ConfigMap',
    { data: { 'a~b': `# a comment\n${certificatePem}` } },
    'a~b',
  );
  assert.equal(
    diagnostics.map(({ code, at }) => [code, at?.kind, at?.name, at?.pointer]),
    [['CA_TEXT_IGNORED', 'ConfigMap', 'given', '/data/a~0b']],
  );
});

const REFUSED: readonly (readonly [string, 'Secret' | 'ConfigMap', Fields, string, string | undefined])[] = [
  ['no key', 'Secret', { data: { 'tls.crt': 'eA==' } }, 'SOURCE_KEY_MISSING', undefined],
  ['no data', 'Secret', {}, 'SOURCE_KEY_MISSING', undefined],
  ['no data in a ConfigMap', 'ConfigMap', {}, 'SOURCE_KEY_MISSING', undefined],
  ['base64 without padding', 'Secret', { data: { 'ca.crt': 'YWI' } }, 'SOURCE_BAD_BASE64', '/data/ca.crt'],
  [
    'base64 of the URL alphabet',
    'Secret',
    { data: { 'ca.crt': '-_-_' } },
    'SOURCE_BAD_BASE64',
    '/data/ca.crt',
  ],
  [
    'base64 in two lines',
    'Secret',
    { data: { 'ca.crt': 'YWJj\nYWJj' } },
    'SOURCE_BAD_BASE64',
    '/data/ca.crt',
  ],
  [
    'base64 with bits to spare',
    'Secret',
    { data: { 'ca.crt': 'YWJ=' } },
    'SOURCE_BAD_BASE64',
    '/data/ca.crt',
  ],
  [
    'base64 in binaryData',
    'ConfigMap',
    { binaryData: { 'ca.crt': '*' } },
    'SOURCE_BAD_BASE64',
    '/binaryData/ca.crt',
  ],
  ['not UTF-8', 'Secret', { data: { 'ca.crt': '//8=' } }, 'CA_INVALID', '/data/ca.crt'],
  ['empty', 'Secret', { data: { 'ca.crt': '' } }, 'CA_EMPTY', '/data/ca.crt'],
  ['empty in a ConfigMap', 'ConfigMap', { data: { 'ca.crt': '' } }, 'CA_EMPTY', '/data/ca.crt'],
];

for (const [title, kind, fields, code, pointer] of REFUSED) {
  source(`refused: ${title}`, async () => {
    const diagnostics = await refusalBy(() => resolveFrom(kind, fields));
    assert.equal(
      diagnostics.map((diagnostic) => diagnostic.code),
      [code],
    );
    assert.is(diagnostics[0]?.at?.name, 'given');
    assert.is(diagnostics[0]?.at?.pointer, pointer);
  });
}

source('the key of a private key is refused, and not shown', async () => {
  const { privateKeyPem } = place.estate.registryCa;
  const diagnostics = await refusalBy(() =>
    resolveFrom('Secret', { data: { 'ca.crt': base64(privateKeyPem) } }),
  );
  assert.equal(
    diagnostics.map(({ code }) => code),
    ['CA_PRIVATE_KEY'],
  );
  for (const canary of place.estate.canaries) assert.not.match(JSON.stringify(diagnostics), canary);
});

source('a missing key: the names of the others, of keys only', async () => {
  const fields = {
    data: { 'tls.crt': 'canary', 'odd name\n': 'canary' },
    binaryData: { 'ca.der': 'canary' },
  };
  const [diagnostic] = await refusalBy(() => resolveFrom('ConfigMap', fields));
  assert.match(diagnostic?.hint ?? '', 'ca.der, tls.crt:');
  assert.not.match(JSON.stringify(diagnostic), /canary|odd/);
});

for (const key of ['__proto__', 'constructor', 'toString']) {
  source(`${key} is no key that is always there`, async () => {
    const diagnostics = await refusalBy(() => resolveFrom('Secret', { data: {} }, key));
    assert.equal(
      diagnostics.map(({ code }) => code),
      ['SOURCE_KEY_MISSING'],
    );
  });
}

source.run();
