/**
 * Trying again what may work in a moment, a bounded number of times.
 *
 * Invariants: the signal always wins, also over a server that asks to wait; no timer is left when this returns; the
 * pauses are the same in each run (one client reads one or two objects: there is no herd to spread out).
 */
import { ranOut, remainingMs } from './limit.ts';

export interface RetryPolicy {
  /** Before each further try, in milliseconds: one try more than there are pauses. */
  readonly pausesMs: readonly number[];
}

/** Five tries within three seconds: an API server behind a load balancer that fails over is back by then. */
export const RETRY: RetryPolicy = { pausesMs: [200, 400, 800, 1_600] };

/** What one try gave. What can't get better by trying again is thrown. */
export type Outcome<T, F> =
  | { readonly kind: 'done'; readonly value: T }
  | {
      readonly kind: 'transient';
      readonly failure: F;
      /** How long the server asks to be left alone, in milliseconds. */
      readonly retryAfterMs?: number;
    };

export type Tried<T, F> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'gave up'; readonly failure: F; readonly tries: number; readonly reason: GaveUp };

export type GaveUp =
  | { readonly kind: 'tries' }
  /** The time was up between two tries. */
  | { readonly kind: 'limit' }
  /** The server asks to wait for longer than there is time. */
  | { readonly kind: 'asked to wait'; readonly seconds: number };

/**
 * @param args `attempt` gets the number of the try, from 1
 * @throws what `attempt` throws, and the signal's reason when the caller aborts it
 */
export async function retry<T, F>(args: {
  readonly attempt: (number: number) => Promise<Outcome<T, F>>;
  readonly policy: RetryPolicy;
  readonly signal: AbortSignal;
}): Promise<Tried<T, F>> {
  const { attempt, policy, signal } = args;
  for (let tries = 1; ; tries += 1) {
    const outcome = await attempt(tries);
    if (outcome.kind === 'done') return outcome;
    const { failure, retryAfterMs = 0 } = outcome;
    const gaveUp = (reason: GaveUp) => ({ kind: 'gave up', failure, tries, reason }) as const;
    const pauseMs = policy.pausesMs[tries - 1];
    if (pauseMs === undefined) return gaveUp({ kind: 'tries' });
    if (retryAfterMs >= remainingMs(signal))
      return gaveUp({ kind: 'asked to wait', seconds: Math.ceil(retryAfterMs / 1_000) });
    await pause(Math.max(pauseMs, retryAfterMs), signal);
    if (ranOut(signal)) return gaveUp({ kind: 'limit' });
    signal.throwIfAborted();
  }
}

/** Ends sooner with the signal. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end);
  });
}

const SECONDS = /^\d{1,9}$/;
/** IMF-fixdate, the one form that may still be sent (RFC 9110, 5.6.7). */
const DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/**
 * The header Retry-After in milliseconds from now; nothing when it is neither seconds nor a date.
 * @param now of the server that sent it: by its own clock no difference of clocks counts
 */
export function parseRetryAfter(value: string | undefined, now: Date): number | undefined {
  const text = value?.trim() ?? '';
  if (SECONDS.test(text)) return Number(text) * 1_000;
  const date = parseHttpDate(text);
  return date === undefined ? undefined : Math.max(0, date.getTime() - now.getTime());
}

export function parseHttpDate(text: string): Date | undefined {
  const date = DATE.test(text) ? new Date(text) : undefined;
  return date === undefined || Number.isNaN(date.getTime()) ? undefined : date;
}
