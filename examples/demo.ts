/**
 * `make demo`: the main job on an estate of stand-ins in this process, with the real command as a child process. Shows
 * the hydrated manifest, what differs from the committed one, where the address came from, that the CA which was
 * written verifies the registry, what review shows of it, and a refused manifest.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { startEstate } from '../test/estate/estate.ts';

const ROOT = join(import.meta.dirname, '..');
const COMMAND = join(ROOT, 'dist', 'registry-trust.js');
const EXAMPLES = relative(process.cwd(), import.meta.dirname);
const HOST = 'registry.ok-shared.internal';

interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const estate = await startEstate();
const folder = mkdtempSync(join(tmpdir(), 'registry-trust-demo-'));
try {
  const kubeconfigs = estate.writeKubeconfigs(folder);
  const env = {
    ...process.env,
    NO_COLOR: '1',
    REGISTRY_CA_KUBECONFIG: kubeconfigs.ca,
    TALOS_INFRA_KUBECONFIG: kubeconfigs.infra,
  };

  title('1. A hydrated manifest: registry-trust render --cluster ok-consumer');
  const rendered = await run(
    ['render', '--cluster', join(EXAMPLES, 'ok-consumer'), '--dns-server', estate.dns.address],
    env,
  );
  expectCode(rendered, 0);
  console.log(shorten(rendered.stdout));

  title('2. What differs from the committed file: patches of ours, nothing else');
  const committed = readFileSync(join(ROOT, 'examples/ok-consumer/cluster-base.yaml'), 'utf8');
  console.log(shorten(difference(committed, rendered.stdout)));

  title('3. Where the values came from (standard error)');
  console.log(rendered.stderr);

  title('4. The CA that was written verifies the registry, for a client that trusts nothing else');
  const ca = /ca: ([A-Za-z0-9+/=]+)/.exec(rendered.stdout)?.[1] ?? '';
  const status = await ping(Buffer.from(ca, 'base64').toString(), estate.registry.port);
  console.log(`GET https://${HOST}/v2/ → ${status}\n`);
  if (status !== 200) throw new Error('the registry was not trusted');

  title('5. The same, and what would be applied, to look at before: registry-trust review (its first part)');
  const connectTo = `127.0.0.1:${estate.registry.port}`;
  const reviewed = await run(
    [
      'review',
      ...['--cluster', join(EXAMPLES, 'ok-consumer')],
      ...['--dns-server', estate.dns.address, '--connect-to', connectTo],
    ],
    env,
  );
  expectCode(reviewed, 0);
  console.log(`${reviewed.stdout.split('\npatch of', 1)[0]}\n${reviewed.stderr}`);

  title('6. A refused manifest: registry-trust check --cluster ok-legacy');
  const refused = await run(['check', '--cluster', join(EXAMPLES, 'ok-legacy')], env);
  expectCode(refused, 1);
  console.log(refused.stderr);
} finally {
  rmSync(folder, { recursive: true, force: true });
  await estate.stop();
}

function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Result> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [COMMAND, ...args], { env }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? 1, stdout, stderr }),
    );
  });
}

function expectCode(result: Result, code: number): void {
  if (result.code !== code) throw new Error(`exit code ${result.code} instead of ${code}\n${result.stderr}`);
}

function ping(ca: string, port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      path: '/v2/',
      servername: HOST,
      headers: { host: HOST },
      ca,
      agent: false,
    };
    get(options, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });
}

/** Lines only in the hydrated text (+) and only in the committed one (-); hydrated lines come in the committed order. */
function difference(before: string, after: string): string {
  const old = before.split('\n');
  const lines: string[] = [];
  let i = 0;
  for (const line of after.split('\n')) {
    if (line === old[i]) {
      i++;
      continue;
    }
    if (old[i]?.includes('registryTrust:')) lines.push(`- ${old[i++]}`);
    lines.push(`+ ${line}`);
  }
  return lines.join('\n');
}

/** A CA is long; a terminal is not. */
function shorten(text: string): string {
  return text.replace(/(ca: [A-Za-z0-9+/]{24})[A-Za-z0-9+/=]+/g, '$1…');
}

function title(text: string): void {
  console.log(`\u2500\u2500 ${text}\n`);
}
