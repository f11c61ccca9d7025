/**
 * Finds the command, runs it, and turns every way it can end into an exit code: 0 done, 1 refused or failed,
 * 2 differences found, 64 usage. With 1 or 64 nothing is on stdout but a report that was asked for as JSON.
 */
import { diagnosticsOf, error } from '../diagnostic.ts';
import { type Fd, isReaderGone, writeWhole } from '../stdio/write-output.ts';
import { check } from './check.ts';
import { effective } from './effective.ts';
import { helpFor, OVERVIEW } from './help.ts';
import { type Command, colourOf, parseOptions, UsageError } from './options.ts';
import { report } from './output.ts';
import { render } from './render.ts';
import { VERSION } from './version.ts';

interface Entry {
  readonly run: Command;
  /** Where `--output json` goes: stdout where the report is the result. */
  readonly jsonTo: Fd;
}

const COMMANDS: Readonly<Record<string, Entry>> = {
  render: { run: render, jsonTo: 2 },
  check: { run: check, jsonTo: 1 },
  effective: { run: effective, jsonTo: 1 },
  // Loaded when asked for: it brings the line diff with it.
  review: { run: async (...args) => (await import('./review.ts')).review(...args), jsonTo: 1 },
};

const EXIT = { done: 0, refused: 1, usage: 64 } as const;

export async function run(name: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  if (name === '--version' || name === 'version') return print(`${VERSION}\n`);
  if (name === '--help' || name === '-h' || name === 'help')
    return print(args[0] === undefined ? OVERVIEW : helpFor(args[0]));
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined)
    return usage(
      env,
      `There is no command ${/^[\w-]{1,30}$/.test(name) ? name : 'of that name'}.`,
      'registry-trust --help',
    );
  if (args.includes('--help') || args.includes('-h')) return print(helpFor(name));
  try {
    return await command.run(parseOptions(args), env);
  } catch (cause) {
    if (isReaderGone(cause)) throw cause;
    if (cause instanceof UsageError) return usage(env, cause.message, `registry-trust ${name} --help`);
    const output = wantsJson(args) ? 'json' : 'text';
    const to = output === 'json' ? command.jsonTo : 2;
    const diagnostics = diagnosticsOf(cause);
    await report(diagnostics, { output, colour: colourOf(2, env), to });
    return diagnostics.some(({ code }) => code === 'USAGE') ? EXIT.usage : EXIT.refused;
  }
}

/** Known even where the options as a whole can't be read. */
function wantsJson(args: readonly string[]): boolean {
  return args.some(
    (arg, i) => arg === '--output=json' || (arg === 'json' && /^(?:-o|--output)$/.test(args[i - 1] ?? '')),
  );
}

async function print(text: string): Promise<number> {
  await writeWhole(1, text);
  return EXIT.done;
}

async function usage(env: NodeJS.ProcessEnv, message: string, help: string): Promise<number> {
  await report([error('USAGE', message, `See ${help}`)], { output: 'text', colour: colourOf(2, env) });
  return EXIT.usage;
}
