#!/usr/bin/env node
/** What users run: the built program, with the code that V8 made of it when it was built. */
import { loadProgram } from './load-program.ts';

await loadProgram(import.meta.dirname).program.start(process.argv.slice(2), process.env);
