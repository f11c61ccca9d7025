/**
 * Writes standard output once, whole, and keeps hydrated text off disks: stdout may be a pipe, a socket or a terminal,
 * not a regular file.
 */
import { error, Refusal } from '../diagnostic.ts';
import { fs } from './fs.ts';

export type Fd = 1 | 2;

/** @throws Refusal PERSIST_REFUSED when stdout is a regular file */
export function refuseRegularFile(): void {
  if (!fs.fstatSync(1).isFile()) return;
  throw new Refusal(
    error(
      'PERSIST_REFUSED',
      'Standard output is a regular file; a hydrated manifest is never written to disk.',
      'Pipe it: registry-trust … | kubectl apply --server-side --field-manager=registry-trust -f -',
    ),
  );
}

/** Whether an exception says that nobody reads the output any more. */
export function isReaderGone(cause: unknown): boolean {
  return (cause as NodeJS.ErrnoException | undefined)?.code === 'EPIPE';
}

/**
 * Resolves when every byte is handed over; a reader that went away (EPIPE) rejects, and so does standard error.
 * @throws Refusal OUTPUT_FAILED when standard output takes no more: a full disk, a descriptor that isn't for writing
 */
export async function writeWhole(fd: Fd, text: string): Promise<void> {
  const bytes = Buffer.from(text, 'utf8');
  let written = 0;
  while (written < bytes.length) {
    try {
      written += fs.writeSync(fd, bytes, written);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code !== 'EAGAIN') throw fd === 2 || isReaderGone(cause) ? cause : unwritable(code);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
}

function unwritable(code = 'unknown error'): Refusal {
  return new Refusal(
    error(
      'OUTPUT_FAILED',
      `Standard output cannot be written (${code}).`,
      'Take what was written for incomplete. Make room there, or send the output elsewhere, and run again.',
    ),
  );
}
