/**
 * Reads standard input or a file whole, as UTF-8. Input that isn't UTF-8 is refused: decoding it with replacement
 * characters would change bytes that nobody asked to change.
 */
import { error, Refusal } from '../diagnostic.ts';
import { fs } from './fs.ts';

const STDIN = 0;
const CHUNK_BYTES = 1 << 16;

/** @throws Refusal FILE_UNREADABLE */
export async function readStdin(): Promise<string> {
  return decode(await readBytes(), 'standard input');
}

/** @throws Refusal FILE_UNREADABLE */
export function readFile(path: string): string {
  try {
    return decode(fs.readFileSync(path), path);
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    throw unreadable(path, `cannot be read (${(cause as NodeJS.ErrnoException).code ?? 'unknown error'})`);
  }
}

export function isTerminal(fd: 0 | 1 | 2): boolean {
  try {
    return (
      fs.fstatSync(fd).isCharacterDevice() &&
      (fd === 0 ? process.stdin : fd === 1 ? process.stdout : process.stderr).isTTY === true
    );
  } catch {
    return false;
  }
}

/** Synchronous reads start soonest; a pipe that someone set to non-blocking needs the event loop. */
async function readBytes(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    try {
      const size = fs.readSync(STDIN, chunk, 0, CHUNK_BYTES, null);
      if (size === 0) return Buffer.concat(chunks);
      chunks.push(chunk.subarray(0, size));
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code === 'EOF') return Buffer.concat(chunks);
      if (code !== 'EAGAIN')
        throw unreadable('standard input', `cannot be read (${code ?? 'unknown error'})`);
      for await (const rest of process.stdin) chunks.push(rest as Buffer);
      return Buffer.concat(chunks);
    }
  }
}

function decode(bytes: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw unreadable(name, 'is not UTF-8 text');
  }
}

function unreadable(name: string, what: string): Refusal {
  return new Refusal(
    error(
      'FILE_UNREADABLE',
      `${name} ${what}.`,
      'Check the path, its permissions and its encoding (UTF-8).',
      { file: name },
    ),
  );
}
