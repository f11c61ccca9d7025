import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { remainingMs, startLimit } from '../../src/resolve/limit.ts';
import { type Outcome, parseRetryAfter, pause, retry } from '../../src/resolve/retry.ts';

const retrying = suite('retry');

const never = new AbortController().signal;
const AT_ONCE = { pausesMs: [0, 0, 0] };
/** Longer than a test may take: what waits for this isn't ended by it. */
const FOR_EVER_MS = 1_000_000;

/** A series of outcomes, and how many of them were asked for. */
function series(...outcomes: readonly Outcome<string, string>[]) {
  const seen = { tries: 0 };
  const attempt = async (number: number) => {
    seen.tries += 1;
    assert.is(number, seen.tries);
    return outcomes[number - 1] ?? { kind: 'transient' as const, failure: `failure ${number}` };
  };
  return { seen, attempt };
}

retrying('what works at once is done once', async () => {
  const { seen, attempt } = series({ kind: 'done', value: 'a' });
  assert.equal(await retry({ attempt, policy: AT_ONCE, signal: never }), { kind: 'done', value: 'a' });
  assert.is(seen.tries, 1);
});

retrying('tried again until it works', async () => {
  const transient = { kind: 'transient', failure: 'b' } as const;
  const { seen, attempt } = series(transient, transient, { kind: 'done', value: 'a' });
  assert.equal(await retry({ attempt, policy: AT_ONCE, signal: never }), { kind: 'done', value: 'a' });
  assert.is(seen.tries, 3);
});

retrying('one try more than there are pauses, then the last failure', async () => {
  const { attempt } = series();
  assert.equal(await retry({ attempt, policy: AT_ONCE, signal: never }), {
    kind: 'gave up',
    failure: 'failure 4',
    tries: 4,
    reason: { kind: 'tries' },
  });
});

retrying('what is thrown is not tried again', async () => {
  let tries = 0;
  const attempt = async (): Promise<never> => {
    tries += 1;
    throw new Error('lasting');
  };
  await retry({ attempt, policy: AT_ONCE, signal: never }).then(
    () => assert.unreachable(),
    () => undefined,
  );
  assert.is(tries, 1);
});

retrying('the limit ends a pause', async () => {
  const limit = startLimit(20);
  const { attempt } = series();
  assert.equal(await retry({ attempt, policy: { pausesMs: [FOR_EVER_MS] }, signal: limit.signal }), {
    kind: 'gave up',
    failure: 'failure 1',
    tries: 1,
    reason: { kind: 'limit' },
  });
});

retrying('the caller ends a pause with a reason of its own', async () => {
  const caller = new AbortController();
  const { attempt } = series();
  const ended = retry({ attempt, policy: { pausesMs: [FOR_EVER_MS] }, signal: caller.signal });
  caller.abort('enough');
  assert.is(
    await ended.then(
      () => assert.unreachable(),
      (reason: unknown) => reason,
    ),
    'enough',
  );
});

retrying('a server that asks to wait is waited for', async () => {
  const { attempt } = series(
    { kind: 'transient', failure: 'b', retryAfterMs: 30 },
    { kind: 'done', value: 'a' },
  );
  const start = performance.now();
  assert.is((await retry({ attempt, policy: AT_ONCE, signal: never })).kind, 'done');
  // Not how long it took, but that it did not go on before (timers may be a millisecond early).
  assert.ok(performance.now() - start > 25);
});

retrying('a server that asks to wait for longer than there is time is not waited for', async () => {
  const limit = startLimit(FOR_EVER_MS);
  const { attempt } = series({ kind: 'transient', failure: 'b', retryAfterMs: 2 * FOR_EVER_MS });
  assert.equal(await retry({ attempt, policy: AT_ONCE, signal: limit.signal }), {
    kind: 'gave up',
    failure: 'b',
    tries: 1,
    reason: { kind: 'asked to wait', seconds: 2_000 },
  });
  limit.end();
});

retrying('a pause leaves no timer, however it ends', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const before = timers();
  const caller = new AbortController();
  const paused = pause(FOR_EVER_MS, caller.signal);
  assert.is(timers(), before + 1);
  caller.abort();
  await paused;
  await pause(FOR_EVER_MS, caller.signal);
  assert.is(timers(), before);
});

retrying('what is left of a limit is the least of all around it', () => {
  const outer = startLimit(FOR_EVER_MS);
  const inner = startLimit(2 * FOR_EVER_MS, outer.signal);
  assert.ok(remainingMs(inner.signal) <= FOR_EVER_MS);
  assert.ok(remainingMs(outer.signal) > 0);
  assert.is(remainingMs(never), Number.POSITIVE_INFINITY);
  inner.end();
  outer.end();
});

const NOW = new Date('2026-01-02T03:04:05Z');

const RETRY_AFTER: readonly (readonly [string | undefined, number | undefined])[] = [
  ['0', 0],
  ['7', 7_000],
  [' 7 ', 7_000],
  ['Fri, 02 Jan 2026 03:04:15 GMT', 10_000],
  ['Fri, 02 Jan 2026 03:04:00 GMT', 0],
  ['-1', undefined],
  ['1.5', undefined],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
  ['9999999999', undefined],
  ['Fri, 99 Jan 2026 03:04:15 GMT', undefined],
  ['2026-01-02T03:04:15Z', undefined],
];

for (const [text, ms] of RETRY_AFTER) {
  retrying(`Retry-After: ${text}`, () => assert.is(parseRetryAfter(text, NOW), ms));
}

retrying.run();
