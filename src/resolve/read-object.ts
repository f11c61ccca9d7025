/**
 * One object from a cluster, by one GET.
 *
 * Invariants: each request has a time limit (client-node has none: a silent server would hang for ever), and its
 * connection is closed before the result is handed on, so that no socket outlives a run.
 */
import type {
  CoreV1Api,
  RequestContext,
  ResponseContext,
  V1ConfigMap,
  V1Secret,
  V1Service,
} from '@kubernetes/client-node';
import { Refusal } from '../diagnostic.ts';
import type { Cluster } from './cluster.ts';
import {
  describeFailure,
  describeTimeout,
  type Kind,
  type ObjectRef,
  type Progress,
} from './cluster-failure.ts';
import { ranOut, startLimit, within } from './limit.ts';

export interface Limits {
  /** From the start of obtaining credentials to the last byte. */
  readonly requestMs: number;
  /** Ends a request sooner. */
  readonly signal: AbortSignal;
}

interface Objects {
  readonly Secret: V1Secret;
  readonly ConfigMap: V1ConfigMap;
  readonly Service: V1Service;
}

type Options = Parameters<CoreV1Api['readNamespacedSecret']>[1];
type Read<K extends Kind> = (api: CoreV1Api, ref: ObjectRef, options: Options) => Promise<Objects[K]>;

const READS: { readonly [K in Kind]: Read<K> } = {
  Secret: (api, { name, namespace }, options) => api.readNamespacedSecret({ name, namespace }, options),
  ConfigMap: (api, { name, namespace }, options) => api.readNamespacedConfigMap({ name, namespace }, options),
  Service: (api, { name, namespace }, options) => api.readNamespacedService({ name, namespace }, options),
};

/**
 * @throws Refusal CLUSTER_REFUSED, CLUSTER_UNREACHABLE, CLUSTER_TLS, CLUSTER_TIMEOUT, CLUSTER_UNAUTHORIZED,
 *   CLUSTER_FORBIDDEN, CLUSTER_ERROR, SOURCE_NOT_FOUND, KUBECONFIG_INVALID
 * @throws the signal's reason when the caller aborts it
 */
export async function readObject<K extends Kind>(
  cluster: Cluster,
  ref: ObjectRef<K>,
  limits: Limits,
): Promise<Objects[K]> {
  const limit = startLimit(limits.requestMs, limits.signal);
  const request = observeRequest(cluster, limit.signal);
  try {
    const read: Read<K> = READS[ref.kind];
    const object = await within(limit.signal, () => read(cluster.api, ref, request.options));
    // An answer of 200 may still be something else, such as the status page of a load balancer.
    if (object?.metadata?.name === ref.name) return object;
    throw new Error('another object');
  } catch (cause) {
    const progress = request.progress();
    if (ranOut(limit.signal)) throw new Refusal(describeTimeout(cluster, ref, progress));
    limits.signal.throwIfAborted();
    throw new Refusal(describeFailure({ cause, cluster, ref, progress }));
  } finally {
    limit.end();
    await request.close();
  }
}

/** Middleware runs between credentials and connection: it carries the signal in, and sees the connection pool. */
function observeRequest({ observable }: Cluster, signal: AbortSignal) {
  let progress: Progress = 'credentials';
  let pool: ReturnType<RequestContext['getDispatcher']>;
  const pre = (context: RequestContext) => {
    progress = 'request';
    pool = context.getDispatcher();
    context.setSignal(signal);
    return observable(context);
  };
  const options: Options = {
    middleware: [{ pre, post: (context: ResponseContext) => observable(context) }],
    middlewareMergeStrategy: 'append',
  };
  return { options, progress: () => progress, close: async () => pool?.destroy() };
}
