/**
 * `review --diff` on a real API server with the CRDs of the providers: what was applied is the same, what was changed
 * differs at its place, what is gone is absent, and what can't be read fails by a code of its own. Never a value in it.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resourceOf } from '../../src/resolve/object-ref.ts';
import { makeCa } from '../estate/certificates.ts';
import { caObjects, REGISTRY_ADDRESS } from '../estate/estate.ts';
import { summary } from '../estate/real/audit-log.ts';
import { applyCrds, haveCrds, pluralsByKind, STORED_AS_WRITTEN } from '../estate/real/crds.ts';
import { manifestOf, type RealEstate, startRealEstate } from '../estate/real/estate.ts';
import { realTool } from '../estate/tools/build.ts';
import { type CommandResult, ROOT, run, runCommand } from '../support/command.ts';

const diff = suite('review --diff');

const CLUSTER = 'examples/ok-consumer';
const CONFIG = `${CLUSTER}/cluster-config.yaml`;
const COMMITTED = readFileSync(join(ROOT, CLUSTER, 'cluster-base.yaml'), 'utf8');

const CONTROL_PLANE = 'TalosControlPlane ok-consumer/ok-consumer-control-plane';
const WORKERS = 'TalosConfigTemplate ok-consumer/ok-consumer-workers-4f1c';
const GPU = 'TalosConfigTemplate ok-consumer/ok-consumer-gpu-9a20';
const DEPLOYMENT = 'MachineDeployment ok-consumer/ok-consumer-workers';
const ALL = [CONTROL_PLANE, WORKERS, GPU, DEPLOYMENT];
const LIVE_SECRET = 'canary-of-a-live-patch';

let estate: RealEstate;
let folder: string;
let env: Readonly<Record<string, string>>;

diff.before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'registry-trust-diff-'));
  estate = await startRealEstate();
  const kubeconfigs = estate.writeKubeconfigs(folder);
  env = { REGISTRY_CA_KUBECONFIG: kubeconfigs.ca, TALOS_INFRA_KUBECONFIG: kubeconfigs.infra };
});

diff.after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await estate?.stop();
});

if (haveCrds()) {
  diff('without CRDs each kind is CRD_MISSING, and the report is there all the same', async () => {
    const result = await review();
    assert.is(result.code, 1);
    assert.equal(
      liveLines(result),
      ALL.map((name) => `${name}: not known, it could not be read`),
    );
    assert.match(result.stdout, /^registry registry\.ok-shared\.internal$/m);
    assert.is(result.stderr.match(/^error CRD_MISSING /gm)?.length, 4);
    assert.match(
      result.stderr,
      /^error CRD_MISSING \(examples\/ok-consumer\/cluster-base\.yaml:\d+:1 TalosControlPlane\/ok-consumer-control-plane\): The infra cluster \([\d.]+:\d+\) does not serve TalosControlPlane of controlplane\.cluster\.x-k8s\.io\/v1alpha3: the provider’s CRDs aren’t installed there, or not in this version\.$/m,
    );
  });

  diff('the plural of each kind that is asked for is the one of its CRD', () => {
    const plurals = pluralsByKind();
    const ref = { apiVersion: 'g/v1', namespace: 'n', name: 'n' };
    for (const kind of ['TalosControlPlane', 'TalosConfigTemplate', 'TalosConfig', 'MachineDeployment'])
      assert.is(resourceOf({ ...ref, kind }).plural, plurals.get(kind));
  });

  diff('before the first apply everything is absent, which is a difference', async () => {
    await applyCrds(estate.infraCluster, STORED_AS_WRITTEN);
    await kubectl('create', 'namespace', 'ok-consumer');
    const result = await review();
    assert.is(result.code, 2, result.stderr);
    assert.equal(
      liveLines(result),
      ALL.map((name) => `${name}: absent, applying creates it`),
    );
  });

  diff(
    'what render wrote and kubectl applied is the same, and nothing but these objects is read',
    async () => {
      await applyRendered();
      const before = estate.infraCluster.auditLog().length;
      const result = await review();
      assert.is(result.code, 0, shown(result));
      assert.equal(
        liveLines(result),
        ALL.map((name) => `${name}: same`),
      );
      const asked = estate.infraCluster.auditLog().slice(before).map(summary);
      assert.equal([...asked].sort(), [
        'get machinedeployments ok-consumer/ok-consumer-workers 200',
        'get services ok-shared/ok-shared-ingress 200',
        'get talosconfigtemplates ok-consumer/ok-consumer-gpu-9a20 200',
        'get talosconfigtemplates ok-consumer/ok-consumer-workers-4f1c 200',
        'get taloscontrolplanes ok-consumer/ok-consumer-control-plane 200',
      ]);
    },
  );

  diff('what others set, and what the server adds, is no difference', async () => {
    await merge('taloscontrolplane', 'ok-consumer-control-plane', {
      metadata: { labels: { team: 'a' }, annotations: { seen: 'yes' }, finalizers: ['example.com/wait'] },
      spec: { infrastructureTemplate: { namespace: 'ok-consumer' } },
    });
    await merge('machinedeployment', 'ok-consumer-workers', { spec: { paused: true } });
    const result = await review();
    assert.is(result.code, 0, shown(result));
  });

  diff('a live patch that was edited differs at its place, without what it holds', async () => {
    await edit('taloscontrolplane', 'ok-consumer-control-plane', [
      {
        op: 'add',
        path: '/spec/controlPlaneConfig/controlplane/configPatches/0/value/token',
        value: LIVE_SECRET,
      },
      { op: 'replace', path: '/spec/replicas', value: 5 },
    ]);
    const result = await review();
    assert.is(result.code, 2, result.stderr);
    assert.equal(liveLines(result), [
      `${CONTROL_PLANE}: differs`,
      '  /spec/controlPlaneConfig/controlplane/configPatches/0/value/token',
      '  /spec/replicas',
      `${WORKERS}: same`,
      `${GPU}: same`,
      `${DEPLOYMENT}: same`,
    ]);
    assert.match(
      result.stderr,
      /^warning ROLLOUT_REQUIRED \(examples\/ok-consumer\/cluster-base\.yaml:\d+:1 TalosControlPlane\/ok-consumer-control-plane\): .* at \/spec\/controlPlaneConfig\/controlplane\/configPatches\/0\/value\/token\.$/m,
    );
    const { diff: views } = JSON.parse((await review('-o', 'json')).stdout);
    assert.equal(views[0], {
      object: {
        apiVersion: 'controlplane.cluster.x-k8s.io/v1alpha3',
        kind: 'TalosControlPlane',
        name: 'ok-consumer-control-plane',
        namespace: 'ok-consumer',
      },
      state: 'differs',
      pointers: ['/spec/controlPlaneConfig/controlplane/configPatches/0/value/token', '/spec/replicas'],
    });
    await applyRendered();
    assert.is((await review()).code, 0);
  });

  diff('another CA differs in each holder, with what to do for each', async () => {
    const { caCluster, registryCa } = estate;
    const other = await makeCa({ commonName: 'ok-shared internal CA' });
    await caCluster.apply(manifestOf(caObjects(other)));
    const result = await review();
    await caCluster.apply(manifestOf(caObjects(registryCa)));
    assert.is(result.code, 2, result.stderr);
    assert.equal(
      liveLines(result).filter((line) => !line.startsWith('  ')),
      [`${CONTROL_PLANE}: differs`, `${WORKERS}: differs`, `${GPU}: differs`, `${DEPLOYMENT}: same`],
    );
    assert.ok(
      liveLines(result).includes(
        '  /spec/controlPlaneConfig/controlplane/configPatches/1/value/config/registry.ok-shared.internal/tls/ca',
      ),
      shown(result),
    );
    assert.ok(liveLines(result).includes('  /spec/template/spec/strategicPatches/1'), shown(result));
    assert.equal(result.stderr.match(/^warning \w+/gm), [
      'warning ROLLOUT_REQUIRED',
      'warning TEMPLATE_IMMUTABLE',
      'warning TEMPLATE_IMMUTABLE',
    ]);
    assert.match(result.stderr, /Give the object a new name \(ok-consumer-gpu-9a20-2, /);
    noValues(result, [other.certificatePem, other.privateKeyPem]);
  });

  diff('what is gone is absent; a MachineDeployment differs by the template that it names', async () => {
    const template = ['talosconfigtemplate', 'ok-consumer-gpu-9a20', '-n', 'ok-consumer'];
    await kubectl('delete', ...template);
    await edit('machinedeployment', 'ok-consumer-workers', [
      {
        op: 'replace',
        path: '/spec/template/spec/bootstrap/configRef/name',
        value: 'ok-consumer-workers-old',
      },
    ]);
    const result = await review();
    assert.is(result.code, 2, result.stderr);
    assert.equal(liveLines(result), [
      `${CONTROL_PLANE}: same`,
      `${WORKERS}: same`,
      `${GPU}: absent, applying creates it`,
      `${DEPLOYMENT}: differs`,
      '  /spec/template/spec/bootstrap/configRef/name',
    ]);
    await applyRendered();
  });

  diff('a namespace that is not said is that of the context, else default', async () => {
    const input = COMMITTED.replaceAll('  namespace: ok-consumer\n', '');
    assert.is.not(input, COMMITTED);
    const inDefault = await review({ input });
    assert.is(inDefault.code, 2, inDefault.stderr);
    assert.is(
      liveLines(inDefault)[0],
      'TalosControlPlane default/ok-consumer-control-plane: absent, applying creates it',
    );
    const infra = env['TALOS_INFRA_KUBECONFIG'] ?? '';
    await kubectl('config', 'set-context', 'real', '--kubeconfig', infra, '--namespace', 'ok-consumer');
    const inContext = await review({ input });
    assert.is(inContext.code, 0, shown(inContext));
  });

  diff('without rights each object is CLUSTER_FORBIDDEN, and what is pasted then allows it', async () => {
    const { infraCluster } = estate;
    const limited = { ...env, TALOS_INFRA_KUBECONFIG: infraCluster.kubeconfigPath('powerless') };
    const forbidden = await review('--address', REGISTRY_ADDRESS, { env: limited });
    assert.is(forbidden.code, 1);
    assert.is(forbidden.stderr.match(/^error CLUSTER_FORBIDDEN /gm)?.length, 4, forbidden.stderr);
    const commands = [...forbidden.stderr.matchAll(/allows it by: (.*)$/gm)].map(([, command]) => command);
    assert.match(
      commands[0] ?? '',
      '--verb=get --resource=taloscontrolplanes.controlplane.cluster.x-k8s.io --resource-name=ok-consumer-control-plane',
    );
    const pasted = await run('sh', ['-ec', commands.join('\n')], {
      env: {
        KUBECONFIG: infraCluster.kubeconfigPath('admin'),
        HOME: folder,
        PATH: `${dirname(realTool('kubectl'))}:/usr/bin:/bin`,
      },
    });
    assert.is(pasted.code, 0, pasted.stderr);
    const allowed = await review('--address', REGISTRY_ADDRESS, { env: limited });
    assert.is(allowed.code, 0, shown(allowed));
  });
}

diff.run();

interface ReviewOptions {
  /** In place of the committed manifest. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The command, with nothing in its output that must not be there. */
async function review(...args: readonly (string | ReviewOptions)[]): Promise<CommandResult> {
  const { input, env: given = env }: ReviewOptions =
    args.find((arg): arg is ReviewOptions => typeof arg !== 'string') ?? {};
  const files = input === undefined ? ['--cluster', CLUSTER] : ['--config', CONFIG, '-'];
  const flags = args.filter((arg) => typeof arg === 'string');
  const result = await runCommand(
    ['review', '--diff', '--skip-probe', ...files, '--dns-server', estate.dns.address, ...flags],
    // No talosctl of the machine that runs the tests.
    { env: { PATH: '/usr/bin:/bin', ...given }, ...(input === undefined ? {} : { input }) },
  );
  noValues(result, [estate.registryCa.certificatePem]);
  return result;
}

function noValues({ stdout, stderr }: CommandResult, pems: readonly string[]): void {
  const encoded = pems.map((pem) => Buffer.from(pem).toString('base64').slice(40, 100));
  const lines = pems.flatMap((pem) => pem.split('\n').filter((line) => line.length === 64));
  for (const text of [...estate.canaries, ...lines, ...encoded, LIVE_SECRET])
    assert.not((stdout + stderr).includes(text), text);
}

/** What follows the last heading, without its indentation. */
function liveLines({ stdout }: CommandResult): readonly string[] {
  const [, section = ''] = stdout.split('live objects of the infra cluster\n');
  return section
    .trimEnd()
    .split('\n')
    .map((line) => line.slice(2));
}

/** For a failed assertion. */
function shown(result: CommandResult): string {
  return [...liveLines(result), result.stderr].join('\n');
}

async function applyRendered(): Promise<void> {
  const rendered = await runCommand(['render', '--cluster', CLUSTER, '--dns-server', estate.dns.address], {
    env,
  });
  assert.is(rendered.code, 0, rendered.stderr);
  const { infraCluster } = estate;
  const applied = await run(
    realTool('kubectl'),
    ['apply', '--server-side', '--field-manager=registry-trust', '--force-conflicts', '-f', '-'],
    { env: { KUBECONFIG: infraCluster.kubeconfigPath('admin'), HOME: folder }, input: rendered.stdout },
  );
  assert.is(applied.code, 0, applied.stderr);
}

async function kubectl(...args: readonly string[]): Promise<void> {
  const { code, stderr } = await estate.infraCluster.kubectl(...args);
  if (code !== 0) throw new Error(stderr);
}

/** As somebody with kubectl. */
function merge(resource: string, name: string, patch: object): Promise<void> {
  return patched(resource, name, 'merge', patch);
}

function edit(resource: string, name: string, operations: readonly object[]): Promise<void> {
  return patched(resource, name, 'json', operations);
}

function patched(resource: string, name: string, type: 'merge' | 'json', patch: object): Promise<void> {
  const options = ['-n', 'ok-consumer', `--type=${type}`, '-p', JSON.stringify(patch)];
  return kubectl('patch', resource, name, ...options);
}
