/** The built command against the stand-in estate. */
import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Diagnostic } from '../../src/diagnostic.ts';
import { type Estate, startEstate } from '../estate/estate.ts';
import { COMMAND, type CommandResult, ROOT, run, runCommand } from '../support/command.ts';
import { functionInput } from '../support/function-input.ts';
import { loadedFiles } from '../support/loaded-files.ts';
import { notOwned } from '../support/owned-lines.ts';

const command = suite('command');

const CLUSTER = 'examples/ok-consumer';
const committed = readFileSync(join(ROOT, CLUSTER, 'cluster-base.yaml'), 'utf8');

let estate: Estate;
let folder: string;
let clusters: Readonly<Record<string, string>>;
let dns: readonly string[];

command.before(async () => {
  estate = await startEstate();
  folder = mkdtempSync(join(tmpdir(), 'registry-trust-test-'));
  const kubeconfigs = estate.writeKubeconfigs(folder);
  clusters = { REGISTRY_CA_KUBECONFIG: kubeconfigs.ca, TALOS_INFRA_KUBECONFIG: kubeconfigs.infra };
  dns = ['--dns-server', estate.dns.address];
});

command.after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await estate.stop();
});

command('render: the manifest on stdout, provenance on stderr, no other line changed', async () => {
  const result = await runCommand(['render', '--cluster', CLUSTER, ...dns], { env: clusters });
  assert.is(result.code, 0, result.stderr);
  assert.match(
    result.stderr,
    /^info HYDRATED: registry\.ok-shared\.internal is 10\.20\.0\.15 \(service\); its CA is sha256:[0-9a-f]{64} until /,
  );
  assert.not.match(result.stdout, /registryTrust/);
  assert.is(result.stdout.match(/ca: LS0tLS1CRUdJTi/g)?.length, 3);
  const ca = /ca: (\S+)/.exec(result.stdout)?.[1] ?? '';
  assert.is(Buffer.from(ca, 'base64').toString(), estate.registryCa.certificatePem);
  assert.equal(
    notOwned(
      committed,
      result.stdout.replaceAll(
        ca,
        Buffer.from('-----BEGIN CERTIFICATE-----\nZ29sZGVu\n-----END CERTIFICATE-----\n').toString('base64'),
      ),
    ),
    [],
  );
  noCanaries(result);
});

command('render twice gives the same bytes, and its output renders to itself', async () => {
  const first = await runCommand(['render', '--cluster', CLUSTER, ...dns], { env: clusters });
  const again = await runCommand(['render', '--config', `${CLUSTER}/cluster-config.yaml`, '-', ...dns], {
    env: clusters,
    input: first.stdout,
  });
  assert.is(again.stdout, first.stdout);
});

command('the address: flag before variable before DNS before Service', async () => {
  estate.dns.answer('registry.ok-shared.internal', { records: [{ type: 'A', data: '10.20.0.99' }] });
  const addressOf = async (
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<string> => {
    const { stderr } = await runCommand(['render', '--cluster', CLUSTER, ...dns, ...args], {
      env: { ...clusters, ...env },
    });
    return /is (\S+ \(\w+\))/.exec(stderr)?.[1] ?? stderr;
  };
  assert.is(await addressOf([]), '10.20.0.99 (dns)');
  assert.is(await addressOf([], { REGISTRY_ADDRESS: '10.20.0.1' }), '10.20.0.1 (override)');
  assert.is(
    await addressOf(['--address', '10.20.0.2'], { REGISTRY_ADDRESS: '10.20.0.1' }),
    '10.20.0.2 (override)',
  );
  estate.dns.answer('registry.ok-shared.internal', { rcode: 'NXDOMAIN' });
});

command('render --offline: placeholders, no credentials, no network', async () => {
  const before = estate.caCluster.api.requests.length;
  const result = await runCommand(['render', '--offline', '--cluster', CLUSTER]);
  assert.is(result.code, 0);
  assert.is(result.stdout, committed);
  assert.is(estate.caCluster.api.requests.length, before);
});

command('not enabled: the original bytes, and nothing is asked', async () => {
  const config = join(folder, 'off.yaml');
  for (const [text, warned] of [
    ['type: talos\n', ''],
    ['type: talos\nregistryTrust: {enabled: false}\n', ''],
    ['type: talos\nregistryTrust: {enabled: "true"}\n', 'CONFIG_NOT_ENABLED'],
  ] as const) {
    writeFileSync(config, text);
    const input = 'not: [yaml\r\n\u00e9';
    const result = await runCommand(['render', '--config', config, '-'], { input });
    assert.equal(
      { ...result, stderr: result.stderr.includes(warned) && (warned === '') === (result.stderr === '') },
      { code: 0, stdout: input, stderr: true },
    );
  }
});

command('a hydrated manifest is never written to a regular file', async () => {
  const path = join(folder, 'out.yaml');
  const fd = openSync(path, 'w');
  const result = await runCommand(['render', '--cluster', CLUSTER, ...dns], { env: clusters, stdout: fd });
  const offline = await runCommand(['render', '--offline', '--cluster', CLUSTER], { stdout: fd });
  closeSync(fd);
  assert.is(result.code, 1);
  assert.match(result.stderr, /^error PERSIST_REFUSED/);
  assert.is(offline.code, 0);
  assert.is(readFileSync(path, 'utf8'), committed);
});

command('the function does not write a hydrated ResourceList to a regular file either', async () => {
  const path = join(folder, 'list.yaml');
  const input = functionInput();
  for (const [env, code] of [
    [{}, 1],
    [{ REGISTRY_TRUST_ALLOW_PERSIST: 'yes' }, 0],
  ] as const) {
    const fd = openSync(path, 'w');
    const result = await runCommand([], {
      env: { ...clusters, ...env, REGISTRY_ADDRESS: '10.20.0.15' },
      input,
      stdout: fd,
    });
    closeSync(fd);
    assert.is(result.code, code, result.stderr);
    assert.is(readFileSync(path, 'utf8').includes('LS0tLS1CRUdJTi'), code === 0);
    assert.match(result.stderr, code === 0 ? /^warning PERSIST_ALLOWED/ : /^error PERSIST_REFUSED/);
  }
});

command('on a terminal the CA is masked, unless --show', async () => {
  const env = { ...clusters, TERM: 'xterm' };
  const onTerminal = (args: readonly string[]): Promise<CommandResult> =>
    run(
      'script',
      [
        '-qec',
        [process.execPath, COMMAND, 'render', '--cluster', CLUSTER, ...dns, ...args].join(' '),
        '/dev/null',
      ],
      { env },
    );
  const masked = await onTerminal([]);
  const shown = await onTerminal(['--show']);
  assert.is(masked.code, 0);
  assert.not.match(masked.stdout, /LS0tLS1CRUdJTi/);
  assert.match(masked.stdout, /ca: \(CA sha256:[0-9a-f]{64}, shown with --show\)/);
  assert.match(masked.stdout, /\u001b\[36minfo\u001b\[0m HYDRATED/);
  assert.match(shown.stdout, /LS0tLS1CRUdJTi/);
  const plain = await run(
    'script',
    ['-qec', [process.execPath, COMMAND, 'render', '--cluster', CLUSTER, ...dns].join(' '), '/dev/null'],
    { env: { ...env, NO_COLOR: '1' } },
  );
  assert.not.match(plain.stdout, /\u001b/);
});

command('check: a summary, or the reasons', async () => {
  const good = await runCommand(['check', '--cluster', CLUSTER]);
  assert.equal(good, { code: 0, stdout: 'ok: 3 holders for registry.ok-shared.internal\n', stderr: '' });
  const bad = await runCommand(['check', '--cluster', 'examples/ok-legacy']);
  assert.is(bad.code, 1);
  assert.is(bad.stdout, '');
  assert.match(
    bad.stderr,
    /^error PATCH_NESTED \(examples\/ok-legacy\/cluster-base\.yaml:18:11 TalosConfigTemplate\/ok-legacy-workers \/spec\/template\/spec\/configPatches\/1\): .*\n {2}→ Consolidate it at the parent path/,
  );
});

command(
  'check: a holder without a placeholder gets a warning, since it could be applied unnoticed',
  async () => {
    const input = committed.replaceAll(/^ *- registryTrust: .*\n/gm, '');
    const result = await runCommand(['check', '--config', `${CLUSTER}/cluster-config.yaml`, '-'], { input });
    assert.is(result.code, 0, result.stderr);
    assert.is(result.stderr.match(/^warning PLACEHOLDER_MISSING \(line \d+:\d+ Talos/gm)?.length, 3);
    assert.match(
      result.stderr,
      /Commit \{registryTrust: registry\.ok-shared\.internal\} as an entry of strategicPatches/,
    );
  },
);

command(
  'check --against: nothing to do for its own rendering, and by name what would roll or be refused',
  async () => {
    const { stdout: live } = await runCommand(['render', '--cluster', CLUSTER, ...dns], { env: clusters });
    const same = await runCommand(['check', '--cluster', CLUSTER, '--against', '-'], { input: live });
    assert.is(same.code, 0, same.stderr);
    assert.match(same.stdout, /^ok: 3 holders for registry\.ok-shared\.internal; applying changes nothing/);
    const before = committed.replace(/^ *- registryTrust: .*\n/gm, '');
    const other = await runCommand(['check', '--cluster', CLUSTER, '--against', '-'], { input: before });
    assert.is(other.code, 1);
    assert.match(other.stderr, /^error ROLLOUT_REQUIRED/m);
    assert.match(other.stderr, /^error TEMPLATE_IMMUTABLE/m);
    assert.is(other.stdout, '');
    noCanaries(same);
    noCanaries(other);
  },
);

command('check --against: a pipe with nothing in it is no cluster without objects', async () => {
  const empty = await runCommand(['check', '--cluster', CLUSTER, '--against', '-'], { input: '' });
  assert.is(empty.code, 1);
  assert.match(empty.stderr, /^error HOLDER_NOT_FOUND \(standard input\)/);
  const none = await runCommand(['check', '--cluster', CLUSTER, '--against', '-'], {
    input: 'apiVersion: v1\nkind: List\nitems: []\n',
  });
  assert.is(none.code, 0, none.stderr);
  assert.match(none.stdout, /nothing was compared$/m);
  const config = `${CLUSTER}/cluster-config.yaml`;
  const twice = await runCommand(['check', '--config', config, '--against', '-'], { input: committed });
  assert.is(twice.code, 64);
});

command('check --against: values come from the cluster’s own objects, not from a neighbour’s', async () => {
  const { stdout: live } = await runCommand(['render', '--cluster', CLUSTER, ...dns], { env: clusters });
  const neighbour = live.replaceAll('ok-consumer', 'neighbour').replaceAll('10.20.0.15', '10.20.0.99');
  const result = await runCommand(['check', '--cluster', CLUSTER, '--against', '-'], {
    input: `${neighbour}---\n${live}`,
  });
  assert.is(result.code, 0, result.stderr);
});

command('mirrors and subnets beside a registryTrust block are checked and rendered together', async () => {
  const config = join(folder, 'with-all.yaml');
  writeFileSync(
    config,
    `${readFileSync(join(ROOT, CLUSTER, 'cluster-config.yaml'), 'utf8')}
registryMirrors:
  - registry: ghcr.io
    endpoints: [{url: "https://registry.ok-shared.internal/v2/ghcr.io", overridePath: true}]
clusterNetwork:
  podSubnets: [10.64.0.0/16]
`,
  );
  const input = committed.replace('talosVersion: v1.14', 'talosVersion: v1.13');
  const checked = await runCommand(['check', '--config', config, '-'], { input });
  assert.is(checked.code, 0, checked.stderr);
  const rendered = await runCommand(['render', '--config', config, ...dns, '-'], { input, env: clusters });
  assert.is(rendered.code, 0, rendered.stderr);
  assert.is(rendered.stdout.match(/ca: LS0tLS1CRUdJTi/g)?.length, 3);
  assert.is(rendered.stdout.match(/10\.64\.0\.0\/16/g)?.length, 3);
});

command('effective: what Talos makes of it, with fingerprints in place of the CA', async () => {
  const { stdout: rendered } = await runCommand(['render', '--cluster', CLUSTER, ...dns], { env: clusters });
  const config = `${CLUSTER}/cluster-config.yaml`;
  const text = await runCommand(['effective', '--config', config, '-'], { input: rendered });
  assert.is(text.code, 0, text.stderr);
  assert.is(
    text.stdout.match(/trust +registry\.ok-shared\.internal +CA sha256:[0-9a-f]{64} +ours, /g)?.length,
    3,
  );
  assert.is(text.stdout.match(/host +registry\.ok-shared\.internal +10\.20\.0\.15 +ours, /g)?.length, 3);
  const json = await runCommand(['effective', '-o', 'json', '-'], { input: rendered });
  const { holders } = JSON.parse(json.stdout) as { readonly holders: readonly unknown[] };
  assert.is(holders.length, 3);
  for (const result of [text, json]) {
    assert.not.match(result.stdout, /LS0tLS1CRUdJTi/);
    noCanaries(result);
  }
  const placeholders = await runCommand(['effective', '--cluster', CLUSTER]);
  assert.is(placeholders.stdout.match(/placeholder for registry\.ok-shared\.internal/g)?.length, 3);
});

command('mirrors and subnets by flags need no cluster, and may go to a file', async () => {
  const flags = [
    '--registry-mirror',
    'ghcr.io=https://one.internal',
    '--registry-mirror',
    'ghcr.io=https://two.internal',
    '--pod-subnets',
    '10.64.0.0/16,fd00:64::/56',
  ];
  const base = join(folder, 'base.yaml');
  writeFileSync(base, committed.replace(/^ *- registryTrust: .*\n/gm, ''));
  const file = openSync(join(folder, 'out.yaml'), 'w');
  const result = await runCommand(['render', ...flags, base], { stdout: file });
  closeSync(file);
  assert.is(result.code, 0, result.stderr);
  const output = readFileSync(join(folder, 'out.yaml'), 'utf8');
  assert.match(output, /ghcr\.io:\s+endpoints:\s+- "https:\/\/one\.internal"\s+- "https:\/\/two\.internal"/);
  assert.match(output, /podSubnets/);
  const again = await runCommand(['render', ...flags, '-'], { input: output });
  assert.is(again.stdout, output);
  for (const bad of [
    ['--registry-mirror', 'ghcr.io'],
    ['--registry-mirror', '=https://x.internal'],
  ])
    assert.is((await runCommand(['render', ...bad, base])).code, 64);
  const refused = await runCommand(['render', '--pod-subnets', '10.64.0.1/16', base]);
  assert.is(refused.code, 1);
  assert.match(refused.stderr, /^error SUBNET_INVALID/);
});

command('check --output json: one object on stdout', async () => {
  const good = await runCommand(['check', '--cluster', CLUSTER, '--output', 'json']);
  assert.equal(JSON.parse(good.stdout), { diagnostics: [] });
  const bad = await runCommand(['check', '--cluster', 'examples/ok-legacy', '-o', 'json']);
  const { diagnostics } = JSON.parse(bad.stdout) as { readonly diagnostics: readonly Diagnostic[] };
  assert.equal(
    diagnostics.map(({ code, severity, at }) => [code, severity, at?.line]),
    [['PATCH_NESTED', 'error', 18]],
  );
});

const USAGE: readonly (readonly string[])[] = [
  ['nonsense'],
  ['render'],
  ['render', '--cluster'],
  ['render', '--nonsense'],
  ['render', '--cluster', 'a', '--config', 'b'],
  ['render', '--config', '-', '-'],
  ['render', '--cluster', CLUSTER, '--output', 'xml'],
  ['render', '--cluster', CLUSTER, '--timeout', 'soon'],
  ['check', 'file.yaml'],
];

for (const args of USAGE) {
  command(`usage: ${args.join(' ')}`, async () => {
    const result = await runCommand(args);
    assert.is(result.code, 64);
    assert.is(result.stdout, '');
    assert.match(result.stderr, /^error USAGE: .*\n {2}→ See registry-trust/);
  });
}

command('a DNS server that is none is a usage error, found when it is needed', async () => {
  const result = await runCommand(['render', '--cluster', CLUSTER, '--dns-server', 'nonsense'], {
    env: clusters,
  });
  assert.is(result.code, 64);
  assert.match(result.stderr, /^error USAGE/);
});

command('a value pasted into an unknown option is not repeated', async () => {
  const { stderr } = await runCommand(['render', '--token=canary-value']);
  assert.not.match(stderr, /canary-value/);
});

command('a file that is missing or not UTF-8 is named', async () => {
  const path = join(folder, 'latin1.yaml');
  writeFileSync(path, Buffer.from([0x61, 0xe9, 0x0a]));
  for (const config of [join(folder, 'missing.yaml'), path]) {
    const result = await runCommand(['check', '--config', config, '-']);
    assert.is(result.code, 1);
    assert.match(result.stderr, /^error FILE_UNREADABLE/);
    assert.ok(result.stderr.includes(config));
  }
});

command('help and version', async () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  assert.equal(await runCommand(['--version']), { code: 0, stdout: `${version}\n`, stderr: '' });
  for (const args of [['--help'], ['help'], ['render', '--help'], ['check', '-h'], ['help', 'render']]) {
    const result = await runCommand(args);
    assert.is(result.code, 0);
    assert.match(result.stdout, /registry-trust/);
    for (const line of result.stdout.split('\n')) assert.ok(line.length <= 120, line);
  }
});

command('the function as a process: hydrated, and refused with the items echoed', async () => {
  const env = { ...clusters, REGISTRY_ADDRESS: '10.20.0.15' };
  const good = await runCommand([], { env, input: functionInput() });
  assert.is(good.code, 0, good.stderr);
  assert.match(good.stdout, /ca: LS0tLS1CRUdJTi/);
  noCanaries(good);
  const input = functionInput();
  const bad = await runCommand([], { env: {}, input });
  assert.is(bad.code, 1);
  assert.ok(bad.stdout.startsWith(input));
  assert.match(bad.stderr, /^error KUBECONFIG_NOT_SET/);
});

command('client-node is loaded only by a run that asks a cluster', async () => {
  const names = async (
    args: readonly string[],
    options: Parameters<typeof runCommand>[1],
  ): Promise<readonly string[]> =>
    (await loadedFiles(args, options)).filter((name) => name.startsWith('client-node'));
  const check = functionInput().replace('  spec:\n    host', '  spec:\n    mode: Check\n    host');
  assert.ok(check.includes('mode: Check'));
  assert.equal(await names([], { input: check }), []);
  assert.equal(await names(['render', '--offline', '--cluster', CLUSTER], {}), []);
  assert.equal(await names(['check', '--cluster', CLUSTER], {}), []);
  assert.equal(await names(['--help'], {}), []);
  assert.equal(
    await names([], { input: functionInput(), env: { ...clusters, REGISTRY_ADDRESS: '10.20.0.15' } }),
    ['client-node.cjs'],
  );
});

command('an exception that nobody catches is told without its message', async () => {
  const bug = "setImmediate(() => Promise.reject(new TypeError('canary-of-a-bug')))";
  const nodeArgs = ['--import', `data:text/javascript,${encodeURIComponent(bug)}`];
  const result = await runCommand(['render', '--cluster', CLUSTER, ...dns], { env: clusters, nodeArgs });
  assert.is(result.code, 1);
  assert.is(result.stdout, '');
  assert.match(result.stderr, /^error INTERNAL: A bug in registry-trust \(TypeError at /);
  assert.not.match(result.stderr, /canary/);
});

command('a reader that goes away ends the command with 1 and without a stack', async () => {
  const child = spawn(
    process.execPath,
    [COMMAND, 'render', '--offline', '--config', `${CLUSTER}/cluster-config.yaml`, '-'],
    { cwd: ROOT, stdio: ['pipe', 'pipe', 'pipe'] },
  );
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.stdout.destroy();
  child.stdin.on('error', () => undefined).end(`${committed}---\n${'# filler\n'.repeat(100_000)}`);
  const code = await new Promise((resolve) => child.on('close', resolve));
  assert.equal({ code, stderr }, { code: 1, stderr: '' });
});

command.run();

function noCanaries({ stdout, stderr }: CommandResult): void {
  for (const canary of estate.canaries) {
    for (const text of [canary, Buffer.from(canary).toString('base64').slice(0, -4)]) {
      assert.not(stderr.includes(text));
      assert.not(stdout.includes(text));
    }
  }
}
