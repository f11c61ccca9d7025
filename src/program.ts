/**
 * The command. No arguments: the function on stdin and stdout. Else a command. A reader that went away (EPIPE) is a
 * failure; any other exception that nobody caught is a bug, told without its message, which could hold a value.
 */
import { run } from './cli/run.ts';
import { diagnosticsOf } from './diagnostic.ts';
import { runFunction } from './function/run-function.ts';
import { reportText } from './stdio/report.ts';
import { isReaderGone, writeWhole } from './stdio/write-output.ts';

/** Runs to the end of the process and sets its exit code. */
export async function start(args: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  process.on('uncaughtException', (cause) => {
    const text = isReaderGone(cause) ? '' : reportText(diagnosticsOf(cause), 'plain');
    writeWhole(2, text).finally(() => process.exit(1));
  });
  const [command, ...rest] = args;
  process.exitCode = command === undefined ? await runFunction(env) : await run(command, rest, env);
}
