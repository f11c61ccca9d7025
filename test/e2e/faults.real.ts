/**
 * Whatever breaks between the command and an API server, and wherever: a run ends in the whole manifest or in a code,
 * within its time limit. Real API servers, a proxy that does the harm, and the built command.
 *
 * `FUZZ_SEED=…` tries other offsets; `FAULT_CASE=17` runs that case alone; `PRINT_TABLE=1` prints how each class ended.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Code } from '../../src/diagnostic.ts';
import { type Certificate, issue, makeCa } from '../estate/certificates.ts';
import { HTTP_PLACES, TLS_PLACES } from '../estate/fault-places.ts';
import { ACTIONS, type Fault, type FaultProxy, startFaultProxy } from '../estate/fault-proxy.ts';
import { type RealEstate, startRealEstate } from '../estate/real/estate.ts';
import type { RealCluster } from '../estate/real/kube-apiserver.ts';
import { type CommandResult, runCommand } from '../support/command.ts';
import { firstCode } from '../support/first-code.ts';
import { functionInput } from '../support/function-input.ts';
import { fc } from '../support/fuzz.ts';

const faults = suite('faults between the command and a cluster');

const RUNS = 200;
const AT_A_TIME = 8;
/** For the start of a process on a busy machine, beyond the command's own limit. */
const GRACE_MS = 30_000;

interface Subject {
  readonly args: readonly string[];
  readonly input: string;
  /** The command's own. */
  readonly limitMs: number;
  /** What standard output starts with when it is refused. */
  readonly echo: string;
}

const CLUSTER = 'examples/ok-consumer';
const LIST = functionInput();
const SUBJECTS = {
  render: { args: ['render', '--cluster', CLUSTER, '--timeout', '4'], input: '', limitMs: 4000, echo: '' },
  review: {
    // What a slow cluster leaves of the time is not always enough for the registry.
    args: ['review', '--cluster', CLUSTER, '--timeout', '4', '--skip-probe'],
    input: '',
    limitMs: 4000,
    echo: '',
  },
  function: { args: [], input: LIST, limitMs: 30_000, echo: LIST },
} as const satisfies Readonly<Record<string, Subject>>;
type SubjectName = keyof typeof SUBJECTS;

interface Case {
  readonly subject: SubjectName;
  readonly cluster: 'ca' | 'infra';
  readonly fault: Fault;
}

const VARIABLES = { ca: 'REGISTRY_CA_KUBECONFIG', infra: 'TALOS_INFRA_KUBECONFIG' } as const;

const CLASSES = ACTIONS.flatMap((action) => [
  ...TLS_PLACES.map((place) => ({ kind: 'tls', place, action }) as const),
  ...HTTP_PLACES.map((place) => ({ kind: 'http', place, action }) as const),
]);
const ALL = [...cases().entries()];
const CASES = ALL.filter(([number]) => (process.env['FAULT_CASE'] ?? `${number}`) === `${number}`);

let estate: RealEstate;
let proxyCa: Certificate;
let serving: Certificate;
let folder: string;
/** Kubeconfigs without a proxy. */
let direct: Readonly<Record<string, string>>;
let whole: Readonly<Record<SubjectName, string>>;

faults.before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'registry-trust-faults-'));
  estate = await startRealEstate();
  proxyCa = await makeCa();
  serving = await issue(proxyCa, { ips: ['127.0.0.1', '127.0.0.2'] });
  direct = {
    [VARIABLES.ca]: estate.caCluster.kubeconfigPath('admin-token'),
    [VARIABLES.infra]: estate.infraCluster.kubeconfigPath('admin-token'),
  };
  const undisturbed = async (name: SubjectName): Promise<string> => {
    const result = await runSubject(name, {});
    if (result.code !== 0) console.error(result.stderr);
    return result.stdout;
  };
  whole = {
    render: await undisturbed('render'),
    review: await undisturbed('review'),
    function: await undisturbed('function'),
  };
});

faults.after(async () => {
  await estate?.stop();
  rmSync(folder, { recursive: true, force: true });
});

faults(`${CASES.length} runs: the whole manifest or a code, in time`, async () => {
  assert.match(whole.render, /ca: LS0tLS1CRUdJTi/);
  assert.match(whole.review, /sha256:/);
  assert.match(whole.function, /ca: LS0tLS1CRUdJTi/);
  const endings: Ending[] = [];
  const queue = [...CASES];
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift())
      endings.push(await endingOf(...next));
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  if (process.env['PRINT_TABLE'] !== undefined) printTable(endings);
  assert.equal(
    endings.flatMap(({ problems }) => problems),
    [],
  );
});

faults.run();

/** Every class of place and harm in turn; what is left open is drawn. */
function cases(): readonly Case[] {
  const details = fc.record({
    subject: fc.constantFrom<SubjectName>('render', 'review', 'function'),
    cluster: fc.constantFrom('ca', 'infra'),
    fraction: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    hits: fc.constantFrom('every', 'every', 'every', 'first', 'every-second'),
  });
  return fc.sample(details, RUNS).map(({ subject, cluster, fraction, hits }, i) => ({
    // The function's limit is its own, 30 seconds: one silent server in each place is enough to wait for.
    subject: CLASSES[i % CLASSES.length]?.action === 'stall' && i >= CLASSES.length ? 'render' : subject,
    cluster,
    fault: { ...(CLASSES[i % CLASSES.length] as (typeof CLASSES)[number]), fraction, hits } as Fault,
  }));
}

interface Ending {
  readonly label: string;
  readonly outcome: string;
  readonly firstLine: string;
  readonly problems: readonly string[];
}

async function endingOf(number: number, { subject, cluster, fault }: Case): Promise<Ending> {
  const target = cluster === 'ca' ? estate.caCluster : estate.infraCluster;
  const proxy = await startFaultProxy({ host: target.host, target, fault, serving });
  const path = join(folder, `${number}.kubeconfig`);
  writeFileSync(path, kubeconfigThrough(target, proxy, fault), { mode: 0o600 });
  const result = await runSubject(subject, { [VARIABLES[cluster]]: path });
  await proxy.stop();
  const problems = judge(subject, fault, result, proxy);
  const title = `case ${number} (FUZZ_SEED=${fc.readConfigureGlobal().seed}, ${subject}, ${cluster} cluster, ${JSON.stringify(fault)})`;
  return {
    label: `${fault.kind} ${fault.place}: ${fault.action}`,
    outcome: outcomeOf(result),
    firstLine: result.stderr.split('\n', 1)[0] ?? '',
    problems: problems.map((problem) => `${title}: ${problem}; ${JSON.stringify(result.stderr)}`),
  };
}

function runSubject(name: SubjectName, env: Readonly<Record<string, string>>): Promise<CommandResult> {
  const { args, input, limitMs }: Subject = SUBJECTS[name];
  // The function has no flag for the resolver; a name below .internal has no address for the system's.
  const dns = name === 'function' ? [] : ['--dns-server', estate.dns.address];
  return runCommand([...args, ...dns], {
    input,
    limitMs: limitMs + GRACE_MS,
    env: { ...direct, ...env },
  });
}

/** The one that ends TLS has a certificate of its own. */
function kubeconfigThrough(target: RealCluster, proxy: FaultProxy, { kind }: Fault): string {
  const text = target.kubeconfig('admin-token').replace(target.url, `https://${target.host}:${proxy.port}`);
  const base64 = (pem: string): string => Buffer.from(pem).toString('base64');
  return kind === 'tls' ? text : text.replace(base64(target.servingCaPem), base64(proxyCa.certificatePem));
}

/** What a broken connection may be called: anything else, and INTERNAL above all, would mislead. */
const EXPECTED: readonly Code[] = [
  'HYDRATED',
  'CLUSTER_REFUSED',
  'CLUSTER_UNREACHABLE',
  'CLUSTER_TLS',
  'CLUSTER_TIMEOUT',
  'CLUSTER_ERROR',
];

function judge(
  name: SubjectName,
  fault: Fault,
  { code, stdout, stderr }: CommandResult,
  { counts }: FaultProxy,
): readonly string[] {
  const { echo } = SUBJECTS[name];
  const shown = firstCode(stderr);
  const expected = expectedCode(fault);
  const problems: readonly (readonly [boolean, string])[] = [
    [code === null, 'it hangs'],
    [code !== null && code !== 0 && code !== 1, `exit code ${code}`],
    [code === 0 && stdout !== whole[name], 'success with other bytes than without the fault'],
    [code === 1 && !isRefused(stdout, echo), 'refused with something on standard output'],
    [code === 1 && !/^error /.test(stderr), 'refused without an error first'],
    [!EXPECTED.some((code) => code === shown), `code ${shown}`],
    [/^\s+at |Warning:|UnhandledPromise|node:internal/m.test(stderr), 'a stack trace or a warning of Node'],
    [expected !== undefined && code !== expected, `exit code ${code} instead of ${expected}`],
    [fault.hits !== 'every-second' && counts.harmed === 0, 'the proxy did no harm'],
  ];
  return problems.flatMap(([isProblem, text]) => (isProblem ? [text] : []));
}

function isRefused(stdout: string, echo: string): boolean {
  return echo === ''
    ? stdout === ''
    : stdout.startsWith(echo) && stdout.slice(echo.length).startsWith('results:');
}

/** Nothing where it depends: on a second try, or on whether a reset overtakes what was sent before it. */
function expectedCode({ action, place, hits }: Fault): 0 | 1 | undefined {
  if (action === 'delay' || action === 'dribble') return 0;
  if (place === 'after-body') return action === 'reset' ? undefined : 0;
  return hits === 'every' ? 1 : undefined;
}

function outcomeOf({ code, stderr }: CommandResult): string {
  return code === 0 ? 'whole' : (/^error ([A-Z_]+)/.exec(stderr)?.[1] ?? `exit code ${code}`);
}

function printTable(endings: readonly Ending[]): void {
  const rows = Map.groupBy(endings, ({ label, outcome }) => `| ${label} | ${outcome} |`);
  for (const [row, same] of [...rows].sort())
    console.log(`${row} ${same.length} | \`${same[0]?.firstLine}\` |`);
}
