import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ranOut, startLimit, within } from '../../src/resolve/limit.ts';

const limit = suite('limit');

const never = () => new Promise<never>(() => {});

/** What a promise is rejected with. */
function reasonOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.unreachable('it must be rejected'),
    (reason: unknown) => reason,
  );
}

limit('ends work that never ends', async () => {
  const { signal } = startLimit(10);
  await reasonOf(within(signal, never));
  assert.ok(ranOut(signal));
});

limit('gives the result of work that ends sooner, and is quiet afterwards', async () => {
  const { signal, end } = startLimit(20);
  assert.is(await within(signal, async () => 'done'), 'done');
  end();
  await sleep(40);
  assert.not(signal.aborted);
});

limit('follows the outer signal with its reason', async () => {
  const outer = new AbortController();
  const { signal, end } = startLimit(10_000, outer.signal);
  const reason = reasonOf(within(signal, never));
  outer.abort('stop');
  assert.is(await reason, 'stop');
  assert.not(ranOut(signal));
  end();
});

limit('follows an outer signal that was aborted before', async () => {
  const { signal, end } = startLimit(10_000, AbortSignal.abort('before'));
  assert.is(await reasonOf(within(signal, never)), 'before');
  end();
});

limit('does not start work that is already over', async () => {
  let started = false;
  await reasonOf(within(AbortSignal.abort('over'), async () => (started = true)));
  assert.not(started);
});

limit('an ended limit no longer follows the outer signal', () => {
  const outer = new AbortController();
  const { signal, end } = startLimit(10_000, outer.signal);
  end();
  outer.abort();
  assert.not(signal.aborted);
});

limit('a limit that ran out is seen through an inner one', async () => {
  const outer = startLimit(10);
  const inner = startLimit(10_000, outer.signal);
  await reasonOf(within(inner.signal, never));
  assert.ok(ranOut(inner.signal));
  inner.end();
});

limit.run();
