/** `review --diff` of the built command against the stand-in estate: what it says, in text and JSON, and how it fails. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseAllDocuments } from 'yaml';
import { type Estate, REGISTRY_ADDRESS, startEstate } from '../estate/estate.ts';
import type { StoredObject } from '../estate/kubernetes-api.ts';
import { type CommandResult, ROOT, runCommand } from '../support/command.ts';

const diff = suite('review --diff');

const CLUSTER = 'examples/ok-consumer';
const CONFIG = `${CLUSTER}/cluster-config.yaml`;
const committed = readFileSync(join(ROOT, CLUSTER, 'cluster-base.yaml'), 'utf8');

let estate: Estate;
let folder: string;
let env: Readonly<Record<string, string>>;
/** As they are after an apply. */
let live: readonly StoredObject[];

diff.before(async () => {
  estate = await startEstate();
  folder = mkdtempSync(join(tmpdir(), 'registry-trust-diff-'));
  const kubeconfigs = estate.writeKubeconfigs(folder);
  // No talosctl of the machine that runs the tests.
  env = {
    REGISTRY_CA_KUBECONFIG: kubeconfigs.ca,
    TALOS_INFRA_KUBECONFIG: kubeconfigs.infra,
    PATH: '/usr/bin:/bin',
  };
  const rendered = await runCommand(['render', '--cluster', CLUSTER, ...dns()], { env });
  live = parseAllDocuments(rendered.stdout).map((document) => stored(document.toJS()));
});

diff.before.each(() => {
  for (const object of live) estate.infraCluster.api.put(object);
});

diff.after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await estate.stop();
});

diff('the same: exit code 0, one line for each object', async () => {
  const result = await review();
  assert.is(result.code, 0, result.stderr);
  assert.match(
    result.stdout,
    /\nlive objects of the infra cluster\n {2}TalosControlPlane ok-consumer\/ok-consumer-control-plane: same\n {2}TalosConfigTemplate ok-consumer\/ok-consumer-workers-4f1c: same\n {2}TalosConfigTemplate ok-consumer\/ok-consumer-gpu-9a20: same\n {2}MachineDeployment ok-consumer\/ok-consumer-workers: same\n$/,
  );
});

diff('without --diff no live object is asked for, and none is in the report', async () => {
  const { api } = estate.infraCluster;
  const before = api.requests.length;
  const result = await runCommand(['review', '--cluster', CLUSTER, '--skip-probe', ...dns(), '-o', 'json'], {
    env,
  });
  assert.is(result.code, 0, result.stderr);
  assert.not('diff' in JSON.parse(result.stdout));
  assert.equal(api.requests.slice(before), ['GET /api/v1/namespaces/ok-shared/services/ok-shared-ingress']);
});

diff('as JSON: object, state and pointers, on stdout alone', async () => {
  const [, controlPlane, workers] = live;
  put(controlPlane, (spec) => {
    spec.controlPlaneConfig.controlplane.configPatches[0].value.port = 'canary-port';
  });
  if (workers !== undefined) estate.infraCluster.api.delete(workers);
  const result = await review('-o', 'json');
  assert.is(result.code, 2);
  assert.is(result.stderr, '');
  const report = JSON.parse(result.stdout);
  const object = (apiVersion: string, kind: string, name: string) => ({
    apiVersion,
    kind,
    namespace: 'ok-consumer',
    name,
  });
  const BOOTSTRAP = 'bootstrap.cluster.x-k8s.io/v1alpha3';
  assert.equal(report.diff, [
    {
      object: object(
        'controlplane.cluster.x-k8s.io/v1alpha3',
        'TalosControlPlane',
        'ok-consumer-control-plane',
      ),
      state: 'differs',
      pointers: ['/spec/controlPlaneConfig/controlplane/configPatches/0/value/port'],
    },
    {
      object: object(BOOTSTRAP, 'TalosConfigTemplate', 'ok-consumer-workers-4f1c'),
      state: 'absent',
      pointers: [],
    },
    {
      object: object(BOOTSTRAP, 'TalosConfigTemplate', 'ok-consumer-gpu-9a20'),
      state: 'same',
      pointers: [],
    },
    {
      object: object('cluster.x-k8s.io/v1beta1', 'MachineDeployment', 'ok-consumer-workers'),
      state: 'same',
      pointers: [],
    },
  ]);
  assert.equal(codes(report), ['info HYDRATED', 'warning ROLLOUT_REQUIRED']);
});

diff(
  'two templates that differ in the same way are both told, each in its place of the committed file',
  async () => {
    for (const one of live.filter(({ resource }) => resource === 'talosconfigtemplates'))
      put(one, (spec) => {
        spec.template.spec.generateType = 'join';
      });
    const result = await review();
    assert.is(result.code, 2, result.stderr);
    const lines = committed.split('\n');
    const places = [
      ...result.stderr.matchAll(/^warning TEMPLATE_IMMUTABLE \([^:]+:(\d+):1 TalosConfigTemplate\/(\S+)\)/gm),
    ];
    assert.is(places.length, 2);
    for (const [, line, name] of places)
      assert.ok(
        lines.slice(Number(line) - 1, Number(line) + 4).includes(`  name: ${name}`),
        `${line} ${name}`,
      );
  },
);

diff('a live key that is no name is not repeated, nor what would end the line', async () => {
  const secret = 'https://user:canary-password@mirror.internal';
  put(live[1], (spec) => {
    const patch = spec.controlPlaneConfig.controlplane.configPatches[0];
    patch.value = { ...patch.value, [secret]: 1, 'a\nforged: same': 1, [btoa('canary'.repeat(9))]: 1 };
  });
  const result = await review();
  assert.is(result.code, 2, result.stderr);
  assert.is(result.stdout.match(/^ {4}\S+\/configPatches\/0\/value\/\(masked\)$/gm)?.length, 3);
  assert.not.match(result.stdout + result.stderr, /canary|forged|Y2FuYXJ5/);
});

diff('of many differences the first are shown, and in JSON all', async () => {
  put(live[1], (spec) => {
    const value = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`key${i}`, i]));
    spec.controlPlaneConfig.controlplane.configPatches[0].value = value;
  });
  const text = await review();
  assert.is(text.stdout.match(/^ {4}\/spec\//gm)?.length, 20);
  assert.match(text.stdout, /^ {4}and 12 more$/m);
  const { diff: views } = JSON.parse((await review('-o', 'json')).stdout);
  assert.is(views[0].pointers.length, 32);
});

diff('a large integer is no difference to itself, and one to its neighbour', async () => {
  const input = committed.replace('port: 7445', 'port: 9007199254740993');
  for (const [there, code] of [
    ['9007199254740993', 0],
    ['9007199254740992', 2],
  ] as const) {
    put(live[1], (spec) => {
      spec.controlPlaneConfig.controlplane.configPatches[0].value.port = exactly(there);
    });
    const result = await reviewInput(input);
    assert.is(result.code, code, there);
  }
});

const UNKNOWN = /^ {2}\S+ ok-consumer\/\S+: not known, it could not be read$/gm;

diff('a cluster that does not work is said once, after the report', async () => {
  for (const [context, code] of [
    ['refused', 'CLUSTER_REFUSED'],
    ['bad-token', 'CLUSTER_UNAUTHORIZED'],
    ['wrong-ca', 'CLUSTER_TLS'],
  ] as const) {
    const result = await reviewAs(context);
    assert.is(result.code, 1);
    assert.equal(result.stderr.match(/^error \w+/gm), [`error ${code}`], result.stderr);
    assert.match(result.stdout, /^registry registry\.ok-shared\.internal$/m);
    assert.is(result.stdout.match(UNKNOWN)?.length, 4);
  }
});

diff('an account without rights: the rule for each object, ready to be pasted', async () => {
  const result = await reviewAs('powerless');
  assert.is(result.code, 1);
  assert.is(result.stderr.match(/^error CLUSTER_FORBIDDEN /gm)?.length, 4);
  assert.match(
    result.stderr,
    'kubectl -n ok-consumer create role registry-trust-read-talosconfigtemplate-ok-consumer-gpu-9a20 --verb=get --resource=talosconfigtemplates.bootstrap.cluster.x-k8s.io --resource-name=ok-consumer-gpu-9a20 --dry-run=client -o yaml; echo ---; kubectl -n ok-consumer create rolebinding registry-trust-read-talosconfigtemplate-ok-consumer-gpu-9a20 --role=registry-trust-read-talosconfigtemplate-ok-consumer-gpu-9a20 --user=powerless --dry-run=client -o yaml) | kubectl auth reconcile -f -',
  );
});

diff('no kubeconfig of the infra cluster: KUBECONFIG_NOT_SET once, no other one is used', async () => {
  const { TALOS_INFRA_KUBECONFIG: infra = '', ...rest } = env;
  const result = await review('--address', REGISTRY_ADDRESS, { env: { ...rest, KUBECONFIG: infra } });
  assert.is(result.code, 1);
  assert.equal(result.stderr.match(/^error \w+/gm), ['error KUBECONFIG_NOT_SET']);
  assert.match(result.stdout, /^ {2}TalosControlPlane ok-consumer\/ok-consumer-control-plane: not known/m);
});

diff('--infra-kubeconfig with a context wins over the environment', async () => {
  const infra = env['TALOS_INFRA_KUBECONFIG'];
  const result = await review('--infra-kubeconfig', `${infra}#good`, {
    env: { ...env, TALOS_INFRA_KUBECONFIG: `${infra}#refused` },
  });
  assert.is(result.code, 0, result.stderr);
});

diff('a name with a variable is OBJECT_NAME_INVALID, and is not asked for', async () => {
  const before = estate.infraCluster.api.requests.length;
  const result = await reviewInput(committed.replace('name: ok-consumer-gpu-9a20', 'name: ${POOL}; rm -rf'));
  assert.is(result.code, 1);
  assert.equal(result.stderr.match(/^error \w+ .*?\)/gm), [
    'error OBJECT_NAME_INVALID (line 69:1 TalosConfigTemplate/${POOL}; rm -rf)',
  ]);
  const asked = estate.infraCluster.api.requests.slice(before);
  assert.is(asked.filter((one) => one.includes('/apis/')).length, 3);
});

diff('a document that can’t be read is told after the report', async () => {
  const result = await reviewInput(`${committed}---\nkind: [broken\n`);
  assert.is(result.code, 1);
  assert.match(result.stderr, /^error YAML_INVALID \(line \d+:\d+\)/);
  assert.match(result.stdout, /^registry registry\.ok-shared\.internal$/m);
});

diff('another object than the one that was asked for is no answer', async () => {
  const [, controlPlane] = live;
  if (controlPlane !== undefined)
    estate.infraCluster.api.put({
      ...controlPlane,
      body: { ...controlPlane.body, metadata: { name: 'other' } },
    });
  const result = await review();
  assert.is(result.code, 1);
  assert.match(result.stderr, /^error CLUSTER_ERROR .*TalosControlPlane\/ok-consumer-control-plane/m);
});

diff('what fails for a moment is asked again', async () => {
  estate.infraCluster.api.script('none', 503, 'reset');
  const result = await review();
  assert.is(result.code, 0, result.stderr);
});

diff('not enabled: nothing is asked, nothing is compared', async () => {
  const config = join(folder, 'off.yaml');
  writeFileSync(config, 'type: talos\n');
  const before = estate.infraCluster.api.requests.length;
  const args = ['review', '--diff', '--config', config, '-', '-o', 'json'];
  const result = await runCommand(args, { env, input: committed });
  assert.is(result.code, 0, result.stderr);
  assert.equal(JSON.parse(result.stdout).diff, []);
  assert.is(estate.infraCluster.api.requests.length, before);
});

diff.run();

interface Env {
  readonly env: Readonly<Record<string, string>>;
}

/** The command, with no secret of the estate in its output. */
async function review(...args: readonly (string | Env)[]): Promise<CommandResult> {
  const given = args.find((arg): arg is Env => typeof arg !== 'string') ?? { env };
  const flags = args.filter((arg) => typeof arg === 'string');
  return checked(
    runCommand(['review', '--diff', '--cluster', CLUSTER, '--skip-probe', ...dns(), ...flags], given),
  );
}

function reviewInput(input: string): Promise<CommandResult> {
  return checked(
    runCommand(['review', '--diff', '--config', CONFIG, '-', '--skip-probe', ...dns()], { env, input }),
  );
}

/** With another context of the infra cluster, which isn't asked for the address. */
function reviewAs(context: string): Promise<CommandResult> {
  const infra = `${env['TALOS_INFRA_KUBECONFIG']}#${context}`;
  return review('--address', REGISTRY_ADDRESS, { env: { ...env, TALOS_INFRA_KUBECONFIG: infra } });
}

async function checked(running: Promise<CommandResult>): Promise<CommandResult> {
  const result = await running;
  const pem = estate.registryCa.certificatePem;
  const lines = pem.split('\n').filter((line) => line.length === 64);
  for (const text of [...estate.canaries, ...lines, btoa(pem).slice(30, 90)])
    assert.not((result.stdout + result.stderr).includes(text), text);
  return result;
}

function dns(): readonly string[] {
  return ['--dns-server', estate.dns.address];
}

/** A number that no double is. */
function exactly(digits: string): unknown {
  return (JSON as unknown as { readonly rawJSON: (text: string) => unknown }).rawJSON(digits);
}

// biome-ignore lint/suspicious/noExplicitAny: what a test changes is there
type Spec = any;

/** The object with another spec. */
function put(object: StoredObject | undefined, change: (spec: Spec) => void): void {
  if (object === undefined) throw new Error('no such object');
  const body = structuredClone(object.body);
  change(body['spec']);
  estate.infraCluster.api.put({ ...object, body });
}

function stored(body: Spec): StoredObject {
  const { name, namespace } = body.metadata;
  return { resource: `${body.kind.toLowerCase()}s`, namespace, name, body };
}

function codes({
  diagnostics,
}: {
  readonly diagnostics: readonly { readonly code: string; readonly severity: string }[];
}) {
  return diagnostics.map(({ code, severity }) => `${severity} ${code}`);
}
