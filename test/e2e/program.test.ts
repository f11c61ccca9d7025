/** The built program starts with its code cache, and just as well without one. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CACHE_FILE, loadProgram, PROGRAM_FILE } from '../../src/load-program.ts';
import { COMMAND, run } from '../support/command.ts';

const program = suite('program');

const DIST = dirname(COMMAND);
const CACHE = readFileSync(join(DIST, CACHE_FILE));

program('the Node that it was built with takes the cache', () => {
  assert.is(loadProgram(DIST).script.cachedDataRejected, false);
});

const other = Buffer.from(CACHE);
other.fill(0xff, 0, 16);

for (const [about, cache] of [
  ['no cache', undefined],
  ['an empty cache', Buffer.alloc(0)],
  ['a cache cut short', CACHE.subarray(0, CACHE.length / 2)],
  ['a cache of another version', other],
] as const) {
  program(`with ${about} it does the same`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'registry-trust-program-'));
    try {
      for (const file of ['registry-trust.js', PROGRAM_FILE])
        copyFileSync(join(DIST, file), join(folder, file));
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      if (cache !== undefined) writeFileSync(join(folder, CACHE_FILE), cache);
      const [here, there] = await Promise.all(
        [COMMAND, join(folder, 'registry-trust.js')].map((file) => run(process.execPath, [file, '--help'])),
      );
      assert.is(there?.code, 0);
      assert.equal(there, here);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}

program.run();
