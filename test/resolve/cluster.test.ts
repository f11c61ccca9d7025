import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Cluster, openCluster } from '../../src/resolve/cluster.ts';
import { readObject } from '../../src/resolve/read-object.ts';
import { codesBy, type EstateFolder, kubeconfigOf, refusalBy, startEstateFolder, TRUST } from './support.ts';

const cluster = suite('cluster');

const { kind, namespace, name } = TRUST.ca;
const never = new AbortController().signal;

const V1 = { apiVersion: 'client.authentication.k8s.io/v1' };
const CREDENTIAL = { ...V1, kind: 'ExecCredential' };

let place: EstateFolder;
cluster.before(async () => {
  place = await startEstateFolder();
});
cluster.after(() => place.stop());

function open(
  kubeconfig: string,
  options: { readonly env?: Record<string, string>; readonly signal?: AbortSignal } = {},
) {
  const { env = {}, signal = never } = options;
  return openCluster({ role: 'ca', kubeconfig }, { env }, signal);
}

function read(opened: Cluster, requestMs = 5_000) {
  return readObject(opened, { kind, namespace, name }, { requestMs, signal: never });
}

/** A kubeconfig for the CA cluster with another user. */
function withUser(user: object, changes: object = {}): string {
  const [{ cluster: good }] = JSON.parse(place.estate.caCluster.kubeconfig).clusters;
  return place.write('with-user', kubeconfigOf({ ...good, ...changes }, user));
}

cluster('names its server without credentials', async () => {
  const opened = await open(place.ca);
  assert.is(`https://${opened.server}`, place.estate.caCluster.api.url);
  assert.equal(opened.at, { file: place.ca });
  assert.equal(opened.diagnostics, []);
});

cluster('a token file is read, relative to the kubeconfig', async () => {
  place.write('token', `${place.estate.caCluster.token}\n`);
  assert.is((await read(await open(withUser({ tokenFile: 'token' })))).metadata?.name, name);
});

cluster('in a Pod, the service account is used', async () => {
  const [{ cluster: good }] = JSON.parse(place.estate.caCluster.kubeconfig).clusters;
  const tokenPath = place.write('token', place.estate.caCluster.token);
  place.write('ca.crt', Buffer.from(good['certificate-authority-data'], 'base64').toString());
  const { hostname, port } = new URL(good.server);
  const env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
  const opened = await openCluster(
    { role: 'ca' },
    { env, serviceAccountFolder: tokenPath.replace(/\/token$/, '') },
    never,
  );
  assert.is((await read(opened)).metadata?.name, name);
});

cluster('a credential plug-in is run', async () => {
  const credential = { ...CREDENTIAL, status: { token: place.estate.caCluster.token } };
  const script = `console.log(${JSON.stringify(JSON.stringify(credential))})`;
  const opened = await open(withUser({ exec: { ...V1, command: process.execPath, args: ['-e', script] } }));
  assert.is((await read(opened)).metadata?.name, name);
});

cluster('a credential plug-in finds no stdin to ask on', async () => {
  const script = `process.stdin.on('end', () => process.exit(1)).resume()`;
  const opened = await open(withUser({ exec: { ...V1, command: process.execPath, args: ['-e', script] } }));
  assert.equal(await codesBy(() => read(opened)), ['KUBECONFIG_INVALID']);
});

const BROKEN: readonly (readonly [string, object])[] = [
  ['plug-in that is not there', { exec: { ...V1, command: 'no-such-plug-in' } }],
  [
    'plug-in that fails',
    { exec: { ...V1, command: process.execPath, args: ['-e', 'console.error("canary"); process.exit(1)'] } },
  ],
  [
    'plug-in that prints something else',
    { exec: { ...V1, command: process.execPath, args: ['-e', 'console.log("canary")'] } },
  ],
  [
    'plug-in without a status',
    { exec: { ...V1, command: process.execPath, args: ['-e', 'console.log("{}")'] } },
  ],
  ['plug-in without command', { exec: V1 }],
  ['token file that is not there', { tokenFile: 'no-such-file' }],
  ['certificate that is none', { 'client-certificate-data': 'Y2FuYXJ5', 'client-key-data': 'Y2FuYXJ5' }],
];

for (const [title, user] of BROKEN) {
  cluster(`refused: ${title}`, async () => {
    const opened = await open(withUser(user));
    const before = place.estate.caCluster.api.requests.length;
    const diagnostics = await refusalBy(() => read(opened));
    assert.equal(
      diagnostics.map(({ code }) => code),
      ['KUBECONFIG_INVALID'],
    );
    assert.not.match(JSON.stringify(diagnostics), 'canary');
    assert.is(place.estate.caCluster.api.requests.length, before);
  });
}

cluster('a plug-in that hangs is left at the limit and killed with the signal', async () => {
  const run = new AbortController();
  const marker = place.write('alive', '');
  const script = `setInterval(() => require('fs').appendFileSync(${JSON.stringify(marker)}, '.'), 20)`;
  const opened = await open(withUser({ exec: { ...V1, command: process.execPath, args: ['-e', script] } }), {
    signal: run.signal,
  });
  assert.equal(await codesBy(() => read(opened, 400)), ['CLUSTER_TIMEOUT']);
  const { statSync } = await import('node:fs');
  const running = statSync(marker).size;
  run.abort();
  await sleep(100);
  const killed = statSync(marker).size;
  await sleep(150);
  assert.ok(running > 0, 'the plug-in ran');
  assert.is(statSync(marker).size, killed);
});

for (const [title, changes, env] of [
  ['by the kubeconfig', { 'insecure-skip-tls-verify': true }, {}],
  ['by the environment', {}, { NODE_TLS_REJECT_UNAUTHORIZED: '0' }],
] as const) {
  cluster(`verification that is off ${title} is warned of`, async () => {
    const opened = await open(withUser({ token: 't' }, changes), { env });
    assert.equal(
      opened.diagnostics.map(({ code, severity }) => [code, severity]),
      [['KUBECONFIG_INSECURE', 'warning']],
    );
  });
}

cluster.run();
