/**
 * Time limits. Invariant: a limit always ends its work, and whatever it starts (timer, listener) is gone after `end()`,
 * so that nothing keeps the process alive.
 */

export interface Limit {
  /** Aborted by the limit (then `ranOut(signal)`), or with the outer signal and its reason. */
  readonly signal: AbortSignal;
  end(): void;
}

/** When the limits that made these signals run out, on the clock of `performance.now()`. */
const ENDS = new WeakMap<AbortSignal, number>();

/** A limit of `ms` milliseconds inside another one. Timers of `AbortSignal.timeout` can't be cleared, hence ours. */
export function startLimit(ms: number, outer?: AbortSignal): Limit {
  const controller = new AbortController();
  ENDS.set(controller.signal, Math.min(performance.now() + ms, endOf(outer)));
  const timer = setTimeout(() => controller.abort(new DOMException('time limit', 'TimeoutError')), ms);
  const follow = () => controller.abort(outer?.reason);
  if (outer?.aborted === true) follow();
  outer?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    end: () => {
      clearTimeout(timer);
      outer?.removeEventListener('abort', follow);
    },
  };
}

/** What is left of the limit that made a signal, and of those around it; without limit infinite. */
export function remainingMs(signal: AbortSignal): number {
  return Math.max(0, endOf(signal) - performance.now());
}

function endOf(signal: AbortSignal | undefined): number {
  return (signal === undefined ? undefined : ENDS.get(signal)) ?? Number.POSITIVE_INFINITY;
}

/** Whether a signal was aborted by a time limit rather than by the caller. */
export function ranOut(signal: AbortSignal): boolean {
  return signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError';
}

/**
 * The work's result, or a rejection with the signal's reason as soon as it is aborted. For work that may not heed the
 * signal: what it does later is ignored.
 */
export async function within<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work(), aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
