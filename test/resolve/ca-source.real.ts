/**
 * The CA on a real API server: in Secrets and ConfigMaps, under keys of every name, and while somebody rotates it.
 * `PRINT_TABLE=1` prints how each run ended.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resolve } from '../../src/resolve/resolve.ts';
import type { RegistryTrust } from '../../src/spec/registry-trust.ts';
import { type Certificate, makeCa } from '../estate/certificates.ts';
import { type RealPlace, startRealPlace } from './real-place.ts';
import { base64, codesBy, TRUST } from './support.ts';

const source = suite('the CA on a real API server');

let place: RealPlace;
let admin: string;
/** PEM of what the example Secret has, and of the one that comes after it. */
let old: string;
let next: string;
let nextCa: Certificate;

source.before(async () => {
  place = await startRealPlace();
  admin = place.cluster.kubeconfigPath('admin');
  nextCa = await makeCa({ commonName: 'ok-shared internal CA' });
  [old, next] = [place.registryCa.certificatePem, nextCa.certificatePem];
});
source.after(() => place?.stop());

type Kind = 'Secret' | 'ConfigMap';
type Fields = Readonly<Record<string, unknown>>;

const NAME = 'given';

/** Replaces the object as a whole, as a controller does that owns it. */
async function put(kind: Kind, fields: Fields): Promise<void> {
  const metadata = { namespace: 'cert-manager', name: NAME };
  await place.cluster.kubectl('delete', kind, NAME, '-n', 'cert-manager', '--ignore-not-found');
  await place.cluster.apply(JSON.stringify({ apiVersion: 'v1', kind, metadata, ...fields }));
}

/** The example config with this source. */
function sourceOf(kind: Kind, key: string): (text: string) => string {
  return (text) =>
    text
      .replace('caSecret:', kind === 'Secret' ? 'caSecret:' : 'caConfigMap:')
      .replace('name: ok-shared-internal-ca', `name: ${NAME}`)
      .replace('key: ca.crt', `key: ${key}`);
}

type Found = readonly [
  title: string,
  kind: Kind,
  key: string,
  fields: () => Fields,
  codes: string,
  pem: () => string,
];

const secret = (pem: () => string, key: string) => () => ({
  data: { [key]: base64(pem()), 'tls.key': base64(nextCa.privateKeyPem) },
});

const FOUND: readonly Found[] = [
  ['a Secret', 'Secret', 'ca.crt', secret(() => old, 'ca.crt'), 'HYDRATED', () => old],
  [
    'a key with several dots',
    'Secret',
    'tls.ca.bundle',
    secret(() => old, 'tls.ca.bundle'),
    'HYDRATED',
    () => old,
  ],
  [
    'stringData, which the server encodes',
    'Secret',
    'ca_bundle-2.pem',
    () => ({ stringData: { 'ca_bundle-2.pem': old } }),
    'HYDRATED',
    () => old,
  ],
  [
    'old and new in a Secret',
    'Secret',
    'ca.crt',
    secret(() => old + next, 'ca.crt'),
    'CA_BUNDLE HYDRATED',
    () => old + next,
  ],
  [
    'a ConfigMap as trust-manager makes it',
    'ConfigMap',
    'trust-bundle.pem',
    () => ({ data: { 'trust-bundle.pem': next + old } }),
    'CA_BUNDLE HYDRATED',
    () => next + old,
  ],
  [
    'a ConfigMap that is immutable, with other keys',
    'ConfigMap',
    'ca.crt',
    () => ({ data: { 'ca.crt': old, 'ca.p12': 'x' }, binaryData: { 'ca.jks': 'eA==' }, immutable: true }),
    'HYDRATED',
    () => old,
  ],
  [
    'binaryData of a ConfigMap',
    'ConfigMap',
    '.ca.crt',
    () => ({ binaryData: { '.ca.crt': base64(old) } }),
    'HYDRATED',
    () => old,
  ],
];

for (const [title, kind, key, fields, codes, pem] of FOUND) {
  source(`found: ${title}`, async () => {
    await put(kind, fields());
    const ending = await place.render({ title, config: sourceOf(kind, key) });
    assert.is(ending.codes, codes, ending.stderr);
    assert.is(ending.ca, pem());
  });
}

type Refused = readonly [
  title: string,
  kind: Kind,
  key: string,
  fields: () => Fields,
  code: string,
  says: RegExp,
];

const REFUSED: readonly Refused[] = [
  [
    'a key that only begins like it',
    'Secret',
    'ca',
    secret(() => old, 'ca.crt'),
    'SOURCE_KEY_MISSING',
    /Secret cert-manager\/given has no key ca\.\n.*It has ca\.crt, tls\.key: set one of them/,
  ],
  [
    'a key of a ConfigMap with data of both kinds',
    'ConfigMap',
    'tls.ca.bundle',
    () => ({ data: { 'ca.crt': old }, binaryData: { 'ca.jks': 'eA==' } }),
    'SOURCE_KEY_MISSING',
    /has no key tls\.ca\.bundle\.\n.*It has ca\.crt, ca\.jks:/,
  ],
  ['a Secret with nothing in it', 'Secret', 'ca.crt', () => ({}), 'SOURCE_KEY_MISSING', /no keys at all/],
  [
    'a key with nothing in it',
    'Secret',
    'ca.crt',
    () => ({ data: { 'ca.crt': '' } }),
    'CA_EMPTY',
    /Secret\/given \/data\/ca\.crt/,
  ],
  [
    'the private key',
    'Secret',
    'tls.key',
    secret(() => old, 'ca.crt'),
    'CA_PRIVATE_KEY',
    /Secret\/given \/data\/tls\.key/,
  ],
  [
    'DER in place of PEM',
    'ConfigMap',
    'ca.der',
    () => ({ binaryData: { 'ca.der': old.replace(/-----[^-]+-----|\n/g, '') } }),
    'CA_INVALID',
    /not text \(UTF-8\)\.\n.*openssl x509 -inform der/,
  ],
];

for (const [title, kind, key, fields, code, says] of REFUSED) {
  source(`refused: ${title}`, async () => {
    await put(kind, fields());
    const ending = await place.render({ title, config: sourceOf(kind, key) });
    assert.is(ending.codes, code, ending.stderr);
    assert.match(ending.stderr, says);
  });
}

source('refused: a ConfigMap where a Secret of that name is', async () => {
  await place.cluster.kubectl('delete', 'configmap', NAME, '-n', 'cert-manager', '--ignore-not-found');
  const ending = await place.render({ title: 'no such ConfigMap', config: sourceOf('ConfigMap', 'ca.crt') });
  assert.is(ending.codes, 'SOURCE_NOT_FOUND', ending.stderr);
  assert.match(ending.stderr, /has no ConfigMap cert-manager\/given\./);
});

source('a rotation, run by run: old, both, new', async () => {
  for (const [pem, codes] of [
    [old, 'HYDRATED'],
    [old + next, 'CA_BUNDLE HYDRATED'],
    [next, 'HYDRATED'],
  ] as const) {
    await patch(pem);
    const ending = await place.render({ title: 'rotation', config: sourceOf('Secret', 'ca.crt') });
    assert.equal([ending.codes, ending.ca], [codes, pem]);
  }
});

source('a rotation under many reads: each has one of the versions, whole', async () => {
  const versions = [old, old + next, next];
  const state = { isOver: false };
  const writer = (async () => {
    for (let i = 0; !state.isOver; i += 1) await patch(versions[i % versions.length] ?? old);
  })();
  const seen = new Set<string>();
  try {
    // Until each was seen: that a read meets a rotation is certain then.
    while (seen.size < versions.length) {
      const { ca } = await read();
      seen.add(ca.pem.reveal());
      assert.ok(versions.includes(ca.pem.reveal()));
    }
  } finally {
    state.isOver = true;
    await writer;
  }
});

source('a Secret that its issuer has emptied: what comes next is waited for', async () => {
  await patch('');
  const before = place.cluster.auditLog().length;
  const reading = Promise.allSettled([read()]);
  while (
    place.cluster
      .auditLog()
      .slice(before)
      .every(({ verb, code }) => verb !== 'get' || code !== 200)
  )
    await sleep(20);
  await patch(next);
  const [result] = await reading;
  assert.is(result.status === 'fulfilled' ? result.value.ca.pem.reveal() : result.reason, next);
});

source('a Secret that stays empty is refused in the end', async () => {
  await patch('');
  assert.equal(await codesBy(read), ['CA_EMPTY']);
});

source.run();

/** Changes the one key, as cert-manager does. */
async function patch(pem: string): Promise<void> {
  const data = JSON.stringify({ data: { 'ca.crt': base64(pem) } });
  const { code, stderr } = await place.cluster.kubectl(
    ...['patch', 'secret', NAME, '-n', 'cert-manager', '--type=merge', '-p', data],
  );
  assert.is(code, 0, stderr);
}

/** In this process, with pauses between the reads that are long enough for a rotation on a busy machine. */
function read() {
  const ca: RegistryTrust['ca'] = { kind: 'Secret', namespace: 'cert-manager', name: NAME, key: 'ca.crt' };
  return resolve({
    trust: { ...TRUST, ca },
    env: { REGISTRY_CA_KUBECONFIG: admin, REGISTRY_ADDRESS: '10.0.0.1' },
    timeoutMs: 60_000,
    now: new Date(),
    retry: { pausesMs: [3_000, 3_000] },
  });
}
