/**
 * When the CA is on the cluster that is rendered: by which evidence, with which severity, and what is none of it.
 * `UPDATE_GOLDENS=1` writes `self-reference/` anew: what is said, whole.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Diagnostic, Refusal } from '../../src/diagnostic.ts';
import { documentsOf } from '../../src/manifest/hydrate.ts';
import { type ResolveArgs, resolve } from '../../src/resolve/resolve.ts';
import { reportText } from '../../src/stdio/report.ts';
import { type EstateFolder, kubeconfigOf, startEstateFolder, TRUST } from './support.ts';

const selfReference = suite('self-reference');

let place: EstateFolder;
let closed: string;
selfReference.before(async () => {
  place = await startEstateFolder();
  // The place at which nothing listens, as the estate's own kubeconfig has it.
  const { clusters } = JSON.parse(place.estate.caCluster.kubeconfig) as {
    readonly clusters: readonly { readonly name: string; readonly cluster: { readonly server: string } }[];
  };
  closed = new URL(clusters.find(({ name }) => name === 'refused')?.cluster.server ?? '').host;
});
selfReference.after(() => place.stop());

interface Case {
  /** Of the config. */
  readonly hostedOn?: string;
  readonly targets?: NonNullable<ResolveArgs['trust']['targets']>;
  readonly manifest?: () => readonly string[];
  /** Kubeconfigs: `path` or `path#context`. */
  readonly ca?: () => string;
  readonly workload?: () => string;
  /** `error SELF_REFERENCE`, `warning CLUSTER_REFUSED`, …, in order. */
  readonly expected: readonly string[];
  /** What the message says of it. */
  readonly says?: RegExp;
}

const cluster = (name: string, endpoint = '{host: "", port: 0}', namespace = 'clusters'): string =>
  `apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: ${name}, namespace: ${namespace}}\nspec: {controlPlaneEndpoint: ${endpoint}, controlPlaneRef: {kind: TalosControlPlane, name: ${name}}}\n`;
const controlPlane = (name: string, namespace = 'clusters'): string =>
  `apiVersion: controlplane.cluster.x-k8s.io/v1alpha3\nkind: TalosControlPlane\nmetadata: {name: ${name}, namespace: ${namespace}}\nspec: {controlPlaneConfig: {controlplane: {generateType: controlplane}}}\n`;
const both = (name: string, endpoint?: string, namespace?: string): readonly string[] => [
  cluster(name, endpoint, namespace),
  controlPlane(name, namespace),
];
const SHARED = both('ok-shared');
const THERE = ['warning SELF_REFERENCE'];
const REFUSED = ['error CLUSTER_REFUSED'];
const TOO_EARLY = ['error SELF_REFERENCE', ...REFUSED];

const atCaCluster = (): string => {
  const { hostname, port } = new URL(place.estate.caCluster.api.url);
  return `{host: ${hostname}, port: ${port}}`;
};
const refused = (): string => `${place.ca}#refused`;
/** A kubeconfig with the given names whose server isn't there. */
const named = (file: string, context: string, name = 'a', server = (): string => `https://${closed}`) => {
  return (): string => {
    const base = kubeconfigOf({ server: server() }, { token: 'x' });
    return place.write(file, {
      ...base,
      'current-context': context,
      contexts: [{ name: context, context: { cluster: name, user: 'only' } }],
      clusters: [{ name, cluster: { server: server() } }],
    });
  };
};

const CASES: Readonly<Record<string, Case>> = {
  // What the config says.
  'hostedOn names the cluster, which is there': {
    hostedOn: 'ok-shared',
    expected: THERE,
    says: /^Cluster clusters\/ok-shared takes .*\(hostedOn names it\)/,
  },
  'hostedOn names the cluster, which is not there': {
    hostedOn: 'ok-shared',
    ca: refused,
    expected: TOO_EARLY,
  },
  'hostedOn with its namespace': { hostedOn: 'clusters/ok-shared', ca: refused, expected: TOO_EARLY },
  'hostedOn names it, and the kubeconfig is not there yet': {
    hostedOn: 'ok-shared',
    ca: () => '/nowhere/a',
    expected: ['error SELF_REFERENCE', 'error KUBECONFIG_NOT_FOUND'],
  },
  'hostedOn names it, and no kubeconfig is set': {
    hostedOn: 'ok-shared',
    ca: () => '',
    expected: ['error SELF_REFERENCE', 'error KUBECONFIG_NOT_SET'],
  },
  'hostedOn names it, and the registry is not installed yet': {
    hostedOn: 'ok-shared',
    ca: () => place.infra,
    expected: ['error SELF_REFERENCE', 'error SOURCE_NOT_FOUND'],
  },
  'hostedOn names it, and it answers with another failure: that is why': {
    hostedOn: 'ok-shared',
    ca: () => `${place.ca}#powerless`,
    expected: ['error CLUSTER_FORBIDDEN', 'warning SELF_REFERENCE'],
  },
  'one of two clusters': {
    hostedOn: 'ok-shared',
    manifest: () => [...both('ok-other'), ...SHARED],
    ca: refused,
    expected: TOO_EARLY,
    says: /^Cluster clusters\/ok-shared can't/,
  },
  'of one name in two namespaces the one that is named': {
    hostedOn: 'b/ok-shared',
    manifest: () => [...both('ok-shared', undefined, 'a'), ...both('ok-shared', undefined, 'b')],
    ca: refused,
    expected: TOO_EARLY,
    says: /^Cluster b\/ok-shared can't/,
  },
  'of one name in two namespaces, not said which': {
    hostedOn: 'ok-shared',
    manifest: () => [...both('ok-shared', undefined, 'a'), ...both('ok-shared', undefined, 'b')],
    ca: refused,
    expected: TOO_EARLY,
    says: /^One of the clusters a\/ok-shared, b\/ok-shared can't/,
  },
  // Where the API servers are.
  'the CA cluster is at the controlPlaneEndpoint': {
    manifest: () => both('ok-shared', atCaCluster()),
    expected: THERE,
    says: /^Cluster clusters\/ok-shared takes .*controlPlaneEndpoint 127\.0\.0\.1:\d+ is the server/,
  },
  'one of two clusters is at that place': {
    manifest: () => [
      ...both('ok-other', '{host: 127.0.0.9, port: 6443}'),
      ...both('ok-shared', atCaCluster()),
    ],
    expected: THERE,
    says: /^Cluster clusters\/ok-shared takes/,
  },
  'in another spelling of the host': {
    manifest: () => both('ok-shared', '{host: API.Shared.invalid., port: 443}'),
    ca: named('spelled', 'x', 'a', () => 'https://api.shared.invalid'),
    expected: ['error SELF_REFERENCE', 'error CLUSTER_UNREACHABLE'],
  },
  'and in another spelling of IPv6': {
    manifest: () => both('ok-shared', '{host: "::0:1", port: 1}'),
    ca: named('ipv6', 'x', 'a', () => 'https://[0:0::1]:1'),
    expected: ['error SELF_REFERENCE', 'error CLUSTER_REFUSED'],
  },
  'both kubeconfigs have one server': {
    workload: () => place.ca,
    expected: THERE,
    says: /kubeconfig and the workload cluster's have the same server, 127\.0\.0\.1:\d+/,
  },
  'both kubeconfigs have one server that is not there': {
    ca: refused,
    workload: refused,
    expected: TOO_EARLY,
  },
  'both kubeconfigs have one server, and no object names a cluster': {
    manifest: () => [controlPlane('x')],
    workload: () => place.ca,
    expected: THERE,
    says: /^The workload cluster takes/,
  },
  // Names, where no server answers.
  'a context as Cluster API names it': {
    ca: named('a', 'ok-shared-admin@ok-shared'),
    expected: TOO_EARLY,
    says: /\(the context in the CA cluster's kubeconfig is named like it\)/,
  },
  'a context as talosctl names it': { ca: named('a', 'admin@ok-shared'), expected: TOO_EARLY },
  'a context of the same name': { ca: named('a', 'ok-shared'), expected: TOO_EARLY },
  'a cluster of the same name': { ca: named('a', 'x', 'ok-shared'), expected: TOO_EARLY },
  'a file of the same name': { ca: named('ok-shared', 'x'), expected: TOO_EARLY },
  'ok-shared.kubeconfig': { ca: named('ok-shared.kubeconfig', 'x'), expected: TOO_EARLY },
  'ok-shared-kubeconfig.yaml': { ca: named('ok-shared-kubeconfig.yaml', 'x'), expected: TOO_EARLY },
  'a file that is not there yet': {
    ca: () => '/nowhere/ok-shared.kubeconfig',
    expected: ['error SELF_REFERENCE', 'error KUBECONFIG_NOT_FOUND'],
  },
  'a context that is not there yet': {
    ca: () => `${place.ca}#ok-shared`,
    expected: ['error SELF_REFERENCE', 'error KUBECONFIG_CONTEXT'],
  },
  // None of it.
  'nothing in common': { expected: [] },
  'nothing in common, and the CA cluster is not there': { ca: refused, expected: REFUSED },
  'hostedOn is another cluster': { hostedOn: 'ok-other', expected: [] },
  'hostedOn is another cluster, whatever a kubeconfig is called': {
    hostedOn: 'ok-other',
    ca: named('ok-shared.kubeconfig', 'ok-shared'),
    expected: REFUSED,
  },
  'hostedOn is of that name in another namespace': {
    hostedOn: 'other/ok-shared',
    ca: refused,
    expected: REFUSED,
  },
  'hostedOn begins with the name': { hostedOn: 'ok-shared-2', ca: refused, expected: REFUSED },
  'hostedOn is a cluster of the manifest that targets leave out': {
    hostedOn: 'ok-shared',
    targets: { names: ['ok-other'] },
    manifest: () => [...SHARED, ...both('ok-other')],
    expected: [],
  },
  'a kubeconfig named like the cluster, whose server answers': {
    ca: () => place.write('ok-shared.kubeconfig', place.estate.caCluster.kubeconfig),
    expected: [],
  },
  'a kubeconfig named like the cluster, whose server refuses to answer': {
    ca: () => {
      const config = JSON.parse(place.estate.caCluster.kubeconfig) as object;
      return place.write('ok-shared.kubeconfig', { ...config, 'current-context': 'powerless' });
    },
    expected: ['error CLUSTER_FORBIDDEN'],
  },
  'a file named like the cluster, of which another context is asked for': {
    ca: () => `${named('ok-shared.kubeconfig', 'other')()}#other`,
    expected: REFUSED,
  },
  'a context that ends like the name': { ca: named('a', 'admin@not-ok-shared'), expected: REFUSED },
  'the same host with another port': {
    manifest: () => both('ok-shared', '{host: 127.0.0.1, port: 1}'),
    expected: [],
  },
  'a gateway with clusters by path is no endpoint': {
    manifest: () => both('ok-shared', '{host: 127.0.0.1, port: 1}'),
    ca: named('a', 'x', 'a', () => 'https://127.0.0.1:1/k8s/clusters/c-1'),
    expected: REFUSED,
  },
  'two clusters of a gateway': {
    ca: named('a', 'x', 'a', () => 'https://127.0.0.1:1/k8s/clusters/c-1'),
    workload: named('b', 'x', 'a', () => 'https://127.0.0.1:1/k8s/clusters/c-2'),
    expected: REFUSED,
  },
  'the workload cluster is another one': { workload: () => place.infra, expected: [] },
  'a workload kubeconfig that can’t be read is none': { workload: () => '/nowhere/w', expected: [] },
  'and so is one that is a folder': { workload: () => '/', expected: [] },
};

for (const [title, one] of Object.entries(CASES)) {
  selfReference(title, async () => {
    const found = await run(one);
    assert.equal(
      found.map(({ severity, code }) => `${severity} ${code}`),
      one.expected,
    );
    const message = found.find(({ code }) => code === 'SELF_REFERENCE')?.message ?? '';
    if (one.says !== undefined) assert.match(message, one.says);
  });
}

for (const [golden, one] of [
  [
    'error',
    {
      hostedOn: 'ok-shared',
      manifest: () => [...SHARED, ...both('ok-other')],
      ca: () => '/nowhere/ok-shared',
    },
  ],
  ['warning', { hostedOn: 'ok-shared' }],
] as const) {
  selfReference(`${golden}: said as in the golden`, async () => {
    const actual = reportText(await run({ ...one, expected: [] }), 'plain');
    const path = join(import.meta.dirname, 'self-reference', `${golden}.txt`);
    if (process.env['UPDATE_GOLDENS'] === '1') writeFileSync(path, actual);
    assert.fixture(actual, readFileSync(path, 'utf8'));
  });
}

selfReference('clusters are not looked for when nothing is rendered with it', async () => {
  const { rendering: _, ...args } = argsOf({ hostedOn: 'ok-shared', expected: [] });
  assert.equal(await diagnosticsOf(args), []);
});

selfReference.run();

function run(one: Case): Promise<readonly Diagnostic[]> {
  return diagnosticsOf(argsOf(one));
}

function argsOf({ hostedOn, targets, manifest = () => SHARED, ca, workload }: Case): ResolveArgs {
  return {
    trust: {
      ...TRUST,
      ...(hostedOn === undefined ? {} : { hostedOn }),
      ...(targets === undefined ? {} : { targets }),
    },
    rendering: { documents: () => documentsOf({ text: manifest().join('---\n') }) },
    env: {},
    caKubeconfig: ca?.() ?? place.ca,
    ...(workload === undefined ? {} : { workloadKubeconfig: workload() }),
    address: '10.20.0.15',
    timeoutMs: 10_000,
    now: new Date(),
  };
}

async function diagnosticsOf(args: ResolveArgs): Promise<readonly Diagnostic[]> {
  try {
    return (await resolve(args)).diagnostics;
  } catch (cause) {
    if (cause instanceof Refusal) return cause.diagnostics;
    throw cause;
  }
}
