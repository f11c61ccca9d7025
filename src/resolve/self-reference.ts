/**
 * Whether a cluster that is rendered is the one that its registry's CA is read from. It can't take the CA from itself when
 * it is bootstrapped: there is no API server yet that has it.
 *
 * Pure, and each rule is evidence that can be named: what the config says, then where the API servers are; names alone
 * only where there is no server to compare with.
 */
import type { Code } from '../diagnostic.ts';
import { type ClusterName, isSameCluster } from '../manifest/cluster-name.ts';
import type { RenderedCluster } from '../manifest/rendered-clusters.ts';
import { type ApiServer, isSameServer } from './api-server.ts';

/** What a kubeconfig calls the cluster that it is for. */
export interface KubeconfigNames {
  readonly context?: string;
  readonly cluster?: string;
  /** Path of the one file that it is. */
  readonly file?: string;
}

export interface Question {
  /** `name` or `namespace/name`. */
  readonly hostedOn?: string;
  readonly clusters: readonly RenderedCluster[];
  /** The CA cluster; `failure` is why its CA can't be read. */
  readonly ca: { readonly names: KubeconfigNames; readonly server?: ApiServer; readonly failure?: Code };
  /** The server of the workload cluster, if one is given: called when nothing else decides. */
  readonly workloadServer: () => Promise<ApiServer | undefined>;
}

export type Evidence =
  | { readonly kind: 'hostedOn' }
  | { readonly kind: 'endpoint'; readonly place: string }
  | { readonly kind: 'workload'; readonly place: string }
  | { readonly kind: 'name'; readonly of: keyof KubeconfigNames };

export interface SelfReference {
  /** More than one when the config's name is that of several, none when only the workload cluster's kubeconfig tells. */
  readonly clusters: readonly ClusterName[];
  readonly evidence: Evidence;
}

export async function findSelfReference(question: Question): Promise<SelfReference | undefined> {
  return byConfig(question) ?? byEndpoint(question) ?? (await byWorkload(question)) ?? byName(question);
}

function byConfig({ hostedOn, clusters }: Question): SelfReference | undefined {
  if (hostedOn === undefined) return undefined;
  const [name = '', namespace] = hostedOn.split('/').reverse();
  const host = { name, ...(namespace === undefined ? {} : { namespace }) };
  return found(
    clusters.filter((cluster) => isSameCluster(cluster, host)),
    { kind: 'hostedOn' },
  );
}

function byEndpoint({ ca: { server }, clusters }: Question): SelfReference | undefined {
  if (server === undefined || server.path !== '') return undefined;
  const { place } = server;
  return found(
    clusters.filter(({ endpoints }) => endpoints.includes(place)),
    { kind: 'endpoint', place },
  );
}

async function byWorkload({ ca, clusters, workloadServer }: Question): Promise<SelfReference | undefined> {
  if (ca.server === undefined) return undefined;
  const workload = await workloadServer();
  if (workload === undefined || !isSameServer(ca.server, workload)) return undefined;
  // Which of several the workload cluster is, nothing says.
  return {
    clusters: clusters.length === 1 ? clusters : [],
    evidence: { kind: 'workload', place: workload.place },
  };
}

/** Failures that a cluster has that isn't there yet. */
const NOT_THERE: ReadonlySet<Code> = new Set([
  'KUBECONFIG_NOT_FOUND',
  'KUBECONFIG_CONTEXT',
  'CLUSTER_REFUSED',
  'CLUSTER_UNREACHABLE',
  'CLUSTER_TIMEOUT',
]);

/** Who says that the registry is elsewhere isn't contradicted by a name. */
function byName({ hostedOn, ca: { names, failure }, clusters }: Question): SelfReference | undefined {
  if (hostedOn !== undefined || failure === undefined || !NOT_THERE.has(failure)) return undefined;
  for (const part of ['context', 'cluster', 'file'] as const) {
    const text = names[part];
    const named = text === undefined ? [] : clusters.filter(({ name }) => IS_NAMED[part](text, name));
    if (named.length > 0) return { clusters: named, evidence: { kind: 'name', of: part } };
  }
  return undefined;
}

const IS_NAMED: Readonly<Record<keyof KubeconfigNames, (text: string, name: string) => boolean>> = {
  // As Cluster API, then talosctl write them.
  context: (text, name) => [name, `${name}-admin@${name}`, `admin@${name}`].includes(text),
  cluster: (text, name) => text === name,
  file: (text, name) => {
    const base = text.replace(/^.*[/\\]/, '').replace(/\.(?:ya?ml|conf)$/, '');
    return [name, `${name}.kubeconfig`, `${name}-kubeconfig`].includes(base);
  },
};

function found(clusters: readonly ClusterName[], evidence: Evidence): SelfReference | undefined {
  return clusters.length === 0 ? undefined : { clusters, evidence };
}
