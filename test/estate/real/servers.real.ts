/** The real servers of the tests are what they claim to be: strict, separate, watched, and gone afterwards. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT, runCommand } from '../../support/command.ts';
import { errorCodeOf, httpsGet } from '../https-get.ts';
import { realTool } from '../tools/build.ts';
import { type AuditEvent, summary } from './audit-log.ts';
import { type RealEstate, startRealEstate } from './estate.ts';
import type { ClusterUser, Credentials, RealCluster } from './kube-apiserver.ts';
import { runKubectl } from './kubectl.ts';
import { startServerProcess } from './server-process.ts';

const servers = suite('real servers');

const SECRET = '/api/v1/namespaces/cert-manager/secrets/ok-shared-internal-ca';

let estate: RealEstate;
let folder: string;

servers.before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'registry-trust-real-'));
  estate = await startRealEstate({ auth: { user: 'puller', password: `canary-${crypto.randomUUID()}` } });
});

servers.after(async () => {
  await estate?.stop();
  rmSync(folder, { recursive: true, force: true });
});

servers('both API servers are healthy and of the version that was built', async () => {
  for (const cluster of [estate.caCluster, estate.infraCluster]) {
    const version = await cluster.kubectl('version', '-o', 'json');
    assert.match(version.stdout, /"gitVersion": "v1\.36\.3"/);
    assert.is((await cluster.kubectl('get', '--raw', '/readyz')).stdout, 'ok');
  }
});

servers('each user may what they are for, by client certificate and by token', async () => {
  const { caCluster } = estate;
  assert.is(await statusOf(caCluster, 'admin-token', SECRET), 200);
  assert.is(await statusOf(caCluster, 'powerless', SECRET), 403);
  assert.is(await statusOf(caCluster, { token: 'no-such-token' }, SECRET), 401);
  assert.is(await statusOf(caCluster, await caCluster.clientCertificate('valid'), SECRET), 200);
  const whoami = await runKubectl(caCluster.kubeconfigPath('admin'), ['auth', 'whoami', '-o', 'json']);
  assert.equal(JSON.parse(whoami.stdout).status.userInfo.groups, ['system:masters', 'system:authenticated']);
});

servers('nobody is let in without credentials, or with an expired or a foreign certificate', async () => {
  const { caCluster } = estate;
  const anonymous = await httpsGet(caCluster.url + SECRET, { ca: caCluster.servingCaPem });
  assert.is(anonymous.status, 401);
  for (const state of ['expired', 'foreign'] as const)
    assert.is(await statusOf(caCluster, await caCluster.clientCertificate(state), SECRET), 401, state);
});

servers('the clusters share nothing: not the CA, not a token, not a service account', async () => {
  const { caCluster, infraCluster } = estate;
  assert.is(
    await errorCodeOf(httpsGet(infraCluster.url, { ca: caCluster.servingCaPem })),
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  );
  const token = await serviceAccountToken(caCluster);
  assert.is(await statusOf(caCluster, { token }, SECRET), 403);
  for (const stranger of [{ token }, await caCluster.clientCertificate('valid')])
    assert.is(await statusOf(infraCluster, stranger, '/api'), 401);
});

servers('the audit log has each request once, with who asked and how it ended', async () => {
  const { caCluster } = estate;
  const before = caCluster.auditLog().length;
  await statusOf(caCluster, 'powerless', SECRET);
  await statusOf(caCluster, 'admin-token', `${SECRET.replace(/[^/]+$/, '')}?limit=1`);
  const asked = caCluster.auditLog().slice(before);
  assert.equal(asked.map(summary), [
    'get secrets cert-manager/ok-shared-internal-ca 403',
    'list secrets cert-manager 200',
  ]);
  assert.equal(
    asked.map(({ user }) => user),
    ['powerless', 'admin-token'],
  );
});

servers('render on the real estate reads one Secret and one Service, and nothing else', async () => {
  const { caCluster, infraCluster, dns } = estate;
  const kubeconfigs = estate.writeKubeconfigs(folder);
  const before = [caCluster.auditLog().length, infraCluster.auditLog().length] as const;
  const rendered = await runCommand(
    ['render', '--cluster', 'examples/ok-consumer', '--dns-server', dns.address],
    { env: { REGISTRY_CA_KUBECONFIG: kubeconfigs.ca, TALOS_INFRA_KUBECONFIG: kubeconfigs.infra } },
  );
  assert.is(rendered.code, 0, rendered.stderr);
  assert.match(rendered.stderr, /^info HYDRATED: registry\.ok-shared\.internal is 10\.20\.0\.15 \(service\)/);
  const written = [...rendered.stdout.matchAll(/ca: (LS0t\S+)/g)].map(([, ca]) =>
    Buffer.from(ca ?? '', 'base64').toString(),
  );
  assert.equal(written, Array(3).fill(estate.registryCa.certificatePem));
  assert.equal(since(caCluster, before[0]).map(summary), [
    'get secrets cert-manager/ok-shared-internal-ca 200',
  ]);
  assert.equal(since(infraCluster, before[1]).map(summary), ['get services ok-shared/ok-shared-ingress 200']);
  for (const canary of estate.canaries)
    assert.not(`${rendered.stdout}${rendered.stderr}`.includes(canary), 'a secret was shown');
});

servers('no canary comes to a log of a server', () => {
  const { caCluster, infraCluster, registry } = estate;
  for (const { logFile } of [caCluster, infraCluster, registry]) {
    const log = readFileSync(logFile, 'utf8');
    for (const canary of estate.canaries) assert.not(log.includes(canary), logFile);
  }
});

servers('a server that does not start says why, and leaves nothing', async () => {
  const logFile = join(folder, 'broken.log');
  const broken = startServerProcess({
    file: realTool('kube-apiserver'),
    args: ['not-an-address'],
    env: { TMPDIR: folder, HOME: folder },
    logFile,
  });
  const message = await broken.then(String, (cause: Error) => cause.message);
  assert.match(message, /usage: kube-apiserver <IPv4 address to bind>/);
});

servers('a test that crashes takes its servers with it', async () => {
  const script = `
    const { startKubeApiserver } = await import('${ROOT}/test/estate/real/kube-apiserver.ts');
    const { startRegistry } = await import('${ROOT}/test/estate/real/registry.ts');
    const { makeCa } = await import('${ROOT}/test/estate/certificates.ts');
    const cluster = await startKubeApiserver({ host: '127.0.0.3', name: 'orphan' });
    const registry = await startRegistry({ host: 'a.internal', serving: await makeCa(), unknownName: '421' });
    console.log(cluster.pid + ' ' + registry.pid);
    process.kill(process.pid, 'SIGKILL');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await once(child, 'close');
  const pids = output.trim().split(' ').map(Number);
  assert.is(pids.length, 2, output);
  // They end by themselves; when they don't, the time limit of the test run says so.
  for (const pid of pids) while (isAlive(pid)) await sleep(50);
});

servers('to stop leaves no process and no file, and may be done twice', async () => {
  const { caCluster, infraCluster, registry } = estate;
  for (const { pid, logFile, stop } of [caCluster, infraCluster, registry]) {
    assert.ok(isAlive(pid));
    await stop();
    assert.not(isAlive(pid));
    assert.not(existsSync(dirname(logFile)));
  }
});

servers.run();

function since(cluster: RealCluster, count: number): readonly AuditEvent[] {
  return cluster.auditLog().slice(count);
}

async function statusOf(
  cluster: RealCluster,
  user: Exclude<ClusterUser, 'admin'> | Credentials,
  path: string,
): Promise<number | undefined> {
  const credentials = typeof user === 'string' ? tokenOf(cluster, user) : user;
  const reply = await httpsGet(cluster.url + path, {
    ca: cluster.servingCaPem,
    ...('token' in credentials
      ? { headers: { authorization: `Bearer ${credentials.token}` } }
      : { cert: credentials.certificatePem, key: credentials.keyPem }),
  });
  return reply.status;
}

function tokenOf(cluster: RealCluster, user: ClusterUser): Credentials {
  return { token: JSON.parse(cluster.kubeconfig(user)).users[0].user.token };
}

async function serviceAccountToken(cluster: RealCluster): Promise<string> {
  await cluster.kubectl('create', 'serviceaccount', 'somebody', '-n', 'cert-manager');
  return cluster.createToken('cert-manager', 'somebody');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
