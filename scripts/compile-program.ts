/**
 * Writes the code cache of the built program. It is run once before, on the example, because V8 caches only what was
 * compiled, and compiles a function when it is first called.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CACHE_FILE, loadProgram } from '../src/load-program.ts';

const ROOT = join(import.meta.dirname, '..');
const EXAMPLE = join(ROOT, 'examples', 'ok-consumer');

const { program, script } = loadProgram(join(ROOT, 'dist'));
await program.start([], {});
await program.start(
  ['render', '--offline', '--config', file('cluster-config.yaml'), file('cluster-base.yaml')],
  {},
);
writeFileSync(join(ROOT, 'dist', CACHE_FILE), script.createCachedData());
process.exitCode = 0;

function file(name: string): string {
  return join(EXAMPLE, name);
}
