/** The architecture check really fails: each rule is broken once, in a copy. */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const architecture = suite('architecture');

const ROOT = join(import.meta.dirname, '..');

/** A file that breaks a rule, and the rule. */
const BROKEN: readonly (readonly [string, string, string])[] = [
  ['src/trust/broken.ts', "export { readFileSync } from 'node:fs';", 'pure-rooms-do-no-io'],
  ['src/spec/starting.ts', "export { runProgram } from '../child-process.ts';", 'pure-rooms-start-nothing'],
  ['src/yaml/broken.ts', "export { request } from 'undici';", 'pure-rooms-use-few-packages'],
  ['src/manifest/broken.ts', "export { resolve } from '../resolve/resolve.ts';", 'below-resolve'],
  ['src/machine-config/broken.ts', "export { hydrate } from '../manifest/hydrate.ts';", 'below-manifest'],
  [
    'src/spec/broken.ts',
    "export { parseContract } from '../machine-config/contract.ts';",
    'below-machine-config',
  ],
  ['src/yaml/also-broken.ts', "export { parseAddress } from '../trust/address.ts';", 'below-spec-yaml'],
  ['src/trust/also-broken.ts', "export { readConfig } from '../spec/config-source.ts';", 'below-spec'],
  ['src/resolve/broken.ts', "export { writeWhole } from '../stdio/write-output.ts';", 'below-stdio'],
  ['src/stdio/broken.ts', "export { runList } from '../function/run-list.ts';", 'below-function'],
  ['src/talosctl/broken.ts', "export { resolve } from '../resolve/resolve.ts';", 'talosctl-runs-talosctl'],
  ['src/function/broken.ts', "export { run } from '../cli/run.ts';", 'below-cli'],
  [
    'src/resolve/also-broken.ts',
    "export { KubeConfig } from '@kubernetes/client-node';",
    'client-node-in-one-file',
  ],
  ['src/resolve/eager.ts', "export { KubeConfig } from './client-node.ts';", 'client-node-is-lazy'],
  ['src/spec/also-broken.ts', "export { parse } from 'yaml';", 'yaml-in-one-file'],
  ['src/yaml/eager.ts', "export { Parser } from './library.ts';", 'yaml-is-lazy'],
  ['src/cli/dead.ts', 'export const dead = 1;', 'no-orphans'],
];

architecture('every rule fails when it is broken, and the project breaks none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'registry-trust-architecture-'));
  try {
    for (const entry of ['src', 'package.json', 'tsconfig.json', '.dependency-cruiser.json'])
      cpSync(join(ROOT, entry), join(folder, entry), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    assert.equal(await brokenRules(folder), []);
    for (const [file, text] of BROKEN) writeFileSync(join(folder, file), `${text}\n`);
    const found = await brokenRules(folder);
    for (const [file, , rule] of BROKEN) assert.ok(found.includes(`${rule} ${file}`), `${rule} by ${file}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

architecture.run();

interface Report {
  readonly summary: {
    readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[];
  };
}

function brokenRules(folder: string): Promise<readonly string[]> {
  const command = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
  const args = [command, '--config', '.dependency-cruiser.json', '--output-type', 'json', 'src'];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 1 << 26 }, (_, stdout) => {
      const { summary } = JSON.parse(stdout) as Report;
      resolve(summary.violations.map(({ from, rule }) => `${rule.name} ${from}`));
    });
  });
}
