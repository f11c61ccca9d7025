/** An object of a custom resource definition as it is in a cluster. */
import type { Cluster } from './cluster.ts';
import { isAbsent } from './cluster-failure.ts';
import { type CustomRef, resourceOf } from './object-ref.ts';
import { ask, type Limits, otherObject } from './read-object.ts';

export type LiveObject =
  /** JSON as the server wrote it: JSON.parse would take large integers for their neighbours. */
  { readonly kind: 'found'; readonly text: string } | { readonly kind: 'absent' };

/**
 * Reads it in the version of the reference, to which the server converts it.
 * @throws Refusal CRD_MISSING, and those of `readObject` but SOURCE_NOT_FOUND
 * @throws the signal's reason when the caller aborts it
 */
export function readLiveObject(cluster: Cluster, ref: CustomRef, limits: Limits): Promise<LiveObject> {
  const { namespace, name } = ref;
  return ask(cluster, ref, limits, async (httpApi) => {
    try {
      const { body, data } = await cluster.customObjects.getNamespacedCustomObjectWithHttpInfo(
        { ...resourceOf(ref), namespace, name },
        { httpApi },
      );
      return isAsked(data, ref) ? { kind: 'found', text: await body.text() } : otherObject();
    } catch (cause) {
      if (isAbsent(cause, ref)) return { kind: 'absent' };
      throw cause;
    }
  });
}

interface Answer {
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
  readonly metadata?: { readonly name?: unknown; readonly namespace?: unknown } | null;
}

function isAsked(data: Answer | null, { apiVersion, kind, namespace, name }: CustomRef): boolean {
  const { metadata } = data ?? {};
  if (metadata?.name !== name || metadata.namespace !== namespace) return false;
  return data?.kind === kind && data.apiVersion === apiVersion;
}
