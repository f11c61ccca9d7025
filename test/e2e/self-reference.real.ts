/**
 * The two phases as they are printed, pasted into a shell: on real API servers with the CRDs of the providers, the
 * manifest of phase 1 is accepted, and phase 2 brings the trust.
 */
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { applyCrds, haveCrds } from '../estate/real/crds.ts';
import { type RealEstate, startRealEstate } from '../estate/real/estate.ts';
import { realTool } from '../estate/tools/build.ts';
import { COMMAND, type CommandResult, ROOT, run, runCommand } from '../support/command.ts';
import { loudly } from '../support/loudly.ts';

const twoPhases = suite('two phases');

const CLUSTER = 'ok-consumer';
const HAVE_CRDS = haveCrds();

let estate: RealEstate;
let folder: string;
let env: Readonly<Record<string, string>>;

twoPhases.before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'registry-trust-real-'));
  estate = await startRealEstate();
  await loudly(async () => {
    if (HAVE_CRDS) await applyCrds(estate.infraCluster);
    await estate.infraCluster.kubectl('create', 'namespace', CLUSTER);
  });
  cpSync(join(ROOT, 'examples', CLUSTER), join(folder, CLUSTER), { recursive: true });
  const config = join(folder, CLUSTER, 'cluster-config.yaml');
  writeFileSync(
    config,
    readFileSync(config, 'utf8').replace('  enabled: true', `$&\n  hostedOn: ${CLUSTER}`),
  );
  const { ca, infra } = estate.writeKubeconfigs(folder);
  env = {
    REGISTRY_CA_KUBECONFIG: ca,
    TALOS_INFRA_KUBECONFIG: infra,
    REGISTRY_ADDRESS: '10.20.0.15',
    KUBECONFIG: infra,
    HOME: folder,
    PATH: `${binFolder()}:/usr/bin:/bin`,
  };
});

twoPhases.after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await estate?.stop();
});

if (HAVE_CRDS) {
  twoPhases('printed before the cluster is there, pasted, and the trust is in its manifest', async () => {
    const early = await render({ ...env, REGISTRY_CA_KUBECONFIG: join(folder, 'not-yet') });
    assert.is(early.code, 1);
    const [first = '', compare = '', second = ''] = early.stderr.match(/^ {6}\S.*$/gm) ?? [];

    const applied = await paste(first);
    assert.is(applied.code, 0, applied.stderr);
    assert.is(applied.stdout.match(/ serverside-applied$/gm)?.length, 5);
    assert.not.match(await live(), /registryTrust|LS0tLS1CRUdJTi/);

    const compared = await paste(compare);
    assert.match(
      compared.stderr + compared.stdout,
      /^error ROLLOUT_REQUIRED[\s\S]*^error TEMPLATE_IMMUTABLE/m,
    );

    const hydrated = await paste(second);
    assert.is(hydrated.code, 0, hydrated.stderr);
    assert.match(hydrated.stderr, /^warning SELF_REFERENCE/m);
    assert.is((await live()).match(/ca: LS0tLS1CRUdJTi/g)?.length, 3);
  });
}

twoPhases('the kubeconfigs of both roles lead to one real server', async () => {
  const { code, stderr } = await render(
    {
      ...env,
      TALOS_WORKLOAD_KUBECONFIG: estate.caCluster.kubeconfigPath('powerless'),
    },
    ['--config', configOfOther()],
  );
  assert.is(code, 0, stderr);
  assert.match(
    stderr,
    /^warning SELF_REFERENCE: Cluster ok-consumer\/ok-consumer .* same server, 127\.0\.0\.1:\d+\)/,
  );
});

twoPhases.run();

function render(
  as: Readonly<Record<string, string>>,
  args: readonly string[] = ['--cluster', CLUSTER],
): Promise<CommandResult> {
  const files = args[0] === '--config' ? [join(CLUSTER, 'cluster-base.yaml')] : [];
  return runCommand(['render', ...args, ...files], { cwd: folder, env: as });
}

/** A step as it is printed, in a shell that fails when any part of a pipe does. */
function paste(command: string): Promise<CommandResult> {
  return run('bash', ['-o', 'pipefail', '-c', command], { cwd: folder, env });
}

async function live(): Promise<string> {
  const kinds = 'taloscontrolplanes,talosconfigtemplates';
  const { code, stdout, stderr } = await estate.infraCluster.kubectl(
    'get',
    kinds,
    '-n',
    CLUSTER,
    '-o',
    'yaml',
  );
  assert.is(code, 0, stderr);
  return stdout;
}

/** Says nothing of where the registry is. */
function configOfOther(): string {
  return join(ROOT, 'examples', CLUSTER, 'cluster-config.yaml');
}

/** What the steps call by name. */
function binFolder(): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  symlinkSync(realTool('kubectl'), join(bin, 'kubectl'));
  const script = join(bin, 'registry-trust');
  writeFileSync(script, `#!/bin/sh\nexec "${process.execPath}" "${COMMAND}" "$@"\n`);
  chmodSync(script, 0o755);
  return bin;
}
