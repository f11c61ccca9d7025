import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { blockLines, doubleQuoted, flowText, scalar } from '../../src/yaml/render-value.ts';
import type { Value } from '../../src/yaml/value.ts';
import { fc } from '../support/fuzz.ts';

const render = suite('render value');

const RETYPED = [
  'yes',
  'NO',
  'on',
  'y',
  'null',
  '~',
  '',
  'true',
  '1_000',
  '0b11',
  '1:30',
  '2026-12-01',
  '0755',
  '1e3',
  '.5',
  '- a',
  'a: b',
  'a #b',
  '@x',
  '!t',
  '*a',
  '&a',
  '{',
  '%x',
  '::1',
  'fd00::1',
];

for (const text of RETYPED) {
  render(`"${text}" is quoted, so that no reader retypes it`, () => {
    assert.is(scalar(text)[0], '"');
    assert.is(parse(scalar(text), { version: '1.1' }), text);
  });
}

for (const text of [
  'registry.ok-shared.internal',
  '10.20.0.15',
  '/machine/registries',
  'LS0tLS1CRUdJTg==',
  'add',
]) {
  render(`"${text}" stays plain`, () => {
    assert.is(scalar(text), text);
    assert.is(parse(text, { version: '1.1' }), text);
  });
}

render('a double-quoted text is JSON and YAML, also for characters that only YAML forbids', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      assert.is(
        JSON.parse(doubleQuoted(text)),
        text.replace(/[\ud800-\udfff]/g, (half) => half),
      );
      assert.not.match(doubleQuoted(text), /[\u007f-\u009f\u2028\u2029\ufeff\u0000-\u001f]/);
    }),
  );
});

const values = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string(),
    fc.integer(),
    fc.array(tie('value'), { minLength: 1, maxLength: 3 }),
    fc.dictionary(fc.string({ minLength: 1 }), tie('value'), {
      minKeys: 1,
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
})).value;

for (const listIndent of [0, 2]) {
  render(`block and flow text read back as the value (lists indented by ${listIndent})`, () => {
    fc.assert(
      fc.property(values, (value) => {
        const layout = { lineEnd: '\n', step: 2, listIndent } as const;
        const block = blockLines({ value }, layout).map((line) => `  ${line}\n`);
        // As text: uvu takes objects with a key "constructor" for different ones.
        assert.is(JSON.stringify(parse(`root:\n${block.join('')}`).root.value), JSON.stringify(value));
        assert.is(JSON.stringify(JSON.parse(flowText(value))), JSON.stringify(value));
        assert.is(JSON.stringify(parse(flowText(value))), JSON.stringify(value));
      }),
    );
  });
}

render.run();
