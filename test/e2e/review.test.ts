/** `review` of the built command against the stand-in estate: all that is worth to see, and no secret of it. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Estate, startEstate } from '../estate/estate.ts';
import { installTalosctl, TRAPS } from '../estate/talosctl.ts';
import { COMMAND, type CommandResult, ROOT, run, runCommand } from '../support/command.ts';

const review = suite('review');

const CLUSTER = 'examples/ok-consumer';
const CONFIG = `${CLUSTER}/cluster-config.yaml`;
const committed = readFileSync(join(ROOT, CLUSTER, 'cluster-base.yaml'), 'utf8');

let estate: Estate;
let folder: string;
let env: Readonly<Record<string, string>>;
/** The stand-ins for DNS and the registry. */
let there: readonly string[];

review.before(async () => {
  estate = await startEstate();
  folder = mkdtempSync(join(tmpdir(), 'registry-trust-review-'));
  const kubeconfigs = estate.writeKubeconfigs(folder);
  // No talosctl of the machine that runs the tests.
  env = {
    REGISTRY_CA_KUBECONFIG: kubeconfigs.ca,
    TALOS_INFRA_KUBECONFIG: kubeconfigs.infra,
    PATH: '/usr/bin:/bin',
  };
  there = ['--dns-server', estate.dns.address, '--connect-to', `127.0.0.1:${estate.registry.port}`];
});

review.after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await estate.stop();
});

function noSecrets({ stdout, stderr }: CommandResult): void {
  const ca = estate.registryCa.certificatePem.split('\n').filter((line) => line.length === 64);
  const base64 = Buffer.from(estate.registryCa.certificatePem).toString('base64');
  for (const text of [...estate.canaries, ...ca, base64.slice(30, 90)])
    assert.not((stdout + stderr).includes(text), text);
}

review('registry, patch, effective view and what was skipped, in this order', async () => {
  const result = await runCommand(['review', '--cluster', CLUSTER, ...there], { env });
  assert.is(result.code, 0, result.stderr);
  const heads = [
    /^registry registry\.ok-shared\.internal\n {2}address {2}10\.20\.0\.15 \(service ok-shared\/ok-shared-ingress\)$/m,
    /^ {2}CA {7}Secret cert-manager\/ok-shared-internal-ca, key ca\.crt\n {4}CN=ok-shared internal CA\n {6}sha256:[0-9a-f]{64}\n {6}valid from \d{4}-\d\d-\d\d until \d{4}-\d\d-\d\d \(364 days left\)$/m,
    /^ {2}probe {4}127\.0\.0\.1:\d+ PROBE_OK\n {4}CN=registry\.ok-shared\.internal\n {6}sha256:[0-9a-f]{64}\n {6}valid until \d{4}-\d\d-\d\d, signed by sha256:[0-9a-f]{64}$/m,
    /^@@ -\d+,\d+ \+\d+,\d+ @@ TalosControlPlane ok-consumer-control-plane$/m,
    /^\+ +ca: \(CA sha256:[0-9a-f]{64}\)$/m,
    /^@@ -\d+,\d+ \+\d+,\d+ @@ TalosConfigTemplate ok-consumer-gpu-9a20$/m,
    /^ {4}trust +registry\.ok-shared\.internal +CA sha256:[0-9a-f]{64} +ours, configPatches\/1$/m,
    /^talosctl validate: skipped, talosctl is not on PATH$/m,
  ];
  const places = heads.map((head) => result.stdout.search(head));
  assert.equal(
    places,
    [...places].sort((a, b) => a - b),
  );
  assert.not(places.includes(-1), result.stdout);
  noSecrets(result);
});

review('the same as JSON, on stdout alone', async () => {
  const result = await runCommand(['review', '--cluster', CLUSTER, ...there, '-o', 'json'], { env });
  assert.is(result.code, 0, result.stderr);
  assert.is(result.stderr, '');
  const { registries, patches, effective, talosctl, diagnostics } = JSON.parse(result.stdout);
  assert.equal(
    [
      registries[0].registry,
      registries[0].address,
      registries[0].provenance,
      registries[0].ca.certificates[0].daysLeft,
    ],
    ['registry.ok-shared.internal', '10.20.0.15', 'service', 364],
  );
  assert.equal([patches.length, patches[0].hunks.length], [1, 3]);
  assert.is(effective.length, 3);
  assert.is(talosctl.kind, 'skipped');
  assert.equal(
    diagnostics.map(({ code }: { readonly code: string }) => code),
    ['HYDRATED', 'PROBE_OK'],
  );
  noSecrets(result);
});

review('of a hydrated manifest nothing is left to write', async () => {
  const { stdout: input } = await runCommand(['render', '--cluster', CLUSTER, ...there], { env });
  const result = await runCommand(['review', '--config', CONFIG, '-', ...there], { env, input });
  assert.is(result.code, 0, result.stderr);
  assert.match(result.stdout, /^patch of standard input: none, it has all values already$/m);
  noSecrets(result);
});

review('a refusal is on stderr, and as JSON on stdout', async () => {
  const text = await runCommand(['review', '--cluster', CLUSTER, ...there], {
    env: { ...env, REGISTRY_CA_KUBECONFIG: `${env['REGISTRY_CA_KUBECONFIG']}#bad-token` },
  });
  assert.equal([text.code, text.stdout], [1, '']);
  assert.match(text.stderr, /^error CLUSTER_UNAUTHORIZED/);
  const json = await runCommand(['review', '--cluster', 'examples/ok-legacy', '-o', 'json'], { env });
  assert.is(json.code, 1);
  assert.is(JSON.parse(json.stdout).diagnostics[0].code, 'PATCH_NESTED');
  noSecrets(text);
});

review('what is wrong in the manifests is said before a cluster is asked', async () => {
  const asked = estate.caCluster.api.requests.length;
  const result = await runCommand(['review', '--cluster', 'examples/ok-legacy'], { env });
  assert.is(result.code, 1);
  assert.is(estate.caCluster.api.requests.length, asked);
});

review('not enabled: nothing is asked, nothing to review', async () => {
  const config = join(folder, 'off.yaml');
  writeFileSync(config, 'type: talos\n');
  const result = await runCommand(['review', '--config', config, '-'], { input: committed });
  assert.is(result.code, 0, result.stderr);
  assert.match(result.stdout, /nothing is enabled/);
});

review('with talosctl on PATH each holder is generated and validated', async () => {
  const { folder: bin, calls } = installTalosctl(join(folder, 'good'));
  const withTalosctl = { ...env, PATH: `${bin}:${env['PATH']}` };
  const result = await runCommand(['review', '--cluster', CLUSTER, ...there], { env: withTalosctl });
  assert.is(result.code, 0, result.stderr);
  assert.match(
    result.stdout,
    /^talosctl validate \(v1\.13\.9\)\n {2}TalosControlPlane ok-consumer-control-plane \/spec\/controlPlaneConfig\/controlplane: valid\n {2}TalosConfigTemplate ok-consumer-workers-4f1c \/spec\/template\/spec: valid\n {2}TalosConfigTemplate ok-consumer-gpu-9a20 \/spec\/template\/spec: valid$/m,
  );
  // The real values: what is validated is what is applied.
  const files = calls().flatMap((call) => call.files);
  const base64 = Buffer.from(estate.registryCa.certificatePem).toString('base64');
  assert.is(files.filter((text) => text.includes(base64)).length, 6);
  assert.not(calls().some(({ args }) => args.join(' ').includes(base64)));
  noSecrets(result);
});

for (const [trap, text] of [
  ['generate', 'patches refused'],
  ['validate', 'INVALID'],
] as const) {
  review(`a talosctl that refuses at ${trap} fails the review, and its words are not repeated`, async () => {
    const { folder: bin } = installTalosctl(join(folder, trap));
    const input = committed.replace('vm.nr_hugepages', TRAPS[trap]);
    const result = await runCommand(['review', '--config', CONFIG, '-', ...there], {
      env: { ...env, PATH: bin },
      input,
    });
    assert.is(result.code, 1);
    assert.match(
      result.stderr,
      /^error TALOSCTL_REFUSED \(line \d+:1 TalosConfigTemplate\/ok-consumer-gpu-9a20 /,
    );
    assert.match(
      result.stdout,
      new RegExp(`TalosConfigTemplate ok-consumer-gpu-9a20 /spec/template/spec: ${text}$`, 'm'),
    );
    noSecrets(result);
  });
}

review('a talosctl that hangs ends with the time limit, as a warning', async () => {
  const { folder: bin } = installTalosctl(join(folder, 'hang'));
  const input = committed.replace('vm.nr_hugepages', TRAPS.hang);
  const result = await runCommand(['review', '--config', CONFIG, '-', ...there, '--timeout', '5'], {
    env: { ...env, PATH: bin },
    input,
  });
  assert.is(result.code, 0, result.stderr);
  assert.match(result.stderr, /^warning TALOSCTL_TIMEOUT/m);
});

review('on a terminal the patch has colours; with NO_COLOR it has none', async () => {
  const onTerminal = (extra: Readonly<Record<string, string>>): Promise<CommandResult> =>
    run(
      'script',
      ['-qec', [process.execPath, COMMAND, 'review', '--cluster', CLUSTER, ...there].join(' '), '/dev/null'],
      {
        env: { ...env, TERM: 'xterm', ...extra },
      },
    );
  const coloured = await onTerminal({});
  assert.match(coloured.stdout, /\u001b\[32m\+ +ca: \(CA sha256:[0-9a-f]{64}\)\u001b\[0m/);
  noSecrets(coloured);
  assert.not.match((await onTerminal({ NO_COLOR: '1' })).stdout, /\u001b/);
});

review.run();
