/**
 * Runs a program for what it prints.
 *
 * Invariants: it has no standard input to ask on, and its standard error is dropped, as it may say a secret; it ends with
 * the signal, and so do its pipes, which its own children may hold; what it prints is bounded. Its environment is what it
 * is given, nothing else.
 */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Descriptors that it gets as 3, 4 and so on. */
  readonly files?: readonly number[];
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export type Ending =
  | { readonly kind: 'done'; readonly stdout: string }
  /** `ended`: it was, by the signal, for printing too much, or from outside. */
  | { readonly kind: 'failed'; readonly exitCode: number | 'ended' }
  /** `code` as in ENOENT. */
  | { readonly kind: 'not started'; readonly code: string };

/** Never rejects. */
export async function runProgram(program: Program): Promise<Ending> {
  const { signal } = program;
  let child: Child;
  try {
    child = start(program);
  } catch (cause) {
    // Node throws for some reasons (a NUL in an argument, too many arguments), and tells others by an event.
    return notStarted(cause);
  }
  const end = (): void => {
    child.kill('SIGKILL');
    child.stdout.destroy();
  };
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  try {
    return await endingOf(child, program.maxBytes, end);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

type Child = ChildProcess & { readonly stdout: Readable };

function start({ command, args, env, cwd, files = [] }: Program): Child {
  const stdio: StdioOptions = ['ignore', 'pipe', 'ignore', ...files];
  return spawn(command, args, { env, stdio, ...(cwd === undefined ? {} : { cwd }) }) as Child;
}

function endingOf(child: Child, maxBytes: number, end: () => void): Promise<Ending> {
  const chunks: Buffer[] = [];
  let size = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > maxBytes) end();
    else chunks.push(chunk);
  });
  return new Promise((resolve) => {
    child.once('error', (cause) => resolve(notStarted(cause)));
    child.once('close', (code) => {
      if (size > maxBytes || code === null) resolve({ kind: 'failed', exitCode: 'ended' });
      else if (code === 0) resolve({ kind: 'done', stdout: Buffer.concat(chunks).toString('utf8') });
      else resolve({ kind: 'failed', exitCode: code });
    });
  });
}

function notStarted(cause: unknown): Ending {
  const { code = '' } = cause as NodeJS.ErrnoException;
  return { kind: 'not started', code: /^E[A-Z0-9]{1,20}$/.test(code) ? code : 'unknown cause' };
}
