/**
 * One run of talosctl.
 *
 * Invariants: what it reads is in unnamed files, never in arguments; of the environment it gets what it needs to start and
 * nothing else.
 */
import { type Ending, runProgram } from '../child-process.ts';
import { fs } from '../stdio/fs.ts';
import { unnamedFile } from '../stdio/unnamed-file.ts';

export interface TalosctlRun {
  readonly path: string;
  /** `@0` is the first text as a file, `=0` its path alone. */
  readonly args: readonly string[];
  readonly texts: readonly string[];
  readonly signal: AbortSignal;
}

/** `no memory`: there is no place for what it is to read. */
export type TalosctlAnswer = Ending | { readonly kind: 'time limit' | 'no memory' };

/** A machine configuration has some 20 KiB. */
const MAX_OUTPUT_BYTES = 8 << 20;

/** Descriptors 0 to 2 are the standard ones. */
const FIRST_FD = 3;

/** talosctl looks for its own configuration below HOME; it has none to find. */
const ENV = { PATH: '/usr/bin:/bin', HOME: '/nonexistent' };

/** Never rejects. */
export async function runTalosctl({ path, args, texts, signal }: TalosctlRun): Promise<TalosctlAnswer> {
  const files: number[] = [];
  try {
    for (const text of texts) files.push(unnamedFile(text));
  } catch {
    closeAll(files);
    return { kind: 'no memory' };
  }
  try {
    const ending = await runProgram({
      command: path,
      args: args.map(withPath),
      env: ENV,
      cwd: '/',
      files,
      maxBytes: MAX_OUTPUT_BYTES,
      signal,
    });
    return ending.kind === 'failed' && signal.aborted ? { kind: 'time limit' } : ending;
  } finally {
    closeAll(files);
  }
}

function closeAll(files: readonly number[]): void {
  for (const file of files) fs.closeSync(file);
}

function withPath(arg: string): string {
  const [, mark, index] = /^([@=])(\d+)$/.exec(arg) ?? [];
  if (mark === undefined) return arg;
  return `${mark === '@' ? '@' : ''}/proc/self/fd/${FIRST_FD + Number(index)}`;
}
