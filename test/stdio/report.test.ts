/** What names from manifests can do to a report: nothing. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { error } from '../../src/diagnostic.ts';
import { reportText } from '../../src/stdio/report.ts';

const reports = suite('report');

for (const [about, char, shown] of [
  ['a line end', '\n', '\\u000a'],
  ['an escape sequence', '\u001b[2J', '\\u001b[2J'],
  ['a carriage return', '\r', '\\u000d'],
  ['an 8-bit control character', '\u009b', '\\u009b'],
  ['a Unicode line separator', '\u2028', '\\u2028'],
] as const) {
  reports(`${about} in a name or a message is shown, not done`, () => {
    const diagnostic = error('HOLDER_NOT_FOUND', `m${char}`, 'h', { kind: 'A', name: `a${char}error B` });
    assert.is(
      reportText([diagnostic], 'plain'),
      `error HOLDER_NOT_FOUND (A/a${shown}error B): m${shown}\n  → h\n`,
    );
  });
}

reports.run();
