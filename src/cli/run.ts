/**
 * Finds the command, runs it, and turns every way it can end into an exit code: 0 done, 1 refused or failed,
 * 2 differences found, 64 usage. Nothing is on stdout when the code is 1 or 64.
 */
import { diagnosticsOf, error } from '../diagnostic.ts';
import { writeWhole } from '../stdio/write-output.ts';
import { check } from './check.ts';
import { helpFor, OVERVIEW } from './help.ts';
import { type Command, parseOptions, stderrColour, UsageError } from './options.ts';
import { report } from './output.ts';
import { render } from './render.ts';
import { VERSION } from './version.ts';

const COMMANDS: Readonly<Record<string, Command>> = { render, check };

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
    return await command(parseOptions(args), env);
  } catch (cause) {
    if (cause instanceof UsageError) return usage(env, cause.message, `registry-trust ${name} --help`);
    await report(diagnosticsOf(cause), {
      output: args.includes('json') ? 'json' : 'text',
      colour: stderrColour(env),
    });
    return EXIT.refused;
  }
}

async function print(text: string): Promise<number> {
  await writeWhole(1, text);
  return EXIT.done;
}

async function usage(env: NodeJS.ProcessEnv, message: string, help: string): Promise<number> {
  await report([error('USAGE', message, `See ${help}`)], { output: 'text', colour: stderrColour(env) });
  return EXIT.usage;
}
