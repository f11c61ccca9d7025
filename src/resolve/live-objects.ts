/**
 * Objects of a manifest as they are in the infra cluster, to be compared.
 *
 * Invariants: each object's failure is its own, so that one without rights hides none of the others; a few requests at a
 * time; only names that can be Kubernetes' are asked for, or said in a hint to be pasted.
 */
import { type Diagnostic, error, Refusal } from '../diagnostic.ts';
import { type Cluster, openCluster } from './cluster.ts';
import { startLimit } from './limit.ts';
import { type LiveObject, readLiveObject } from './live-object.ts';
import type { CustomRef } from './object-ref.ts';
import type { Limits } from './read-object.ts';
import type { ResolveOptions } from './resolve-trust.ts';

/** As a manifest names it. */
export interface NamedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name?: string;
  readonly namespace?: string;
}

export type Answer = LiveObject | { readonly kind: 'failed'; readonly diagnostics: readonly Diagnostic[] };

export interface LiveAnswers<T> {
  /** Each object with its answer, in their order. */
  readonly answers: readonly (readonly [T, Answer])[];
  /** Of objects that name none; absent when the cluster can't be opened. */
  readonly namespace?: string;
  /** Of the cluster as a whole. Warnings: KUBECONFIG_INSECURE. */
  readonly diagnostics: readonly Diagnostic[];
}

const AT_A_TIME = 4;
/** Of the whole limit for one try, so that a slow failure leaves time for a second. */
const REQUEST_SHARE = 1 / 2;

/**
 * Codes in the answers: OBJECT_NAME_INVALID, those of `openCluster` and of `readLiveObject`.
 * @param signal ends all of it
 */
export async function readLiveObjects<T extends NamedObject>(
  objects: readonly T[],
  options: ResolveOptions,
  signal: AbortSignal,
): Promise<LiveAnswers<T>> {
  const { infraKubeconfig, timeoutMs } = options;
  const run = new AbortController();
  const limit = startLimit(timeoutMs, AbortSignal.any([run.signal, signal]));
  const limits = { requestMs: timeoutMs * REQUEST_SHARE, signal: limit.signal };
  try {
    const kubeconfig = infraKubeconfig === undefined ? {} : { kubeconfig: infraKubeconfig };
    const cluster = await openCluster({ role: 'infra', ...kubeconfig }, options, limit.signal);
    const { namespace, diagnostics } = cluster;
    return { answers: await readAll(cluster, objects, limits), namespace, diagnostics };
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    const { diagnostics } = cause;
    return { answers: objects.map((object) => [object, { kind: 'failed', diagnostics }]), diagnostics: [] };
  } finally {
    run.abort();
    limit.end();
  }
}

async function readAll<T extends NamedObject>(
  cluster: Cluster,
  objects: readonly T[],
  limits: Limits,
): Promise<readonly (readonly [T, Answer])[]> {
  const answers: (readonly [T, Answer])[] = [];
  const queue = [...objects.entries()];
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [i, object] = next;
      answers[i] = [object, await readOne(cluster, object, limits)];
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  return answers;
}

async function readOne(cluster: Cluster, object: NamedObject, limits: Limits): Promise<Answer> {
  try {
    return await readLiveObject(cluster, refOf(object, cluster.namespace), limits);
  } catch (cause) {
    if (cause instanceof Refusal) return { kind: 'failed', diagnostics: cause.diagnostics };
    throw cause;
  }
}

/** What the API server takes (RFC 1123): a label as namespace, a subdomain as name. */
const GROUP_VERSION = /^[a-z0-9.-]{1,253}\/v[a-z0-9]{1,62}$/;
const NAMESPACE = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;

function refOf(object: NamedObject, ofContext: string): CustomRef {
  const { apiVersion, kind, name = '', namespace = ofContext } = object;
  if (GROUP_VERSION.test(apiVersion) && NAMESPACE.test(namespace) && NAME.test(name))
    return { apiVersion, kind, namespace, name };
  throw new Refusal(
    error(
      'OBJECT_NAME_INVALID',
      `The live object of this ${kind} can’t be looked up: its name, namespace or version is not one of Kubernetes’ (a variable, or generateName).`,
      'Expand variables first, and give the result on standard input: registry-trust review --config FILE --diff -',
      { apiVersion, kind, name, namespace },
    ),
  );
}
