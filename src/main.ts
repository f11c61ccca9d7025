#!/usr/bin/env node
/** No arguments: the function on stdin and stdout. Else a command. A reader that went away (EPIPE) is a failure. */
import { run } from './cli/run.ts';
import { runFunction } from './function/run-function.ts';
import { isReaderGone } from './stdio/write-output.ts';

const [command, ...rest] = process.argv.slice(2);
try {
  process.exitCode =
    command === undefined ? await runFunction(process.env) : await run(command, rest, process.env);
} catch (cause) {
  process.exitCode = 1;
  if (!isReaderGone(cause)) throw cause;
}
