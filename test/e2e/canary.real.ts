/**
 * No secret leaves: every command in every failure, with secrets wherever one could be picked up, and a search for each of
 * them, whole or in pieces and in every encoding, in everything that a run leaves behind.
 *
 * `CANARY_FAILURE='403'` runs the failures with that in their names; `PRINT_TABLE=1` prints failure, code and first line.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { issue, issueClient, makeCa } from '../estate/certificates.ts';
import { type ConnectProxy, startConnectProxy } from '../estate/connect-proxy.ts';
import { caObjects, REGISTRY_ADDRESS, REGISTRY_HOST } from '../estate/estate.ts';
import {
  type Arrangement,
  CA_CONTENTS,
  FAILURES,
  type Failure,
  HOSTILE_ANSWERS,
  type Place,
  type Planted,
} from '../estate/failures.ts';
import { startHostileApi } from '../estate/hostile-api.ts';
import type { HttpsServer } from '../estate/https-server.ts';
import { type RealEstate, startRealEstate } from '../estate/real/estate.ts';
import { REGISTRIES } from '../estate/registry-failures.ts';
import { parseObjectPath } from '../estate/status.ts';
import { DNS_ANSWERS } from '../estate/way-failures.ts';
import type { Listener } from '../resolve/probe/registries.ts';
import { type FindLeaks, leakFinder } from '../support/canary.ts';
import { closedPort } from '../support/closed-port.ts';
import { ROOT } from '../support/command.ts';
import { firstCode } from '../support/first-code.ts';
import { functionConfig, functionInput } from '../support/function-input.ts';
import { loudly } from '../support/loudly.ts';
import { type WatchedRun, watchedRun } from '../support/watched-run.ts';

const canaries = suite('canaries');

const AT_A_TIME = 6;
const LIMIT_MS = 90_000;

interface Files {
  readonly config: string;
  readonly base: string;
}

interface Given extends Files {
  /** Where the registry listens. */
  readonly registry: string;
}

interface Subject {
  readonly name: string;
  readonly args: (given: Given) => readonly string[];
  readonly input: (config: string, manifest: string) => string;
  /** What standard output has besides diagnostics: `manifest` may hold what was committed, and what is written into it. */
  readonly stdout: 'manifest' | 'report';
}

const noInput = (): string => '';
const files = ({ config, base }: Files): readonly string[] => ['--config', config, base];

const online = (): readonly string[] => ['--timeout', '8', '--dns-server', estate.dns.address];
const reviewed = (given: Given): readonly string[] => [
  ...online(),
  '--connect-to',
  given.registry,
  ...files(given),
];

const SUBJECTS: readonly Subject[] = [
  {
    name: 'function',
    args: () => [],
    input: (config, manifest) => functionInput(manifest, config),
    stdout: 'manifest',
  },
  {
    name: 'stream',
    args: () => [],
    input: (config, manifest) => `${config}---\n${manifest}`,
    stdout: 'manifest',
  },
  {
    name: 'render',
    args: (f) => ['render', ...online(), ...files(f)],
    input: noInput,
    stdout: 'manifest',
  },
  {
    name: 'render -o json',
    args: (f) => ['render', '-o', 'json', ...online(), ...files(f)],
    input: noInput,
    stdout: 'manifest',
  },
  {
    name: 'render --offline',
    args: (f) => ['render', '--offline', ...files(f)],
    input: noInput,
    stdout: 'manifest',
  },
  { name: 'check', args: (f) => ['check', ...files(f)], input: noInput, stdout: 'report' },
  {
    name: 'check -o json',
    args: (f) => ['check', '-o', 'json', ...files(f)],
    input: noInput,
    stdout: 'report',
  },
  { name: 'effective', args: (f) => ['effective', ...files(f)], input: noInput, stdout: 'report' },
  {
    name: 'effective -o json',
    args: (f) => ['effective', '-o', 'json', ...files(f)],
    input: noInput,
    stdout: 'report',
  },
  {
    name: 'review',
    args: (f) => ['review', ...reviewed(f)],
    input: noInput,
    stdout: 'report',
  },
  {
    name: 'review -o json',
    args: (f) => ['review', '-o', 'json', ...reviewed(f)],
    input: noInput,
    stdout: 'report',
  },
  {
    name: 'review --diff',
    args: (f) => ['review', '--diff', ...reviewed(f)],
    input: noInput,
    stdout: 'report',
  },
  {
    name: 'review --diff -o json',
    // Without a question for the address, so that the failures of its cluster are those of the comparison.
    args: (f) => ['review', '--diff', '-o', 'json', '--address', REGISTRY_ADDRESS, ...reviewed(f)],
    input: noInput,
    stdout: 'report',
  },
  { name: 'help', args: () => ['render', '--help'], input: noInput, stdout: 'report' },
];

const MANIFEST = readFileSync(join(ROOT, 'examples/ok-consumer/cluster-base.yaml'), 'utf8');
const CONFIG = functionConfig();
const WANTED = FAILURES.filter(({ name }) => name.includes(process.env['CANARY_FAILURE'] ?? ''));
const CASES = WANTED.flatMap((failure) => SUBJECTS.map((subject) => ({ failure, subject })));

let estate: RealEstate;
let hostile: HttpsServer;
let proxy: ConnectProxy;
const registries = new Map<string, Listener>();
let folder: string;
let place: Place;
let findLeaks: FindLeaks;
/** For the manifest itself: the login of a mirror is written into it, and what was committed stays. */
let findLeaksInManifest: FindLeaks;

canaries.before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'registry-trust-canary-'));
  estate = await startRealEstate();
  await loudly(async () => {
    place = await arrangePlace();
  });
});

canaries.after(async () => {
  await hostile?.stop();
  await proxy?.stop();
  await Promise.all([...registries.values()].map((registry) => registry.stop()));
  await estate?.stop();
  rmSync(folder, { recursive: true, force: true });
});

canaries(`${CASES.length} cases: ${SUBJECTS.length} commands in ${WANTED.length} failures`, async () => {
  const shared = watchSharedMemory();
  const problems: string[] = [];
  const queue = [...CASES.entries()];
  const rows = new Map<string, string>();
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [number, { failure, subject }] = next;
      const result = await runCase(number, failure, subject);
      problems.push(
        ...judge(failure, subject, result).map((one) => `${subject.name} in "${failure.name}": ${one}`),
      );
      if (subject.name === 'render') rows.set(failure.name, result.stderr.split('\n', 1)[0] ?? '');
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  for (const leak of findLeaks(shared())) problems.push(`/dev/shm: ${JSON.stringify(leak)}`);
  if (process.env['PRINT_TABLE'] !== undefined)
    for (const { name, code } of WANTED) console.log(`| ${name} | ${code} | \`${rows.get(name)}\` |`);
  assert.equal(problems, []);
});

canaries.run();

async function runCase(number: number, failure: Failure, subject: Subject): Promise<WatchedRun> {
  const own = (name: string): string => {
    const path = join(folder, `${number}`, name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const [given, cwd, home, tmp] = [own('given'), own('cwd'), own('home'), own('tmp')];
  const arrangement = failure.arrange(place);
  const config = arrangement.config?.(CONFIG) ?? CONFIG;
  const manifest = arrangement.manifest?.(MANIFEST) ?? MANIFEST;
  const write = (name: string, text: string): string => {
    const path = join(given, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  return watchedRun(
    subject.args({
      config: write('config.yaml', config),
      base: write('base.yaml', manifest),
      registry: arrangement.registry ?? `${estate.registry.address}:${estate.registry.port}`,
    }),
    {
      cwd,
      input: subject.input(config, manifest),
      limitMs: LIMIT_MS,
      env: { ...kubeconfigs(arrangement, write), HOME: home, TMPDIR: tmp, ...arrangement.env },
    },
    [cwd, home, tmp],
  );
}

function kubeconfigs(
  { ca = place.hostile('ok'), context, infra = place.hostile('ok'), workload }: Arrangement,
  write: (name: string, text: string) => string,
): Readonly<Record<string, string>> {
  const path = typeof ca === 'string' ? write('ca.kubeconfig', ca) : ca.path;
  return {
    REGISTRY_CA_KUBECONFIG: context === undefined ? path : `${path}#${context}`,
    TALOS_INFRA_KUBECONFIG: write('infra.kubeconfig', infra),
    ...(workload === undefined ? {} : { TALOS_WORKLOAD_KUBECONFIG: write('workload.kubeconfig', workload) }),
  };
}

function judge(failure: Failure, subject: Subject, run: WatchedRun): readonly string[] {
  const { code, stdout, stderr, processes, created } = run;
  const isManifest = subject.stdout === 'manifest';
  const isDiff = subject.name.startsWith('review --diff');
  // The function echoes its items, which are the caller's own, and then gives results.
  const at = stdout.lastIndexOf('\nresults:');
  const results = at === -1 ? '' : stdout.slice(at);
  const [said, manifest] = isManifest ? [subject.name === 'function' ? results : '', stdout] : [stdout, ''];
  const leaks = [
    ...findLeaks({ stderr, stdout: said, processes: processes.join('\n'), files: created.join('\n') }),
    ...findLeaksInManifest({ stdout: manifest }),
  ];
  const shown = firstCode(stderr);
  const problems: readonly (readonly [boolean, string])[] = [
    [created.length > 0, `files appeared: ${created.join(', ')}`],
    [code !== 0 && code !== 1 && !(code === 2 && isDiff), `exit code ${code}`],
    [isDiff && code === 0, 'no difference to live objects that differ'],
    [code === 1 && isManifest && subject.name !== 'function' && stdout !== '', 'refused with a manifest'],
    [
      /\bINTERNAL\b|^\s+at |Warning:|node:internal/m.test(stderr),
      'a bug, a stack trace or a warning of Node',
    ],
    [
      subject.name === 'render' && shown !== failure.code,
      `code ${shown} instead of ${failure.code}: ${stderr}`,
    ],
  ];
  return [
    ...leaks.map((leak) => `LEAK ${JSON.stringify(leak)}`),
    ...problems.flatMap(([isProblem, text]) => (isProblem ? [text] : [])),
  ];
}

/** Others use it too, so it is what appears there that is looked at, not that something does. */
function watchSharedMemory(): () => Readonly<Record<string, string>> {
  const texts: Record<string, string> = {};
  const watcher = watch('/dev/shm', (_event, name) => {
    try {
      texts[`${name}`] = `${texts[`${name}`] ?? ''}${readFileSync(join('/dev/shm', `${name}`), 'latin1')}`;
    } catch {
      // Gone already, or somebody else's.
    }
  });
  return () => {
    watcher.close();
    return texts;
  };
}

async function arrangePlace(): Promise<Place> {
  const secret = (name: string): string => `canary-${name}-${crypto.randomUUID()}`;
  const servingCa = await makeCa({ commonName: 'hostile cluster CA' });
  const serving = await issue(servingCa, { ips: ['127.0.0.1'] });
  const clientCa = await makeCa({ commonName: 'client CA' });
  const client = await issueClient(clientCa, { commonName: 'somebody', organization: 'nobody' });
  const expired = await makeCa({ notBefore: new Date(0), notAfter: new Date(86_400_000) });
  const { registryCa, caCluster, infraCluster } = estate;
  const planted: Planted = {
    token: secret('token'),
    fileToken: secret('file-token'),
    pluginToken: secret('plugin-token'),
    proxyPassword: secret('proxy-password'),
    registryPassword: secret('registry-password'),
    committed: secret('committed'),
    clientKeyPem: client.privateKeyPem,
    caKeyPem: registryCa.privateKeyPem,
  };
  const [wrongToken, kubeconfigNote] = [secret('wrong-token'), secret('kubeconfig')];
  const clients = {
    expired: await caCluster.clientCertificate('expired'),
    foreign: await caCluster.clientCertificate('foreign'),
  };
  const pem = {
    ca: registryCa.certificatePem,
    expired: expired.certificatePem,
    notACa: serving.certificatePem,
    client: client.certificatePem,
  };
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const kubeconfig = (
    behaviour: string,
    user: object = { token: planted.token },
    cluster: object = {},
  ): string =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      clusters: [
        {
          name: 'a',
          cluster: {
            server: `https://127.0.0.1:${hostile.port}/${behaviour}`,
            'certificate-authority-data': base64(servingCa.certificatePem),
            ...cluster,
          },
        },
      ],
      users: [{ name: 'a', user }],
      preferences: { note: kubeconfigNote },
    });
  proxy = await startConnectProxy({ whim: 407 });
  for (const [name, answer] of Object.entries(DNS_ANSWERS)) estate.dns.answer(name, answer(planted));
  const made: Place = {
    planted,
    pem,
    hostile: kubeconfig,
    real: (user) => {
      switch (user) {
        case 'admin-token':
        case 'powerless':
          return caCluster.kubeconfig(user);
        case 'expired':
        case 'foreign':
          return caCluster.kubeconfig(clients[user]);
        case 'wrong-token':
          return caCluster.kubeconfig({ token: wrongToken });
        case 'wrong-ca':
          return caCluster
            .kubeconfig('admin-token')
            .replace(base64(caCluster.servingCaPem), base64(infraCluster.servingCaPem));
      }
    },
    plugin: (script) => ({
      exec: {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: process.execPath,
        // Not among the arguments; late enough to be seen in the list of processes.
        args: [file(`setTimeout(() => { ${script} }, 60);`)],
        interactiveMode: 'Never',
      },
    }),
    file,
    closedPort: await closedPort(),
    registry: (name) => `127.0.0.1:${registries.get(name)?.port}`,
    scoldingProxy: `127.0.0.1:${proxy.port}`,
  };
  const registryServing = await issue(registryCa, { dnsNames: [REGISTRY_HOST] });
  for (const [name, startRegistry] of Object.entries(REGISTRIES))
    registries.set(name, await startRegistry(registryServing, planted));
  hostile = await startHostileApi({
    serving,
    answers: HOSTILE_ANSWERS,
    objectFor: (...asked) => objectFor(made, ...asked),
  });
  const keys = {
    'client key': client,
    'CA key': registryCa,
    'expired key': { privateKeyPem: clients.expired.keyPem },
  };
  const ofRun = [
    ...Object.entries({ ...planted, wrongToken }).filter(([, value]) => !value.includes('-----')),
    ...Object.entries(keys).map(([name, { privateKeyPem }]) => [name, body(privateKeyPem)] as const),
    ...[caCluster, infraCluster].flatMap(({ name, canaries }) =>
      canaries.map((value, i) => [`${name} ${i}`, value] as const),
    ),
    ['kubeconfig contents', kubeconfigNote] as const,
  ].map(([name, value]) => ({ name, value }));
  const publicTexts = Object.values(pem).flatMap((text) => [text, body(text), base64(text)]);
  findLeaks = leakFinder(ofRun, publicTexts);
  findLeaksInManifest = leakFinder(
    ofRun.filter(({ name }) => name !== 'registryPassword' && name !== 'committed'),
    publicTexts,
  );
  return made;
}

function file(content: string): string {
  const path = join(mkdtempSync(join(folder, 'given-')), 'file');
  writeFileSync(path, content, { mode: 0o600 });
  return path;
}

/** What is secret of a key: its lines as one, for the frame is the same in all. */
function body(pem: string): string {
  return pem.replace(/-----[^-]+-----|\n/g, '');
}

/** What the hostile server has: the estate's objects, with another CA or another login by what it is told to do. */
function objectFor(at: Place, behaviour: string, path: string): string {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const asked = parseObjectPath(path) ?? { group: '', resource: '', namespace: '', name: '' };
  const { namespace, name } = asked;
  const metadata = { name, namespace };
  const [, apiVersion] = /^\/apis\/([^/]+\/[^/]+)\//.exec(path) ?? [];
  if (apiVersion !== undefined)
    return JSON.stringify({ apiVersion, kind: LIVE_KINDS[asked.resource], metadata, spec: liveSpec(at) });
  if (name === 'ok-shared-ingress')
    return JSON.stringify({ metadata, status: { loadBalancer: { ingress: [{ ip: '10.20.0.15' }] } } });
  if (name === 'registry-login') return JSON.stringify({ metadata, data: loginOf(at, behaviour) });
  const [secret] = caObjects(estate.registryCa);
  const content = CA_CONTENTS[behaviour]?.(at);
  const data = {
    ...(secret?.body['data'] as object),
    ...(content === undefined ? {} : { 'ca.crt': base64(content) }),
  };
  return JSON.stringify({ ...secret?.body, data });
}

const LIVE_KINDS: Readonly<Record<string, string>> = {
  taloscontrolplanes: 'TalosControlPlane',
  talosconfigtemplates: 'TalosConfigTemplate',
  machinedeployments: 'MachineDeployment',
};

/** What somebody put into live objects: secrets in values, in texts, and in keys that aren't names. */
function liveSpec({ planted }: Place): object {
  const { committed, registryPassword, caKeyPem } = planted;
  const patches = {
    data: caKeyPem,
    configPatches: [
      { op: 'add', path: committed, value: { [caKeyPem]: committed, password: registryPassword } },
      { op: 'add', path: '/machine', value: { [`https://u:${registryPassword}@h`]: { a: 1 } } },
    ],
    strategicPatches: [caKeyPem],
  };
  return {
    version: committed,
    replicas: registryPassword,
    infrastructureTemplate: { apiVersion: `${committed}/v1`, kind: registryPassword, name: committed },
    controlPlaneConfig: { init: patches, controlplane: patches },
    template: { spec: { ...patches, bootstrap: { configRef: { kind: committed, name: registryPassword } } } },
  };
}

function loginOf({ planted: { registryPassword } }: Place, behaviour: string): object {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const login = { username: 'puller', password: registryPassword };
  switch (behaviour) {
    case 'login-broken':
      return { '.dockerconfigjson': base64(JSON.stringify({ auths: { a: login } }).slice(0, -4)) };
    case 'login-other':
      return { '.dockerconfigjson': base64(JSON.stringify({ auths: { 'other.internal': login } })) };
    default:
      return { username: base64('puller'), password: base64(registryPassword) };
  }
}
