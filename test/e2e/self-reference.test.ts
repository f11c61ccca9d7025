/** The built command for the cluster that hosts the registry: refused before that runs, warned when it does. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Diagnostic } from '../../src/diagnostic.ts';
import { type Estate, startEstate } from '../estate/estate.ts';
import { ROOT, runCommand } from '../support/command.ts';
import { functionConfig, functionInput } from '../support/function-input.ts';

const selfReference = suite('self-reference');

const HOSTED_ON = 'hostedOn: ok-consumer';
const MANIFEST = readFileSync(join(ROOT, 'examples/ok-consumer/cluster-base.yaml'), 'utf8');
const CONFIG = functionConfig().replace(/^spec:\n/m, `spec:\n  ${HOSTED_ON}\n`);

let estate: Estate;
let folder: string;
let cluster: string;
let there: Readonly<Record<string, string>>;
let notThere: Readonly<Record<string, string>>;
let online: readonly string[];

selfReference.before(async () => {
  estate = await startEstate();
  folder = mkdtempSync(join(tmpdir(), 'registry-trust-self-'));
  cluster = folderWith('ok-consumer', (config) => config.replace('  enabled: true', `$&\n  ${HOSTED_ON}`));
  const { ca, infra } = estate.writeKubeconfigs(folder);
  there = { REGISTRY_CA_KUBECONFIG: ca, TALOS_INFRA_KUBECONFIG: infra, PATH: '/usr/bin:/bin' };
  notThere = { ...there, REGISTRY_CA_KUBECONFIG: `${ca}#refused` };
  online = ['--dns-server', estate.dns.address];
});

selfReference.after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await estate.stop();
});

const SAID_FIRST = /^error SELF_REFERENCE: Cluster ok-consumer\/ok-consumer can't be bootstrapped .*\n/;

/** One for each way in which values are asked for. */
const RUNS: Readonly<Record<string, { readonly args: () => readonly string[]; readonly input?: string }>> = {
  render: { args: () => ['render', '--cluster', cluster, ...online] },
  review: { args: () => ['review', '--cluster', cluster, '--skip-probe', ...online] },
  function: { args: () => [], input: functionInput(MANIFEST, CONFIG) },
  stream: { args: () => [], input: `${CONFIG}---\n${MANIFEST}` },
};

for (const [name, { args, input }] of Object.entries(RUNS)) {
  const run = (env: Readonly<Record<string, string>>) =>
    runCommand(args(), {
      env: { ...env, REGISTRY_ADDRESS: '10.20.0.15' },
      ...(input === undefined ? {} : { input }),
    });

  selfReference(`${name}: not there, so refused with the procedure first, and with the failure`, async () => {
    const { code, stdout, stderr } = await run(notThere);
    assert.is(code, 1);
    assert.match(stderr, SAID_FIRST);
    assert.match(stderr, /^ {4}Phase 1, [\s\S]*^ {4}Phase 2, [\s\S]*^error CLUSTER_REFUSED\b/m);
    if (name === 'function')
      assert.match(stdout, /^- message: "SELF_REFERENCE: [\s\S]*^- message: "?CLUSTER_REFUSED/m);
    else assert.is(stdout, '');
  });

  selfReference(`${name}: there, so done with a warning`, async () => {
    const { code, stdout, stderr } = await run(there);
    assert.is(code, 0, stderr);
    assert.match(
      stderr,
      /^warning SELF_REFERENCE: Cluster ok-consumer\/ok-consumer takes [\s\S]*^info HYDRATED/m,
    );
    assert.is(stdout.includes('10.20.0.15'), true);
  });
}

selfReference('JSON: the same, in this order', async () => {
  const { stdout } = await runCommand(
    ['review', '--cluster', cluster, '--skip-probe', ...online, '-o', 'json'],
    {
      env: notThere,
    },
  );
  const { diagnostics } = JSON.parse(stdout) as { readonly diagnostics: readonly Diagnostic[] };
  assert.equal(
    diagnostics.map(({ severity, code }) => `${severity} ${code}`),
    ['error SELF_REFERENCE', 'error CLUSTER_REFUSED'],
  );
});

selfReference('the commands to paste name the files that were given', async () => {
  const { stderr } = await runCommand(['render', '--cluster', cluster, ...online], { env: notThere });
  assert.ok(stderr.includes(`/d' ${cluster}/cluster-base.yaml | kubectl apply`), stderr);
  assert.ok(stderr.includes(`registry-trust render --cluster ${cluster} | kubectl apply`), stderr);
  const odd = folderWith("it's; rm -rf", (config) => config.replace('  enabled: true', `$&\n  ${HOSTED_ON}`));
  const quoted = await runCommand(['render', '--cluster', odd, ...online], { env: notThere });
  assert.match(quoted.stderr, SAID_FIRST);
  assert.not.match(quoted.stderr, /rm -rf/);
});

selfReference('the folder is the cluster when no object names one', async () => {
  const holder = (config: string): string => config;
  const own = folderWith(
    'ok-shared',
    holder,
    MANIFEST.replace(/[\s\S]*?^---\n/m, '').split(/^---\napiVersion: cluster\.x/m)[0],
  );
  const named = { ...there, REGISTRY_CA_KUBECONFIG: join(folder, 'ok-shared.kubeconfig') };
  const { stderr } = await runCommand(['render', '--cluster', own, ...online], { env: named });
  assert.match(stderr, /^error SELF_REFERENCE: Cluster ok-shared can't [\s\S]*^error KUBECONFIG_NOT_FOUND/m);
});

selfReference('another cluster: nothing is said', async () => {
  const other = folderWith('other', (config) =>
    config.replace('  enabled: true', '$&\n  hostedOn: ok-shared'),
  );
  const { code, stderr } = await runCommand(['render', '--cluster', other, ...online], { env: there });
  assert.is(code, 0, stderr);
  assert.not.match(stderr, /SELF_REFERENCE/);
});

selfReference.run();

function folderWith(name: string, config: (text: string) => string, manifest = MANIFEST): string {
  const path = join(folder, name);
  cpSync(join(ROOT, 'examples/ok-consumer'), path, { recursive: true });
  const file = join(path, 'cluster-config.yaml');
  writeFileSync(file, config(readFileSync(file, 'utf8')));
  writeFileSync(join(path, 'cluster-base.yaml'), manifest);
  return path;
}
