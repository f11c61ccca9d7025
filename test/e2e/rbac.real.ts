/**
 * The Roles of `function-config/rbac/` on real API servers: with them the built command does its job, and who has them
 * may do nothing else. `UPDATE_GOLDENS=1` writes `test/e2e/rbac/` anew: what `kubectl auth can-i --list` says of each.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { REGISTRY_ADDRESS } from '../estate/estate.ts';
import { summary } from '../estate/real/audit-log.ts';
import { applyCrds, haveCrds, STORED_AS_WRITTEN } from '../estate/real/crds.ts';
import { type RealEstate, startRealEstate } from '../estate/real/estate.ts';
import { kubectlOutput, runKubectl } from '../estate/real/kubectl.ts';
import { type CommandResult, ROOT, runCommand } from '../support/command.ts';
import { loudly } from '../support/loudly.ts';
import {
  ACCOUNT_NAMES,
  type Account,
  type AccountName,
  bindAccounts,
  forbiddenCalls,
  roles,
  statusOf,
} from './rbac-accounts.ts';

const rbac = suite('rights');

const CLUSTER = 'examples/ok-consumer';
const HAVE_CRDS = haveCrds();

let estate: RealEstate;
let accounts: ReadonlyMap<AccountName, Account>;
let folder: string;

rbac.before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'registry-trust-real-'));
  estate = await startRealEstate();
  await loudly(async () => {
    accounts = await bindAccounts(estate);
    if (HAVE_CRDS) await applyCrds(estate.infraCluster, STORED_AS_WRITTEN);
  });
});

rbac.after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await estate?.stop();
});

rbac(
  'render needs the accounts for the CA and for the address, and they ask for one object each',
  async () => {
    const asked = startWatch();
    const rendered = await render(CLUSTER, { ca: 'ca', infra: 'address' });
    assert.is(rendered.code, 0, rendered.stderr);
    assert.is(rendered.stdout.match(/ca: LS0tLS1CRUdJTi/g)?.length, 3);
    assert.equal(asked(), [
      'system:serviceaccount:cert-manager:registry-trust-ca: get secrets cert-manager/ok-shared-internal-ca 200',
      'system:serviceaccount:ok-shared:registry-trust-address: get services ok-shared/ok-shared-ingress 200',
    ]);
  },
);

rbac('the Role for the CA, with a ConfigMap as its comment says, is enough for caConfigMap', async () => {
  const { caCluster, infraCluster } = estate;
  await caCluster.apply(
    roles('ca-cluster')
      .replaceAll('name: registry-trust-ca', 'name: registry-trust-bundle')
      .replace('resources: [secrets]', 'resources: [configmaps]')
      .replace('resourceNames: [ok-shared-internal-ca]', 'resourceNames: [ok-shared-internal-ca-bundle]'),
  );
  const config = readFileSync(join(ROOT, CLUSTER, 'cluster-config.yaml'), 'utf8')
    .replace('caSecret:', 'caConfigMap:')
    .replace('name: ok-shared-internal-ca', 'name: ok-shared-internal-ca-bundle');
  const token = await caCluster.createToken('cert-manager', 'registry-trust-bundle');
  const asked = startWatch();
  const rendered = await runRender(clusterFolder('with-bundle', config), {
    REGISTRY_CA_KUBECONFIG: caCluster.kubeconfigPath({ token }),
    TALOS_INFRA_KUBECONFIG: infraCluster.kubeconfigPath(accountOf('address')),
  });
  assert.is(rendered.code, 0, rendered.stderr);
  assert.is(
    asked()[0],
    'system:serviceaccount:cert-manager:registry-trust-bundle: get configmaps cert-manager/ok-shared-internal-ca-bundle 200',
  );
  assert.is(
    await statusOf(caCluster, token, [
      'GET',
      '/api/v1/namespaces/cert-manager/secrets/ok-shared-internal-ca',
    ]),
    403,
  );
});

rbac('the Role for the workload cluster is enough for the credentials of mirrors', async () => {
  const config = `${readFileSync(join(ROOT, CLUSTER, 'cluster-config.yaml'), 'utf8')}registryMirrors:
  - registry: ghcr.io
    endpoints: [{url: "https://registry.ok-shared.internal/v2/ghcr.io", overridePath: true}]
    authSecretRef: {namespace: registry-mirror, name: mirror-credentials}
`;
  const asked = startWatch();
  const rendered = await runRender(clusterFolder('with-mirror', config), {
    REGISTRY_CA_KUBECONFIG: estate.caCluster.kubeconfigPath(accountOf('ca')),
    TALOS_INFRA_KUBECONFIG: estate.infraCluster.kubeconfigPath(accountOf('address')),
    TALOS_WORKLOAD_KUBECONFIG: estate.infraCluster.kubeconfigPath(accountOf('mirror')),
  });
  assert.is(rendered.code, 0, rendered.stderr);
  assert.match(rendered.stdout, /canary-mirror-password/);
  assert.not.match(rendered.stderr, /canary-mirror-password/);
  assert.ok(
    asked().includes(
      'system:serviceaccount:registry-mirror:registry-trust-mirror: get secrets registry-mirror/mirror-credentials 200',
    ),
  );
});

for (const short of ACCOUNT_NAMES) {
  rbac(`${short}: nothing more than its job`, async () => {
    const account = accountOf(short);
    const calls = forbiddenCalls(short, account);
    for (const call of calls)
      assert.is(await statusOf(account.cluster, account.token, call), 403, call.join(' '));
    const asAdmin = { 'impersonate-user': 'admin', 'impersonate-group': 'system:masters' };
    assert.is(await statusOf(account.cluster, account.token, ['GET', '/api/v1/secrets'], asAdmin), 403);
  });

  rbac(`${short}: auth can-i --list is the golden`, async () => {
    const account = accountOf(short);
    const kubeconfig = account.cluster.kubeconfigPath(account);
    const list = async (namespace: string): Promise<string> =>
      `# in ${namespace}\n${sorted(await kubectlOutput(kubeconfig, ['auth', 'can-i', '--list', '-n', namespace]))}`;
    const actual = `${await list(account.namespace)}\n${await list('kube-system')}`;
    const path = join(import.meta.dirname, 'rbac', `${short}.txt`);
    if (process.env['UPDATE_GOLDENS'] === '1') writeFileSync(path, actual);
    assert.fixture(actual, readFileSync(path, 'utf8'));
  });
}

rbac('an account that may not read what render needs: CLUSTER_FORBIDDEN, and no manifest', async () => {
  const { code, stdout, stderr } = await render(CLUSTER, { ca: 'ca', infra: 'apply' });
  assert.is(code, 1);
  assert.is(stdout, '');
  assert.match(stderr, /CLUSTER_FORBIDDEN/);
});

if (HAVE_CRDS) {
  rbac('what render writes, apply may create and change, and not read', async () => {
    const apply = accountOf('apply');
    const kubeconfig = apply.cluster.kubeconfigPath(apply);
    const { stdout: hydrated } = await render(CLUSTER, { ca: 'ca', infra: 'address' });
    const args = ['apply', '--server-side', '--field-manager=registry-trust', '-f', '-'];
    const created = await kubectlOutput(kubeconfig, args, hydrated);
    assert.is(created.match(/ serverside-applied$/gm)?.length, 5);
    const changed = hydrated.replace('replicas: 3', 'replicas: 1');
    assert.is.not(changed, hydrated);
    await kubectlOutput(kubeconfig, args, changed);
    const path = ['get', 'taloscontrolplane', 'ok-consumer-control-plane', '-n', 'ok-consumer'];
    const live = JSON.parse((await apply.cluster.kubectl(...path, '-o', 'json')).stdout);
    assert.is(live.spec.replicas, 1);
    assert.match(JSON.stringify(live.spec), /"ca":"LS0tLS1CRUdJTi/);
    for (const args of [path, ['get', 'secret', 'ok-consumer-talosconfig', '-n', 'ok-consumer']]) {
      const read = await runKubectl(kubeconfig, args);
      assert.is(read.code, 1);
      assert.match(read.stderr, /Forbidden/);
    }
  });

  rbac('what is live, compare may read, for check --against', async () => {
    const compare = accountOf('compare');
    const live = await kubectlOutput(compare.cluster.kubeconfigPath(compare), [
      ...['get', 'taloscontrolplanes,talosconfigtemplates,talosconfigs', '-n', 'ok-consumer', '-o', 'yaml'],
    ]);
    assert.is(live.match(/ca: LS0tLS1CRUdJTi/g)?.length, 3);
    const checked = await runCommand(['check', '--cluster', CLUSTER, '--against', '-'], { input: live });
    assert.is(checked.code, 0, checked.stderr);
  });

  rbac('what is live, compare may read, for review --diff: each object, and nothing else', async () => {
    const asked = startWatch();
    const reviewed = await review('compare', '--address', REGISTRY_ADDRESS);
    assert.is(reviewed.code, 2, reviewed.stderr);
    assert.match(reviewed.stdout, /^ {2}TalosControlPlane [^:]+: differs\n {4}\/spec\/replicas$/m);
    assert.is(reviewed.stdout.match(/^ {2}\w+ ok-consumer\/[\w-]+: same$/gm)?.length, 3);
    const compare = 'system:serviceaccount:ok-consumer:registry-trust-compare: get';
    assert.equal(
      asked()
        .filter((one) => one.startsWith(compare))
        .sort(),
      [
        `${compare} machinedeployments ok-consumer/ok-consumer-workers 200`,
        `${compare} talosconfigtemplates ok-consumer/ok-consumer-gpu-9a20 200`,
        `${compare} talosconfigtemplates ok-consumer/ok-consumer-workers-4f1c 200`,
        `${compare} taloscontrolplanes ok-consumer/ok-consumer-control-plane 200`,
      ],
    );
  });

  rbac(
    'without the Role for the address compare may not ask the Service; with it that is enough',
    async () => {
      const forbidden = await review('compare');
      assert.equal([forbidden.code, forbidden.stdout], [1, '']);
      assert.match(forbidden.stderr, /^error CLUSTER_FORBIDDEN .*\/ok-shared-ingress/m);
      await kubectlOutput(estate.infraCluster.kubeconfigPath('admin'), [
        ...['create', 'rolebinding', 'compare-address', '-n', 'ok-shared', '--role=registry-trust-address'],
        '--serviceaccount=ok-consumer:registry-trust-compare',
      ]);
      const reviewed = await review('compare');
      assert.is(reviewed.code, 2, reviewed.stderr);
    },
  );

  rbac('nodes may list Machines and read the talosconfig', async () => {
    const nodes = accountOf('nodes');
    const kubeconfig = nodes.cluster.kubeconfigPath(nodes);
    const machines = await kubectlOutput(kubeconfig, ['get', 'machines', '-n', 'ok-consumer', '-o', 'json']);
    assert.equal(JSON.parse(machines).items, []);
    const secret = ['get', 'secret', 'ok-consumer-talosconfig', '-n', 'ok-consumer', '-o', 'json'];
    const { data } = JSON.parse(await kubectlOutput(kubeconfig, secret));
    assert.is(Buffer.from(data.talosconfig, 'base64').toString(), 'canary-talosconfig');
  });
}

rbac.run();

function accountOf(short: AccountName): Account {
  const account = accounts.get(short);
  if (account === undefined) throw new Error(`no account ${short}`);
  return account;
}

function render(
  cluster: string,
  as: { readonly ca: AccountName; readonly infra: AccountName },
): Promise<CommandResult> {
  return runRender(cluster, {
    REGISTRY_CA_KUBECONFIG: estate.caCluster.kubeconfigPath(accountOf(as.ca)),
    TALOS_INFRA_KUBECONFIG: estate.infraCluster.kubeconfigPath(accountOf(as.infra)),
  });
}

function runRender(cluster: string, env: Readonly<Record<string, string>>): Promise<CommandResult> {
  return runCommand(['render', '--cluster', cluster, '--dns-server', estate.dns.address], { env });
}

function review(infra: AccountName, ...args: readonly string[]): Promise<CommandResult> {
  const env = {
    // No talosctl of the machine that runs the tests.
    PATH: '/usr/bin:/bin',
    REGISTRY_CA_KUBECONFIG: estate.caCluster.kubeconfigPath(accountOf('ca')),
    TALOS_INFRA_KUBECONFIG: estate.infraCluster.kubeconfigPath(accountOf(infra)),
  };
  const dns = ['--dns-server', estate.dns.address];
  return runCommand(['review', '--cluster', CLUSTER, '--diff', '--skip-probe', ...dns, ...args], { env });
}

/** A copy of the example with another config. */
function clusterFolder(name: string, config: string): string {
  const path = join(folder, name);
  cpSync(join(ROOT, CLUSTER), path, { recursive: true });
  writeFileSync(join(path, 'cluster-config.yaml'), config);
  return path;
}

/** What both clusters are asked from now on: by whom, what, and with which status. */
function startWatch(): () => readonly string[] {
  const clusters = [estate.caCluster, estate.infraCluster].map((cluster) => ({
    cluster,
    before: cluster.auditLog().length,
  }));
  return () =>
    clusters.flatMap(({ cluster, before }) =>
      cluster
        .auditLog()
        .slice(before)
        .map((event) => `${event.user}: ${summary(event)}`),
    );
}

/** The order of rules says nothing; the heading stays. */
function sorted(table: string): string {
  const [heading = '', ...rows] = table.trimEnd().split('\n');
  return `${[heading, ...rows.sort()].map((row) => row.trimEnd()).join('\n')}\n`;
}
