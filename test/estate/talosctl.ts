/**
 * A stand-in for talosctl: the three commands that are used, over files as the real one reads them. It generates nothing:
 * its configuration holds the patches as they came. Words in the patches make it fail, as the real one does without saying
 * which patch it was; whatever it was started with is recorded.
 */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface TalosctlStandIn {
  /** For PATH. */
  readonly folder: string;
  /** Every start so far. */
  calls(): readonly TalosctlCall[];
}

export interface TalosctlCall {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What the files in the arguments held. */
  readonly files: readonly string[];
}

/** Words that make it fail: in a patch (`generate`, `hang`), or in the configuration (`validate`). */
export const TRAPS = {
  generate: 'patch-that-does-not-apply',
  validate: 'config-that-is-invalid',
  hang: 'patch-that-hangs',
} as const;

export function installTalosctl(parent: string, version = 'v1.13.9'): TalosctlStandIn {
  const folder = join(parent, 'bin');
  const log = join(parent, 'talosctl.log');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'talosctl');
  writeFileSync(path, `#!${process.execPath}\n${program(log, version)}`);
  chmodSync(path, 0o755);
  return {
    folder,
    calls: () =>
      existsSync(log)
        ? readFileSync(log, 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as TalosctlCall)
        : [],
  };
}

function program(log: string, version: string): string {
  return `
const fs = require('node:fs');
const args = process.argv.slice(2);
const paths = args.flatMap((arg) => /^@?(\\/proc\\/self\\/fd\\/\\d+)$/.exec(arg)?.[1] ?? []);
// Each is opened by its path and read to its end, as os.ReadFile does.
const files = paths.map((path) => fs.readFileSync(path, 'utf8'));
fs.appendFileSync(${JSON.stringify(log)}, JSON.stringify({ args, env: process.env, files }) + '\\n');
const fail = () => { process.stderr.write('error: ' + files.join('\\n')); process.exit(1); };
const has = (word) => files.some((text) => text.includes(word));
const command = args.slice(0, 2).join(' ');
if (args[0] === 'version') { console.log('Client:\\nTalos ${version}'); }
else if (command === 'gen config' || command === 'machineconfig patch') {
  if (has('${TRAPS.generate}')) fail();
  if (has('${TRAPS.hang}')) setTimeout(() => {}, 1e6);
  else process.stdout.write('# generated\\n' + files.join('\\n---\\n'));
} else if (args[0] === 'validate') {
  if (args[args.indexOf('--mode') + 1] !== 'cloud' || !has('# generated') || has('${TRAPS.validate}')) fail();
  console.log(paths[0] + ' is valid for cloud mode');
} else { process.exit(1); }
`;
}
