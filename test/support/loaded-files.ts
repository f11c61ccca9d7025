/** Which files of the bundle a run loads, by Node's own module hooks. */
import { basename } from 'node:path';
import { type RunOptions, runCommand } from './command.ts';

const PROBE = `data:text/javascript,${encodeURIComponent(`
import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) { process._rawDebug('loaded ' + url); return next(url, context); } });
`)}`;

/** Base names, in the order they were loaded. */
export async function loadedFiles(
  args: readonly string[],
  options: RunOptions = {},
): Promise<readonly string[]> {
  const { stderr } = await runCommand(args, { ...options, nodeArgs: ['--import', PROBE] });
  return [...stderr.matchAll(/^loaded file:\/\/(\S+)$/gm)].map((match) => basename(match[1] ?? ''));
}
