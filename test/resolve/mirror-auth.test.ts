/** Credentials of mirrors, from a Secret of the stand-in API server. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveMirrorAuth } from '../../src/resolve/mirror-auth.ts';
import { resolveConfig } from '../../src/resolve/resolve-config.ts';
import type { RegistryMirror } from '../../src/spec/registry-mirror.ts';
import { base64, type EstateFolder, refusalBy, startEstateFolder } from './support.ts';

const auth = suite('credentials of mirrors');

const SECRET = { namespace: 'registry', name: 'mirror' };
const PASSWORD = 'c4n4ry-p4ssw0rd';

const MIRROR: RegistryMirror = {
  kind: 'RegistryMirror',
  registry: 'ghcr.io',
  endpoints: [
    { url: 'https://a.internal', scheme: 'https', hostKey: 'a.internal', path: 'append' },
    { url: 'https://a.internal/two', scheme: 'https', hostKey: 'a.internal', path: 'append' },
    { url: 'https://b.internal:5000', scheme: 'https', hostKey: 'b.internal:5000', path: 'append' },
  ],
  fallback: 'use',
  auth: SECRET,
  patchFormat: 'auto',
  mode: 'Hydrate',
};

let place: EstateFolder;
auth.before(async () => {
  place = await startEstateFolder();
});
auth.after(() => place.stop());

async function resolveFrom(data: Readonly<Record<string, string>> | undefined) {
  const body = { kind: 'Secret', metadata: SECRET, ...(data === undefined ? {} : { data }) };
  place.estate.infraCluster.api.put({ resource: 'secrets', ...SECRET, body });
  const options = { env: { TALOS_WORKLOAD_KUBECONFIG: place.infra }, timeoutMs: 5_000 };
  return resolveMirrorAuth(MIRROR, SECRET, options);
}

auth('basic-auth is for every host', async () => {
  const { credentials } = await resolveFrom({ username: base64('u'), password: base64(PASSWORD) });
  assert.equal(
    [...credentials],
    [
      ['a.internal', { username: 'u', password: PASSWORD }],
      ['b.internal:5000', { username: 'u', password: PASSWORD }],
    ],
  );
});

const docker = (auths: unknown): Readonly<Record<string, string>> => ({
  '.dockerconfigjson': base64(JSON.stringify({ auths })),
});

auth('dockerconfigjson has an entry for each host, and one way of each', async () => {
  const { credentials } = await resolveFrom(
    docker({
      'https://a.internal/v1/': { username: 'u', password: PASSWORD, auth: 'dTpw' },
      'b.internal:5000': { username: 'u', password: PASSWORD, identitytoken: 't' },
      'c.internal': { auth: 'eA==' },
    }),
  );
  assert.equal(
    [...credentials],
    [
      ['a.internal', { auth: 'dTpw' }],
      ['b.internal:5000', { identityToken: 't' }],
    ],
  );
});

const REFUSED: readonly (readonly [string, Readonly<Record<string, string>> | undefined, string])[] = [
  ['a Secret without data', undefined, 'SOURCE_KEY_MISSING'],
  ['a user without password', { username: base64('u') }, 'SOURCE_KEY_MISSING'],
  ['no entry for a host', docker({ 'a.internal': { auth: 'eA==' } }), 'SOURCE_KEY_MISSING'],
  ['an entry without credentials', docker({ 'a.internal': {}, 'b.internal:5000': {} }), 'SOURCE_KEY_MISSING'],
  ['auths that is a list', docker(['x']), 'SOURCE_KEY_MISSING'],
  ['no JSON', { '.dockerconfigjson': base64(`{"auths": ${PASSWORD}`) }, 'SOURCE_KEY_MISSING'],
  ['null', { '.dockerconfigjson': base64('null') }, 'SOURCE_KEY_MISSING'],
  ['no base64', { username: '*', password: base64(PASSWORD) }, 'SOURCE_BAD_BASE64'],
];

for (const [about, data, code] of REFUSED) {
  auth(`${about}: ${code}, and nothing of it is shown`, async () => {
    const found = await refusalBy(() => resolveFrom(data));
    assert.equal(
      found.map((one) => one.code),
      [code],
    );
    assert.is(found[0]?.at?.name, 'mirror');
    assert.not.match(JSON.stringify(found), new RegExp(PASSWORD));
  });
}

auth('without a workload cluster the config is refused: a new cluster has no Secret', async () => {
  for (const env of [{}, { TALOS_WORKLOAD_KUBECONFIG: '' }]) {
    const found = await refusalBy(() => resolveConfig(MIRROR, { env, timeoutMs: 5_000 }));
    assert.equal(
      found.map(({ code }) => code),
      ['MIRROR_AUTH_NEW_CLUSTER'],
    );
  }
});

auth('a flag names the cluster, and what is shown has no credentials', async () => {
  await resolveFrom({ username: base64('u'), password: base64(PASSWORD) });
  const { intent, redacted } = await resolveConfig(MIRROR, {
    env: {},
    workloadKubeconfig: place.infra,
    timeoutMs: 5_000,
  });
  assert.is(intent.values, 'known');
  const texts = (of: typeof intent): string => JSON.stringify(of.wanted.settings);
  assert.match(texts(intent), new RegExp(PASSWORD));
  assert.not.match(texts(redacted.intent), new RegExp(PASSWORD));
  assert.match(texts(redacted.intent), /"password":"shown-with--show"/);
});

auth('a mirror without credentials needs no cluster', async () => {
  const { auth: _, ...open } = MIRROR;
  const { intent, redacted } = await resolveConfig(open, { env: {}, timeoutMs: 5_000 });
  assert.is(intent.placeholder, undefined);
  assert.is(redacted.intent, intent);
});

auth.run();
