/** Programs run for what they print: bounded, ended with the signal, and with nothing of ours. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Ending, runProgram } from '../src/child-process.ts';

const program = suite('child process');

const never = new AbortController().signal;

function shell(script: string, options: { readonly maxBytes?: number; readonly signal?: AbortSignal } = {}) {
  const { maxBytes = 1_000, signal = never } = options;
  return runProgram({ command: '/bin/sh', args: ['-c', script], env: { GIVEN: 'value' }, maxBytes, signal });
}

/** A script, and how it ends. */
const TABLE: readonly (readonly [string, Ending])[] = [
  ['printf out; printf err >&2', { kind: 'done', stdout: 'out' }],
  ['printf "$GIVEN$HOME"', { kind: 'done', stdout: 'value' }],
  ['read line; printf "$?"', { kind: 'done', stdout: '1' }],
  ['printf out; exit 7', { kind: 'failed', exitCode: 7 }],
  ['kill -9 $$', { kind: 'failed', exitCode: 'ended' }],
  ['yes', { kind: 'failed', exitCode: 'ended' }],
];

for (const [script, ending] of TABLE) {
  program(script, async () => assert.equal(await shell(script), ending));
}

program('what doesn’t fit is no answer, also of a program that ended by itself', async () => {
  assert.equal(await shell('printf 12345', { maxBytes: 4 }), { kind: 'failed', exitCode: 'ended' });
});

program('the signal ends it, and the pipe that a child of its own holds', async () => {
  const controller = new AbortController();
  const ending = shell('sleep 20 & wait', { signal: controller.signal });
  setTimeout(() => controller.abort(), 50);
  assert.equal(await ending, { kind: 'failed', exitCode: 'ended' });
  assert.equal(await shell('sleep 20', { signal: controller.signal }), {
    kind: 'failed',
    exitCode: 'ended',
  });
});

program('what isn’t there isn’t started', async () => {
  const ending = await runProgram({ command: '/nonexistent', args: [], env: {}, maxBytes: 1, signal: never });
  assert.equal(ending, { kind: 'not started', code: 'ENOENT' });
});

program('arguments that no program can get start nothing', async () => {
  const rest = { args: ['a\0b'], env: {}, maxBytes: 1, signal: never };
  assert.equal(await runProgram({ command: '/bin/true', ...rest }), {
    kind: 'not started',
    code: 'unknown cause',
  });
});

program.run();
