/** Texts and words as YAML's core schema reads them, comparisons, and aliases. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  isNullWord,
  type Json,
  jsonOfRaw,
  Plain,
  type Raw,
  rawOfJson,
  rawOfNode,
  sameRaw,
} from '../../../src/machine-config/replay/raw.ts';
import { parseYaml } from '../../../src/yaml/document.ts';

const raw = suite('raw values');

function read(text: string): Raw {
  return rawOfNode(parseYaml({ text, offset: 0, whole: text }).root);
}

const WORDS: readonly (readonly [string, Json])[] = [
  ['', null],
  ['~', null],
  ['null', null],
  ['Null', null],
  ['NULL', null],
  ['nulls', 'nulls'],
  ['xnull', 'xnull'],
  ['true', true],
  ['True', true],
  ['TRUE', true],
  ['tRUE', 'tRUE'],
  ['trues', 'trues'],
  ['xtrue', 'xtrue'],
  ['false', false],
  ['False', false],
  ['FALSE', false],
  ['falses', 'falses'],
  ['xfalse', 'xfalse'],
  ['7', 7],
  ['-7', -7],
  ['+7', 7],
  ['*7', '*7'],
  ['77', 77],
  ['7.', 7],
  ['7.25', 7.25],
  ['.25', 0.25],
  ['.x5', '.x5'],
  ['7.x', '7.x'],
  ['7e3', 7000],
  ['7E+12', 7e12],
  ['7e-3', 0.007],
  ['7f3', '7f3'],
  ['7e*3', '7e*3'],
  ['7ex', '7ex'],
  ['e7', 'e7'],
  ['7 7', '7 7'],
];

for (const [word, expected] of WORDS) {
  raw(`the word ${JSON.stringify(word)} is ${JSON.stringify(expected)}; in quotes it is text`, () => {
    assert.is(jsonOfRaw(new Plain(word)), expected);
    assert.is(jsonOfRaw(word), word);
    assert.is(isNullWord(new Plain(word)), expected === null);
    assert.is(isNullWord(word), false);
  });
}

raw('JSON there and back', () => {
  const json = { a: [1, 'x', true, null, { b: {} }], 'c d': [] };
  assert.equal(jsonOfRaw(rawOfJson(json)), json);
  assert.is(jsonOfRaw(rawOfJson(undefined)), null);
  assert.is(jsonOfRaw(undefined), null);
});

const SAME: readonly (readonly [string, string, boolean])[] = [
  ['{a: 1, b: [x, 2]}', '{b: [x, 2], a: 1}', true],
  ['{a: 1}', '{a: 1, b: 2}', false],
  ['{a: 1, b: 2}', '{a: 1}', false],
  ['{a: 1, b: 2}', '{a: 1, c: 2}', false],
  ['{a: ~}', '{b: ~}', false],
  ['{a: 1}', '{a: "1"}', false],
  ['{a: 1}', '{a: +1}', true],
  ['{a: x}', '{a: "x"}', true],
  ['[1, 2]', '[1, 2]', true],
  ['[1, 2]', '[2, 1]', false],
  ['[1]', '[1, 2]', false],
  ['[1, 2]', '[1]', false],
  ['[]', '{}', false],
  ['{}', '[]', false],
  ['{a: []}', '{a: ~}', false],
  ['{a: ~}', '{a: {}}', false],
];

for (const [one, other, expected] of SAME) {
  raw(`${one} and ${other}: ${expected ? 'the same' : 'not the same'}`, () => {
    assert.is(sameRaw(read(one), read(other)), expected);
  });
}

raw('an alias repeats the last node of its anchor before it', () => {
  assert.equal(jsonOfRaw(read('a: &x 1\nb: *x\nc: &x {d: 2}\ne: *x\nf: &y 3\ng: [*x, *y]\n')), {
    a: 1,
    b: 1,
    c: { d: 2 },
    e: { d: 2 },
    f: 3,
    g: [{ d: 2 }, 3],
  });
});

function failureOf(work: () => unknown): unknown {
  try {
    work();
    return 'none';
  } catch (cause) {
    return (cause as { readonly kind?: unknown }).kind;
  }
}

raw('an alias without an anchor before it', () => {
  const text = 'a: &x 1\nb: *x\n';
  const { root } = parseYaml({ text, offset: 0, whole: text });
  assert.ok(root !== null && 'items' in root);
  const alias = (root.items[1] as { readonly value: Parameters<typeof rawOfNode>[0] }).value;
  assert.is(
    failureOf(() => rawOfNode(alias)),
    'yaml',
  );
  assert.is(
    failureOf(() => rawOfNode(alias, null)),
    'yaml',
  );
  assert.is(jsonOfRaw(rawOfNode(alias, root)), 1);
});

raw('keys must be texts', () => {
  assert.is(
    failureOf(() => read('? [a]\n: 1\n')),
    'type',
  );
  assert.is(
    failureOf(() => read('{a: 1, "b": 2, 3: 4}')),
    'none',
  );
});

raw('values grow no further than any configuration', () => {
  const bomb = Array.from({ length: 12 }, (_, i) => {
    const items = i === 0 ? '1, 1, 1, 1' : Array.from({ length: 4 }, () => `*a${i - 1}`).join(', ');
    return `a${i}: &a${i} [${items}]\n`;
  }).join('');
  assert.is(
    failureOf(() => read(bomb)),
    'yaml',
  );
});

for (const [tag, text, expected] of [
  ['!!str', '1', '1'],
  ['!!int', '"1"', 1],
  ['!!float', '"1.5"', 1.5],
  ['!!bool', '"true"', true],
  ['!!null', '"x"', null],
  ['!<tag:yaml.org,2002:int>', '"1"', 1],
  ['!!binary', 'YQ==', 'a'],
  ['!own', '1', '1'],
] as const) {
  raw(`${tag} ${text}`, () => assert.equal(jsonOfRaw(read(`a: ${tag} ${text}\n`)), { a: expected }));
}

raw.run();
