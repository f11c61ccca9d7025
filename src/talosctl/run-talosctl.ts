/**
 * One run of talosctl.
 *
 * Invariants: what it reads is in unnamed files, never in arguments; of the environment it gets what it needs to start and
 * nothing else; it has no standard input to wait for; its words aren't shown, since they may hold a value. It ends with the
 * signal, and so do its pipes.
 */
import { spawn } from 'node:child_process';
import { fs } from '../stdio/fs.ts';
import { unnamedFile } from '../stdio/unnamed-file.ts';

export interface TalosctlRun {
  readonly path: string;
  /** `@0` is the first text as a file, `=0` its path alone. */
  readonly args: readonly string[];
  readonly texts: readonly string[];
  readonly signal: AbortSignal;
}

export type TalosctlAnswer =
  | { readonly kind: 'done'; readonly stdout: string }
  | { readonly kind: 'failed'; readonly stdout: string; readonly exitCode: number | 'killed' | 'not started' }
  | { readonly kind: 'aborted'; readonly stdout: string };

/** A machine configuration has some 20 KiB. */
const MAX_OUTPUT = 8 << 20;

/** Descriptors 0 to 2 are the standard ones. */
const FIRST_FD = 3;

/** Never rejects, unless an unnamed file can't be made. */
export async function runTalosctl({ path, args, texts, signal }: TalosctlRun): Promise<TalosctlAnswer> {
  const files = texts.map(unnamedFile);
  try {
    if (signal.aborted) return { kind: 'aborted', stdout: '' };
    const child = spawn(path, args.map(withPath), {
      stdio: ['ignore', 'pipe', 'ignore', ...files],
      // talosctl looks for its own configuration below HOME; it has none to find.
      env: { PATH: '/usr/bin:/bin', HOME: '/nonexistent' },
      cwd: '/',
    });
    return await answerOf(child, signal);
  } finally {
    for (const file of files) fs.closeSync(file);
  }
}

function withPath(arg: string): string {
  const [, mark, index] = /^([@=])(\d+)$/.exec(arg) ?? [];
  if (mark === undefined) return arg;
  return `${mark === '@' ? '@' : ''}/proc/self/fd/${FIRST_FD + Number(index)}`;
}

function answerOf(child: ReturnType<typeof spawn>, signal: AbortSignal): Promise<TalosctlAnswer> {
  const { promise, resolve } = Promise.withResolvers<TalosctlAnswer>();
  const chunks: Buffer[] = [];
  let size = 0;
  const text = (): string => Buffer.concat(chunks).toString('utf8');
  const end = (): void => {
    child.kill('SIGKILL');
    child.stdout?.destroy();
  };
  signal.addEventListener('abort', end, { once: true });
  child.stdout?.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_OUTPUT) end();
    else chunks.push(chunk);
  });
  child.once('error', () => resolve({ kind: 'failed', stdout: '', exitCode: 'not started' }));
  child.once('close', (exitCode) => {
    if (signal.aborted) resolve({ kind: 'aborted', stdout: '' });
    else if (exitCode === 0) resolve({ kind: 'done', stdout: text() });
    else resolve({ kind: 'failed', stdout: text(), exitCode: exitCode ?? 'killed' });
  });
  return promise.finally(() => signal.removeEventListener('abort', end));
}
