/** `review` of the built command against a real registry behind a front that routes by name. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Certificate, issue, makeCa } from '../estate/certificates.ts';
import { type Estate, REGISTRY_HOST, startEstate } from '../estate/estate.ts';
import { type RealRegistry, type RegistryOptions, startRegistry } from '../estate/real/registry.ts';
import { type CommandResult, runCommand } from '../support/command.ts';
import { firstCode } from '../support/first-code.ts';

const probe = suite('review and a real registry');

const AUTH = { user: 'puller', password: `canary-${crypto.randomUUID()}` };

let estate: Estate;
let folder: string;
let env: Readonly<Record<string, string>>;
let serving: Certificate;
const started: RealRegistry[] = [];

probe.before(async () => {
  estate = await startEstate();
  folder = mkdtempSync(join(tmpdir(), 'registry-trust-probe-'));
  const kubeconfigs = estate.writeKubeconfigs(folder);
  env = { REGISTRY_CA_KUBECONFIG: kubeconfigs.ca, TALOS_INFRA_KUBECONFIG: kubeconfigs.infra, PATH: '' };
  serving = await issue(estate.registryCa, { dnsNames: [REGISTRY_HOST] });
});

probe.after(async () => {
  await Promise.all(started.map((registry) => registry.stop()));
  rmSync(folder, { recursive: true, force: true });
  await estate.stop();
});

probe('open: it answers, asked once, without credentials', async () => {
  const registry = await start({});
  const result = await review(registry);
  assert.equal([result.code, firstCode(result.stderr)], [0, 'HYDRATED']);
  assert.match(result.stderr, /^info PROBE_OK: .* \(200, no login\)\. CN=ok-shared internal CA \(sha256:/m);
  assert.equal(
    (await registry.requests()).map(({ method, host, path, authorization }) => [
      method,
      host,
      path,
      authorization,
    ]),
    [['GET', REGISTRY_HOST, '/v2/', '']],
  );
});

probe('with a login: the scheme is told', async () => {
  const result = await review(await start({ auth: AUTH }));
  assert.is(result.code, 0, result.stderr);
  assert.match(result.stderr, /^info PROBE_LOGIN: .* \(401, Basic\)/m);
  assert.not.match(result.stdout + result.stderr, new RegExp(AUTH.password));
});

for (const [unknownName, code] of [
  ['alert', 'PROBE_WRONG_NAME'],
  ['421', 'PROBE_WRONG_NAME'],
  ['default-page', 'PROBE_NOT_A_REGISTRY'],
] as const) {
  probe(`a front that doesn't know the host (${unknownName}): ${code}, and the report is there`, async () => {
    const result = await review(await start({ unknownName, host: 'other.ok-shared.internal' }));
    assert.equal([result.code, firstCode(result.stderr)], [1, code], result.stderr);
    assert.match(result.stdout, new RegExp(`^ {2}probe {4}127\\.0\\.0\\.1:\\d+ ${code}$`, 'm'));
    assert.match(result.stdout, /^\+ +ca: \(CA sha256:/m);
  });
}

probe('a certificate of another CA: nothing is asked over that connection', async () => {
  const registry = await start({ serving: await issue(await makeCa(), { dnsNames: [REGISTRY_HOST] }) });
  const result = await review(registry);
  assert.equal([result.code, firstCode(result.stderr)], [1, 'PROBE_UNKNOWN_AUTHORITY']);
  assert.equal(await registry.requests(), []);
});

probe('--skip-probe: it is not asked, and the report says so', async () => {
  const registry = await start({});
  const result = await review(registry, '--skip-probe');
  assert.is(result.code, 0, result.stderr);
  assert.match(result.stdout, /^ {2}probe {4}skipped \(--skip-probe\)$/m);
  assert.equal(await registry.requests(), []);
});

async function start(options: Partial<RegistryOptions>): Promise<RealRegistry> {
  const registry = await startRegistry({ host: REGISTRY_HOST, serving, unknownName: 'alert', ...options });
  started.push(registry);
  return registry;
}

function review({ address, port }: RealRegistry, ...more: readonly string[]): Promise<CommandResult> {
  const there = ['--dns-server', estate.dns.address, '--connect-to', `${address}:${port}`];
  return runCommand(['review', '--cluster', 'examples/ok-consumer', ...there, ...more], { env });
}

probe.run();
