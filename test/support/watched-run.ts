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
    const environment = environmentOf(pid);
    timer = setInterval(() => look(pid, environment, processes), POLL_MS);
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

function look(pid: number, inherited: ReadonlySet<string>, seen: Set<string>): void {
  const added = [...environmentOf(pid)].filter((entry) => !inherited.has(entry));
  const text = [read(`/proc/${pid}/cmdline`), ...added].join('\n');
  if (text.trim() !== '') seen.add(text);
  for (const child of read(`/proc/${pid}/task/${pid}/children`).split(' '))
    if (child !== '') look(Number(child), inherited, seen);
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
