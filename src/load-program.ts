/**
 * Loads the bundled program together with its code cache: what V8 compiled of it when it was built. Compiling it anew takes
 * longer than all that a short run does. V8 takes a cache only from its own version and flags, and compiles otherwise.
 */
import type { Script } from 'node:vm';

type Program = typeof import('./program.ts');

/** A function expression, in which `require` and `__filename` are those of a CommonJS module. */
export const PROGRAM_FILE = 'program.cjs';
export const CACHE_FILE = 'program.cache';

export interface LoadedProgram {
  readonly program: Program;
  readonly script: Script;
}

/** @throws Error when the program isn't in `folder` */
export function loadProgram(folder: string): LoadedProgram {
  const { readFileSync, existsSync } = process.getBuiltinModule('node:fs');
  const { createRequire } = process.getBuiltinModule('node:module');
  const vm = process.getBuiltinModule('node:vm');
  const [filename, cache] = [`${folder}/${PROGRAM_FILE}`, `${folder}/${CACHE_FILE}`];
  const script = new vm.Script(readFileSync(filename, 'latin1'), {
    filename,
    ...(existsSync(cache) ? { cachedData: readFileSync(cache) } : {}),
  });
  const module = { exports: {} };
  script.runInThisContext()(module, module.exports, createRequire(filename), filename);
  return { program: module.exports as Program, script };
}
