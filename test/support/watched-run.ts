/**
 * Runs the built command and looks over its shoulder: the arguments of all processes it starts, what their environment has
 * that its own has not, and whatever appears in its folders, even for a moment.
 */
import { type FSWatcher, readdirSync, readFileSync, watch } from 'node:fs';
import { type CommandResult, type RunOptions, runCommand } from './command.ts';

export interface WatchedRun extends CommandResult {
  /** Arguments and additional environment, one text a process. */
  readonly processes: readonly string[];
  /** Files that were made in the watched folders. */
  readonly created: readonly string[];
}

const POLL_MS = 8;

/** @param folders are empty: whatever is there during the run, or afterwards, was made by it */
export async function watchedRun(
  args: readonly string[],
  options: RunOptions,
  folders: readonly string[],
): Promise<WatchedRun> {
  const processes = new Set<string>();
  const created = new Set<string>();
  const watchers: readonly FSWatcher[] = folders.map((folder) =>
    watch(folder, (_event, name) => created.add(`${folder}/${name}`)),
  );
  let timer: NodeJS.Timeout | undefined;
  const onStart = (pid: number): void => {
    timer = setInterval(() => look(pid, processes), POLL_MS);
  };
  try {
    const result = await runCommand(args, { ...options, onStart });
    for (const folder of folders)
      for (const name of readdirSync(folder, { recursive: true })) created.add(`${folder}/${name}`);
    return { ...result, processes: [...processes], created: [...created] };
  } finally {
    clearInterval(timer);
    for (const watcher of watchers) watcher.close();
  }
}

/**
 * Of the command itself the arguments: its environment was given to it, and can be read only once it has started for good,
 * a moment after it is there. By the time it has children it has.
 */
function look(pid: number, seen: Set<string>): void {
  note([argumentsOf(pid)], seen);
  const inherited = environmentOf(pid);
  for (const child of descendantsOf(pid)) {
    const added = [...environmentOf(child)].filter((entry) => !inherited.has(entry));
    note([argumentsOf(child), ...added], seen);
  }
}

function note(texts: readonly string[], seen: Set<string>): void {
  const text = texts.join('\n');
  if (text.trim() !== '') seen.add(text);
}

function descendantsOf(pid: number): readonly number[] {
  return read(`/proc/${pid}/task/${pid}/children`)
    .split(' ')
    .filter((child) => child !== '')
    .flatMap((child) => [Number(child), ...descendantsOf(Number(child))]);
}

function argumentsOf(pid: number): string {
  return read(`/proc/${pid}/cmdline`);
}

function environmentOf(pid: number): ReadonlySet<string> {
  return new Set(read(`/proc/${pid}/environ`).split('\0'));
}

/** Nothing of a process that is gone. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
