/** The talosctl on PATH, and its version. */
import { fs } from '../stdio/fs.ts';
import { runTalosctl } from './run-talosctl.ts';

export interface Talosctl {
  readonly path: string;
  /** As it says itself; absent when it says nothing that looks like one. */
  readonly version?: { readonly major: number; readonly minor: number; readonly text: string };
}

export async function findTalosctl(
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<Talosctl | undefined> {
  const path = onPath(env['PATH'] ?? '');
  if (path === undefined) return undefined;
  const answer = await runTalosctl({ path, args: ['version', '--client', '--short'], texts: [], signal });
  const stdout = answer.kind === 'done' ? answer.stdout : '';
  const [text, major, minor] = /\bv(\d{1,3})\.(\d{1,3})\.\d{1,3}\b/.exec(stdout) ?? [];
  if (text === undefined) return { path };
  return { path, version: { major: Number(major), minor: Number(minor), text } };
}

function onPath(folders: string): string | undefined {
  return folders
    .split(':')
    .filter((folder) => folder.startsWith('/'))
    .map((folder) => `${folder}/talosctl`)
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    fs.accessSync(path, fs.constants.X_OK);
    return fs.statSync(path).isFile();
  } catch {
    return false;
  }
}
