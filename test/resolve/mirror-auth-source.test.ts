/** Which cluster credentials of mirrors come from, and which of a Secret's texts are taken for which host. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resolveMirrorAuth } from '../../src/resolve/mirror-auth.ts';
import type { ResolveOptions } from '../../src/resolve/resolve-trust.ts';
import { parseRegistryMirror } from '../../src/spec/registry-mirror.ts';
import { base64, codesBy, type EstateFolder, refusalBy, startEstateFolder } from './support.ts';

const sources = suite('sources of credentials');

const SECRET = { namespace: 'registry', name: 'mirror' };
const PATH = 'GET /api/v1/namespaces/registry/secrets/mirror';
const PASSWORD = 'c4n4ry-p4ssw0rd';
const BASIC = { username: base64('u'), password: base64(PASSWORD) };

const MIRROR = parseRegistryMirror(
  { registry: 'ghcr.io', endpoints: [{ url: 'https://a.internal' }], authSecretRef: SECRET },
  { at: {}, pointer: '/spec', keys: 'nested' },
);

let place: EstateFolder;
sources.before(async () => {
  place = await startEstateFolder();
});
sources.after(() => place.stop());
sources.before.each(() => {
  place.estate.infraCluster.api.fault = 'none';
  put(BASIC);
});

function put(data: Readonly<Record<string, string>>): void {
  const body = { kind: 'Secret', metadata: SECRET, data };
  place.estate.infraCluster.api.put({ resource: 'secrets', ...SECRET, body });
}

const requests = (): number =>
  place.estate.caCluster.api.requests.length + place.estate.infraCluster.api.requests.length;

const resolveBy = (options: Omit<ResolveOptions, 'timeoutMs'>, timeoutMs = 5_000) =>
  resolveMirrorAuth(MIRROR, SECRET, { ...options, timeoutMs });

const resolveFrom = (data: Readonly<Record<string, string>>) => {
  put(data);
  return resolveBy({ env: {}, workloadKubeconfig: place.infra });
};

sources('one request, for the one Secret', async () => {
  const { api } = place.estate.infraCluster;
  const before = api.requests.length;
  await resolveBy({ env: { TALOS_WORKLOAD_KUBECONFIG: place.infra } });
  assert.equal(api.requests.slice(before), [PATH]);
});

sources('the flag wins over the variable; an empty flag is none', async () => {
  const nowhere = { TALOS_WORKLOAD_KUBECONFIG: '/nowhere' };
  await resolveBy({ env: nowhere, workloadKubeconfig: place.infra });
  await resolveBy({ env: { TALOS_WORKLOAD_KUBECONFIG: place.infra }, workloadKubeconfig: '' });
  assert.equal(await codesBy(() => resolveBy({ env: nowhere })), ['KUBECONFIG_NOT_FOUND']);
});

sources('no other cluster stands in: neither CA nor infra cluster, nor the one of a Pod', async () => {
  const folder = dirname(place.write('unused', ''));
  mkdirSync(join(folder, 'pod'));
  place.write('pod/token', 't');
  const env = {
    REGISTRY_CA_KUBECONFIG: place.ca,
    TALOS_INFRA_KUBECONFIG: place.infra,
    KUBECONFIG: place.infra,
    KUBERNETES_SERVICE_HOST: '127.0.0.2',
  };
  const others = { caKubeconfig: place.ca, infraKubeconfig: place.infra };
  const before = requests();
  const inPod = { env, ...others, serviceAccountFolder: join(folder, 'pod') };
  const [diagnostic, ...rest] = await refusalBy(() => resolveBy(inPod));
  assert.is(diagnostic?.code, 'MIRROR_AUTH_NEW_CLUSTER');
  assert.match(diagnostic?.hint ?? '', /--workload-kubeconfig.*TALOS_WORKLOAD_KUBECONFIG/);
  assert.equal(rest, []);
  assert.is(requests(), before);
});

for (const [context, code] of [
  ['wrong-ca', 'CLUSTER_TLS'],
  ['bad-token', 'CLUSTER_UNAUTHORIZED'],
  ['powerless', 'CLUSTER_FORBIDDEN'],
  ['refused', 'CLUSTER_REFUSED'],
  ['no-such', 'KUBECONFIG_CONTEXT'],
] as const) {
  sources(`context ${context} is ${code}, of the workload cluster`, async () => {
    const [diagnostic] = await refusalBy(() =>
      resolveBy({ env: {}, workloadKubeconfig: `${place.infra}#${context}` }),
    );
    assert.is(diagnostic?.code, code);
    assert.match(JSON.stringify(diagnostic), /workload cluster/);
  });
}

sources('a Secret that is not there is SOURCE_NOT_FOUND', async () => {
  const call = () =>
    resolveMirrorAuth(
      MIRROR,
      { ...SECRET, name: 'gone' },
      { env: {}, workloadKubeconfig: place.infra, timeoutMs: 5_000 },
    );
  assert.equal(await codesBy(call), ['SOURCE_NOT_FOUND']);
});

sources('a silent cluster is CLUSTER_TIMEOUT at the limit', async () => {
  place.estate.infraCluster.api.fault = 'silent';
  const options = { env: {}, workloadKubeconfig: place.infra };
  assert.equal(await codesBy(() => resolveBy(options, 200)), ['CLUSTER_TIMEOUT']);
});

const docker = (auths: unknown) => ({ '.dockerconfigjson': base64(JSON.stringify({ auths })) });

/** Keys of `auths`, from the one that is taken to the one that is taken last. */
const KEYS = [
  'a.internal',
  'https://a.internal',
  'https://a.internal/v1/',
  'http://a.internal/v2',
  'a.internal/',
];

for (const key of KEYS) {
  sources(`an entry for ${key} is the host's`, async () => {
    const { credentials } = await resolveFrom(
      docker({ 'a.internal.example': { auth: 'eDp4' }, [key]: { auth: 'dTpw' } }),
    );
    assert.equal([...credentials], [['a.internal', { auth: 'dTpw' }]]);
  });
}

sources('the host itself wins over an URL of it, wherever it stands', async () => {
  const { credentials } = await resolveFrom(
    docker({ 'https://a.internal/v1/': { auth: 'eDp4' }, 'a.internal': { auth: 'dTpw' } }),
  );
  assert.equal([...credentials], [['a.internal', { auth: 'dTpw' }]]);
});

sources('username and password of an entry without auth', async () => {
  const { credentials } = await resolveFrom(docker({ 'a.internal': { username: 'u', password: PASSWORD } }));
  assert.equal([...credentials], [['a.internal', { username: 'u', password: PASSWORD }]]);
});

const REFUSED: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
  ['an empty password', { ...BASIC, password: '' }, 'SOURCE_KEY_MISSING'],
  ['an empty user', { ...BASIC, username: '' }, 'SOURCE_KEY_MISSING'],
  ['a password that is no UTF-8', { ...BASIC, password: '//8=' }, 'SOURCE_BAD_BASE64'],
  ['an entry of a repository only', docker({ 'a.internal/project': { auth: 'dTpw' } }), 'SOURCE_KEY_MISSING'],
  ['an entry of another port', docker({ 'a.internal:5000': { auth: 'dTpw' } }), 'SOURCE_KEY_MISSING'],
  ['an entry that is a text', docker({ 'a.internal': PASSWORD }), 'SOURCE_KEY_MISSING'],
  ['an entry that is null', docker({ 'a.internal': null }), 'SOURCE_KEY_MISSING'],
  ['auths that is a text', docker(PASSWORD), 'SOURCE_KEY_MISSING'],
  ['an auth that is not base64', docker({ 'a.internal': { auth: PASSWORD } }), 'SOURCE_BAD_BASE64'],
  ['JSON that is a text', { '.dockerconfigjson': base64(JSON.stringify(PASSWORD)) }, 'SOURCE_KEY_MISSING'],
];

for (const [about, data, code] of REFUSED) {
  sources(`${about}: ${code}, and nothing of it is shown`, async () => {
    const found = await refusalBy(() => resolveFrom(data));
    assert.equal(
      found.map((one) => one.code),
      [code],
    );
    assert.not.match(JSON.stringify(found), new RegExp(`${PASSWORD}|${base64(PASSWORD)}`));
    for (const canary of place.estate.canaries) assert.not.match(JSON.stringify(found), canary);
  });
}

sources.run();
