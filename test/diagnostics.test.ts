/** The union of codes, the page that explains them, and the tests that raise them stay together. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CODES, diagnosticsOf, error, locate, Refusal } from '../src/diagnostic.ts';

const diagnostics = suite('diagnostics');

const ROOT = join(import.meta.dirname, '..');

diagnostics('docs/diagnostics.md has a row for each code, in the order of the union', () => {
  const page = readFileSync(join(ROOT, 'docs/diagnostics.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `([A-Z0-9_]+)` \| ([^|]+) \| ([^|]+) \|$/gm)];
  assert.equal(
    rows.map((row) => row[1]),
    [...CODES],
  );
  for (const row of rows) assert.ok((row[2] ?? '').length > 10 && (row[3] ?? '').trim().length > 5, row[1]);
});

diagnostics('each code is expected by a test or a golden', () => {
  const expected = sources(join(ROOT, 'test'))
    .filter((file) => file !== import.meta.filename)
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  assert.equal(
    CODES.filter((code) => !new RegExp(`\\b${code}\\b`).test(expected) && code !== 'INTERNAL'),
    [],
  );
});

diagnostics('each code is used in the sources', () => {
  const used = sources(join(ROOT, 'src'))
    .map((file) => readFileSync(file, 'utf8').replace(/CODES = \[[^\]]*\]/, ''))
    .join('\n');
  assert.equal(
    CODES.filter((code) => !used.includes(`'${code}'`)),
    [],
  );
});

diagnostics('an exception of ours that is no Refusal is INTERNAL and does not tell its message', () => {
  const [only, ...rest] = diagnosticsOf(new TypeError('the-secret-value'));
  assert.is(only?.code, 'INTERNAL');
  assert.is(rest.length, 0);
  assert.not.match(JSON.stringify(only), /the-secret-value/);
  assert.match(only?.message ?? '', /TypeError at diagnostics\.test\.ts:\d+/);
});

diagnostics('a Refusal keeps its diagnostics, and what is known of a place wins over what is added', () => {
  const one = error('CA_EMPTY', 'm', 'h', { name: 'a' });
  assert.equal(diagnosticsOf(new Refusal(one)), [one]);
  assert.equal(locate(one, { name: 'b', file: 'f' }).at, { name: 'a', file: 'f' });
});

diagnostics.run();

function sources(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((entry) => /\.(?:ts|json)$/.test(entry) && !/vectors/.test(entry))
    .map((entry) => join(folder, entry));
}
