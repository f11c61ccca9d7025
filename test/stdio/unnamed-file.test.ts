/** Texts for child processes: readable by path, as often as wanted, and nowhere to be found. */
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, fstatSync, readdirSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { canHoldUnnamed, unnamedFile } from '../../src/stdio/unnamed-file.ts';

const unnamed = suite('unnamed file');

unnamed('a child reads it by its path, from the start, more than once', () => {
  const text = `${'ä'.repeat(100_000)}\n`;
  const fd = unnamedFile(text);
  try {
    const output = execFileSync('/bin/cat', ['/proc/self/fd/3', '/proc/self/fd/3'], {
      stdio: ['ignore', 'pipe', 'inherit', fd],
      maxBuffer: 1 << 24,
    });
    assert.is(output.toString(), text + text);
  } finally {
    closeSync(fd);
  }
});

unnamed(
  'it has no name, belongs to this user alone, and can’t be written through what the child gets',
  () => {
    const before = readdirSync('/dev/shm');
    const fd = unnamedFile('secret');
    try {
      assert.equal(readdirSync('/dev/shm'), before);
      const { nlink, mode } = fstatSync(fd);
      assert.is(nlink, 0);
      assert.is(mode & 0o777, 0o400);
      const { status } = spawnSync('/bin/sh', ['-c', 'echo changed >&3'], {
        stdio: ['ignore', 'ignore', 'ignore', fd],
      });
      assert.is.not(status, 0);
    } finally {
      closeSync(fd);
    }
  },
);

unnamed('this machine has a place for it', () => {
  assert.ok(canHoldUnnamed());
});

unnamed.run();
