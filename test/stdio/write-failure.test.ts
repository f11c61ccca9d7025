/** Standard output that takes nothing: told with its reason, and not as a bug of the program. */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { COMMAND, runCommand } from '../support/command.ts';

const failures = suite('failures to write');

const INPUT = 'a: 1\n';
const STDOUTS = [
  ['a full disk', '/dev/full', 'w', 'ENOSPC'],
  ['a descriptor that is only for reading', '/dev/null', 'r', 'EBADF'],
] as const;
const COMMANDS: readonly (readonly string[])[] = [
  [],
  ['--help'],
  ['check', '--output', 'json', '--config', 'examples/no-such-file.yaml', '-'],
];

for (const [about, path, flags, code] of STDOUTS) {
  for (const args of COMMANDS) {
    failures(`${about} as output of '${args.join(' ')}'`, async () => {
      if (!existsSync(path)) return;
      const stdout = openSync(path, flags);
      const result = await runCommand(args, { input: INPUT, stdout });
      closeSync(stdout);
      assert.is(result.code, 1);
      assert.match(result.stderr, new RegExp(`^error OUTPUT_FAILED: Standard output .*${code}`));
      assert.not.match(result.stderr, /INTERNAL|\n\s+at /);
    });
  }
}

failures('a reader that went away ends the function with 1, without a stack', async () => {
  const child = spawn(process.execPath, [COMMAND], { stdio: ['pipe', 'pipe', 'pipe'] });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.stdout.destroy();
  child.stdin.on('error', () => undefined).end(INPUT.repeat(100_000));
  const code = await new Promise((resolve) => child.on('close', resolve));
  assert.equal({ code, stderr }, { code: 1, stderr: '' });
});

failures.run();
