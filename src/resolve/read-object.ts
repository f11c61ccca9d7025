/**
 * One object of the core group from a cluster; and how any object is asked for: by GET, tried again when that may help.
 *
 * Invariants: each try has a time limit (client-node has none: a silent server would hang for ever), all tries together
 * end with the run; only what a second try may mend is tried again, which a GET may be without harm.
 */
import type { CoreV1Api, HttpLibrary, V1ConfigMap, V1Secret, V1Service } from '@kubernetes/client-node';
import { Refusal } from '../diagnostic.ts';
import type { Cluster } from './cluster.ts';
import {
  describeFailure,
  describeTimeout,
  type FailedTries,
  retryAfterMs,
  transience,
} from './cluster-failure.ts';
import { ranOut, startLimit, within } from './limit.ts';
import type { CustomRef, Kind, ObjectRef } from './object-ref.ts';
import { type Outcome, RETRY, type RetryPolicy, retry } from './retry.ts';

export interface Limits {
  /** For one try, from the start of obtaining credentials to the last byte. */
  readonly requestMs: number;
  /** Ends all tries. */
  readonly signal: AbortSignal;
  /** Given in tests only. */
  readonly retry?: RetryPolicy;
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
 * @throws Refusal CLUSTER_REFUSED, CLUSTER_UNREACHABLE, CLUSTER_PROXY, CLUSTER_TLS, CLUSTER_TIMEOUT,
 *   CLUSTER_UNAUTHORIZED, CLUSTER_FORBIDDEN, CLUSTER_ERROR, SOURCE_NOT_FOUND, KUBECONFIG_INVALID
 * @throws the signal's reason when the caller aborts it
 */
export function readObject<K extends Kind>(
  cluster: Cluster,
  ref: ObjectRef<K>,
  limits: Limits,
): Promise<Objects[K]> {
  return ask(cluster, ref, limits, async (httpApi) => {
    const read: Read<K> = READS[ref.kind];
    const object = await read(cluster.api, ref, { httpApi });
    return isAsked(object, ref) ? object : otherObject();
  });
}

/** One request. What it throws is a failure of the cluster. */
export type Question<T> = (http: HttpLibrary) => Promise<T>;

/**
 * What a question for an object gives.
 * @throws as `readObject`, and for a `CustomRef` CRD_MISSING in place of SOURCE_NOT_FOUND
 */
export async function ask<T>(
  cluster: Cluster,
  ref: ObjectRef | CustomRef,
  limits: Limits,
  question: Question<T>,
): Promise<T> {
  let last: unknown;
  const tried = await retry<T, unknown>({
    attempt: async (number) => {
      const outcome = await askOnce({ cluster, ref, limits, question, before: { tries: number, last } });
      if (outcome.kind === 'transient') last = outcome.failure;
      return outcome;
    },
    policy: limits.retry ?? RETRY,
    signal: limits.signal,
  });
  if (tried.kind === 'done') return tried.value;
  const { failure: cause, tries, reason } = tried;
  throw new Refusal(describeFailure({ cause, cluster, ref, progress: 'request', tries: { tries, reason } }));
}

async function askOnce<T>(args: {
  readonly cluster: Cluster;
  readonly ref: ObjectRef | CustomRef;
  readonly limits: Limits;
  readonly question: Question<T>;
  readonly before: FailedTries;
}): Promise<Outcome<T, unknown>> {
  const { cluster, ref, limits, question, before } = args;
  const limit = startLimit(limits.requestMs, limits.signal);
  const transport = cluster.openTransport(limit.signal);
  try {
    return { kind: 'done', value: await within(limit.signal, () => question(transport.http)) };
  } catch (cause) {
    const progress = transport.progress();
    if (ranOut(limit.signal)) throw new Refusal(describeTimeout(cluster, ref, progress, before));
    limits.signal.throwIfAborted();
    if (progress === 'request' && transience(cause) === 'transient') {
      const wait = retryAfterMs(cause);
      return { kind: 'transient', failure: cause, ...(wait === undefined ? {} : { retryAfterMs: wait }) };
    }
    throw new Refusal(describeFailure({ cause, cluster, ref, progress }));
  } finally {
    limit.end();
    await transport.close();
  }
}

/** For an answer that has another object than the one that was asked for. */
export function otherObject(): never {
  throw new Error('another object');
}

/** An answer of 200 may still be something else, such as the status page of a load balancer. */
function isAsked(object: Objects[Kind] | undefined, { kind, namespace, name }: ObjectRef): boolean {
  const { metadata } = object ?? {};
  return metadata?.name === name && metadata.namespace === namespace && (object?.kind ?? kind) === kind;
}
