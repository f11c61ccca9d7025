import { execFile } from 'node:child_process';
import { createPublicKey } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Estate, type EstateCluster, REGISTRY_ADDRESS, REGISTRY_HOST, startEstate } from './estate.ts';
import { errorCodeOf, httpsGet } from './https-get.ts';

const estates = suite('estate');

const SECRET = '/api/v1/namespaces/cert-manager/secrets/ok-shared-internal-ca';
const BUNDLE = '/api/v1/namespaces/cert-manager/configmaps/ok-shared-internal-ca-bundle';
const SERVICE = '/api/v1/namespaces/ok-shared/services/ok-shared-ingress';

let estate: Estate;
estates.before(async () => {
  estate = await startEstate();
});
estates.after(() => estate.stop());

interface Kubeconfig {
  readonly 'current-context': string;
  readonly contexts: readonly {
    readonly name: string;
    readonly context: { readonly cluster: string; readonly user: string };
  }[];
  readonly clusters: readonly {
    readonly name: string;
    readonly cluster: { readonly server: string; readonly 'certificate-authority-data': string };
  }[];
  readonly users: readonly { readonly name: string; readonly user: { readonly token: string } }[];
}

/** Asks a cluster as a context of its kubeconfig says, the current one unless named. */
function ask({ kubeconfig }: EstateCluster, path: string, contextName?: string) {
  const config = JSON.parse(kubeconfig) as Kubeconfig;
  const wanted = contextName ?? config['current-context'];
  const context = config.contexts.find(({ name }) => name === wanted)?.context;
  const cluster = config.clusters.find(({ name }) => name === context?.cluster)?.cluster;
  const user = config.users.find(({ name }) => name === context?.user)?.user;
  return httpsGet(`${cluster?.server}${path}`, {
    ca: Buffer.from(cluster?.['certificate-authority-data'] ?? '', 'base64'),
    headers: { authorization: `Bearer ${user?.token}` },
  });
}

estates('the CA cluster has the CA as Secret, its key beside it, and as ConfigMap', async () => {
  const { data } = JSON.parse((await ask(estate.caCluster, SECRET)).body);
  const text = (key: string): string => Buffer.from(data[key], 'base64').toString();
  assert.equal(Object.keys(data), ['ca.crt', 'tls.crt', 'tls.key']);
  assert.is(text('ca.crt'), estate.registryCa.certificatePem);
  assert.is(text('tls.crt'), text('ca.crt'));
  assert.ok(createPublicKey(text('tls.key')).equals(createPublicKey(text('ca.crt'))));
  const bundle = JSON.parse((await ask(estate.caCluster, BUNDLE)).body);
  assert.equal(bundle.data, { 'ca.crt': text('ca.crt') });
});

estates('the infra cluster has the Service with its address', async () => {
  const { spec, status } = JSON.parse((await ask(estate.infraCluster, SERVICE)).body);
  assert.is(spec.type, 'LoadBalancer');
  assert.equal(status.loadBalancer.ingress, [{ ip: REGISTRY_ADDRESS, ipMode: 'VIP' }]);
});

estates('the clusters share neither objects nor addresses nor credentials', async () => {
  const { caCluster, infraCluster } = estate;
  assert.is((await ask(infraCluster, SECRET)).status, 404);
  assert.is((await ask(caCluster, SERVICE)).status, 404);
  assert.match(caCluster.api.url, /^https:\/\/127\.0\.0\.1:\d+$/);
  assert.match(infraCluster.api.url, /^https:\/\/127\.0\.0\.2:\d+$/);
  const config = JSON.parse(caCluster.kubeconfig) as Kubeconfig;
  const ca = Buffer.from(config.clusters[0]?.cluster['certificate-authority-data'] ?? '', 'base64');
  const headers = { authorization: `Bearer ${infraCluster.token}` };
  assert.is((await httpsGet(caCluster.api.url + SECRET, { ca, headers })).status, 401);
  assert.is(
    await errorCodeOf(httpsGet(infraCluster.api.url + SERVICE, { ca, headers })),
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  );
});

const CONTEXTS: readonly (readonly [string, number | string])[] = [
  ['good', 200],
  ['bad-token', 401],
  ['powerless', 403],
  ['wrong-ca', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ['refused', 'ECONNREFUSED'],
];

for (const [context, expected] of CONTEXTS) {
  estates(`the context ${context} gets ${expected} of both clusters`, async () => {
    for (const [cluster, path] of [
      [estate.caCluster, SECRET],
      [estate.infraCluster, SERVICE],
    ] as const) {
      const asked = ask(cluster, path, context);
      assert.is(typeof expected === 'number' ? (await asked).status : await errorCodeOf(asked), expected);
    }
  });
}

estates('kubeconfigs are written for their owner only', () => {
  const folder = mkdtempSync(join(tmpdir(), 'estate-'));
  try {
    const { ca, infra } = estate.writeKubeconfigs(folder);
    assert.is(readFileSync(ca, 'utf8'), estate.caCluster.kubeconfig);
    assert.is(readFileSync(infra, 'utf8'), estate.infraCluster.kubeconfig);
    for (const path of [ca, infra]) assert.is(statSync(path).mode & 0o777, 0o600);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

estates('the registry verifies with the CA of the Secret', async () => {
  const asked = { ca: estate.registryCa.certificatePem, servername: REGISTRY_HOST };
  assert.is((await httpsGet(`${estate.registry.url}/v2/`, asked)).status, 200);
});

estates('the canaries are the tokens and every full line of the private key', () => {
  const { canaries, caCluster, infraCluster, registryCa } = estate;
  assert.ok(canaries.includes(caCluster.token) && canaries.includes(infraCluster.token));
  const inKey = canaries.filter((canary) => registryCa.privateKeyPem.includes(canary));
  assert.is(inKey.length, canaries.length - 2);
  assert.ok(inKey.length > 0);
});

estates('has another host and address when told, in its certificate and its Service', async () => {
  const other = await startEstate({ host: 'r.internal', address: '10.9.8.7' });
  try {
    const { status } = JSON.parse((await ask(other.infraCluster, SERVICE)).body);
    assert.is(status.loadBalancer.ingress[0].ip, '10.9.8.7');
    const asked = { ca: other.registryCa.certificatePem, servername: 'r.internal' };
    assert.is((await httpsGet(`${other.registry.url}/v2/`, asked)).status, 200);
  } finally {
    await other.stop();
  }
});

estates('a process that leaves it running ends by itself', async () => {
  const module = JSON.stringify(join(import.meta.dirname, 'estate.ts'));
  const script = `const { startEstate } = await import(${module}); await startEstate(); console.log('up');`;
  const outcome = await new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--input-type=module', '--eval', script],
      { timeout: 10_000 },
      (failure, stdout) => resolve({ signal: failure?.signal ?? 'none', stdout }),
    );
  });
  assert.equal(outcome, { signal: 'none', stdout: 'up\n' });
});

estates('stopped, nothing of it answers any more', async () => {
  const stopped = await startEstate();
  await stopped.stop();
  for (const url of [stopped.caCluster.api.url, stopped.infraCluster.api.url, stopped.registry.url]) {
    assert.is(await errorCodeOf(httpsGet(url, {})), 'ECONNREFUSED');
  }
});

estates.run();
