/**
 * Says when the CA was looked for, or found, on the cluster that is rendered.
 *
 * Invariant: it only adds to what is known; nothing that it fails to read makes a run fail.
 */
import { statSync } from 'node:fs';
import { type Code, type Diagnostic, Refusal } from '../diagnostic.ts';
import { type RenderedCluster, type Rendering, renderedClusters } from '../manifest/rendered-clusters.ts';
import type { RegistryTrust } from '../spec/registry-trust.ts';
import { type ApiServer, apiServerOf } from './api-server.ts';
import type { Cluster } from './cluster.ts';
import { loadKubeconfig } from './kubeconfig.ts';
import {
  type ClusterRef,
  findKubeconfig,
  type KubeconfigSource,
  type Surroundings,
} from './kubeconfig-source.ts';
import { findSelfReference, type KubeconfigNames } from './self-reference.ts';
import { cannotBootstrap, isSecondPhase } from './two-phases.ts';

interface Run extends Surroundings {
  readonly trust: RegistryTrust;
  readonly rendering?: Rendering;
  readonly caKubeconfig?: string;
  readonly workloadKubeconfig?: string;
  readonly opened: PromiseSettledResult<Pick<Cluster, 'names' | 'apiServer'>>;
  readonly ca: PromiseSettledResult<unknown>;
}

/** One SELF_REFERENCE at most: an error when that is why the CA can't be read, else a warning. */
export async function guardSelfReference(run: Run): Promise<readonly Diagnostic[]> {
  const { trust, rendering, opened } = run;
  if (rendering === undefined) return [];
  const clusters = renderedClusters(rendering, trust.targets);
  const failure = failureOf(run.ca);
  const server = opened.status === 'fulfilled' ? opened.value.apiServer : undefined;
  const found = await findSelfReference({
    ...(trust.hostedOn === undefined ? {} : { hostedOn: trust.hostedOn }),
    clusters,
    ca: {
      names: namesOf(run),
      ...(server === undefined ? {} : { server }),
      ...(failure === undefined ? {} : { failure }),
    },
    workloadServer: () => serverOfWorkload(run),
  });
  if (found === undefined) return [];
  const others = othersThan(found.clusters, clusters);
  const { pasteable } = rendering;
  const told = { ...found, trust, others, ...(pasteable === undefined ? {} : { pasteable }) };
  return [
    failure !== undefined && MAY_BE_TOO_EARLY.has(failure) ? cannotBootstrap(told) : isSecondPhase(told),
  ];
}

/** Failures of a cluster that isn't there yet, is coming up, or lacks the registry; others say that it is there. */
const MAY_BE_TOO_EARLY: ReadonlySet<Code> = new Set([
  'KUBECONFIG_NOT_SET',
  'KUBECONFIG_NOT_FOUND',
  'KUBECONFIG_CONTEXT',
  'CLUSTER_REFUSED',
  'CLUSTER_UNREACHABLE',
  'CLUSTER_PROXY',
  'CLUSTER_TLS',
  'CLUSTER_TIMEOUT',
  'CLUSTER_ERROR',
  'SOURCE_NOT_FOUND',
  'SOURCE_KEY_MISSING',
  'CA_EMPTY',
]);

function failureOf(ca: Run['ca']): Code | undefined {
  if (ca.status === 'fulfilled' || !(ca.reason instanceof Refusal)) return undefined;
  return ca.reason.diagnostics.find(({ severity }) => severity === 'error')?.code;
}

/** Of which cluster of several it is, nothing may say. */
function othersThan(
  found: readonly unknown[],
  clusters: readonly RenderedCluster[],
): readonly RenderedCluster[] {
  return found.length === 0 ? [] : clusters.filter((cluster) => !found.includes(cluster));
}

/** A file that wasn't found has a name, too, and so has a context that it lacks. */
function namesOf(run: Run): KubeconfigNames {
  const source = sourceOf({ role: 'ca', kubeconfig: run.caKubeconfig ?? '' }, run);
  const given = source?.context === undefined ? {} : { context: source.context };
  const [file, ...more] = source?.paths ?? [];
  const isNamed = file !== undefined && more.length === 0 && source?.context === undefined;
  return {
    ...given,
    ...(isNamed ? { file } : {}),
    ...(run.opened.status === 'fulfilled' ? run.opened.value.names : {}),
  };
}

/**
 * Only a kubeconfig that is given: a Pod's service account is hardly of the workload cluster. And only regular files:
 * from a pipe it could be read once, and that is for whoever needs it.
 */
async function serverOfWorkload(run: Run): Promise<ApiServer | undefined> {
  const source = sourceOf({ role: 'workload', kubeconfig: run.workloadKubeconfig ?? '' }, run);
  if (source === undefined || !source.paths.every(isRegularFile)) return undefined;
  const client = await import('./client-node.ts');
  return orNothing(() => apiServerOf(loadKubeconfig(client, 'workload', source, run.env)));
}

type FilesSource = Extract<KubeconfigSource, { readonly kind: 'files' }>;

function sourceOf(ref: ClusterRef, surroundings: Surroundings): FilesSource | undefined {
  const source = orNothing(() => findKubeconfig(ref, surroundings));
  return source?.kind === 'files' ? source : undefined;
}

function isRegularFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function orNothing<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (cause) {
    if (cause instanceof Refusal) return undefined;
    throw cause;
  }
}
