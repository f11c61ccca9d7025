/**
 * Hands a text to a child process that wants a file. A pipe won't do: Node's are socket pairs, which can't be opened by
 * `/proc/self/fd/N`.
 *
 * Invariant: the file never has a name, is in memory only, can be read by this user alone, and is gone with the last
 * descriptor.
 */
import { fs } from './fs.ts';

const FOLDER = '/dev/shm';

/** `TMPFS_MAGIC` of statfs(2). */
const TMPFS = 0x01021994;

/** `O_TMPFILE` of open(2), which Node has no name for. */
const O_TMPFILE = 0o20000000 | fs.constants.O_DIRECTORY;

/** Whether there is a place for unnamed files: Linux with a memory file system at the usual place. */
export function canHoldUnnamed(): boolean {
  try {
    return process.platform === 'linux' && fs.statfsSync(FOLDER).type === TMPFS;
  } catch {
    return false;
  }
}

/** A descriptor to read `text` from. Whoever takes it closes it. @throws Error of the system */
export function unnamedFile(text: string): number {
  const writable = fs.openSync(FOLDER, O_TMPFILE | fs.constants.O_RDWR | fs.constants.O_EXCL, 0o400);
  try {
    const bytes = Buffer.from(text, 'utf8');
    for (let written = 0; written < bytes.length; )
      written += fs.writeSync(writable, bytes, written, bytes.length - written, written);
    return fs.openSync(`/proc/self/fd/${writable}`, 'r');
  } finally {
    fs.closeSync(writable);
  }
}
