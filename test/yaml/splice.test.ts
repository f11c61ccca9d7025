/** Splices beside comments, empty values, byte order marks and dashes that are no list's. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isMap, isSeq, memberOf, parseYaml, type YAMLMap } from '../../src/yaml/document.ts';
import { layoutOf } from '../../src/yaml/layout.ts';
import {
  addPair,
  emptyList,
  fillNull,
  removeItem,
  replaceByLines,
  replaceScalar,
  type Target,
} from '../../src/yaml/splice.ts';
import { applyEdits, type TextEdit } from '../../src/yaml/text-edit.ts';
import type { Value } from '../../src/yaml/value.ts';

const splices = suite('splice');

function edited(text: string, edit: (target: Target, map: YAMLMap) => readonly TextEdit[]): string {
  const { root } = parseYaml({ text, offset: 0, whole: text });
  assert.ok(isMap(root));
  const output = applyEdits(text, edit({ text, layout: layoutOf(text) }, root));
  parseYaml({ text: output, offset: 0, whole: output });
  return output;
}

const FILLED: readonly (readonly [string, string, Value, string])[] = [
  ['a text where nothing is', 'v:\nw: 1\n', 'x', 'v: x\nw: 1\n'],
  ['a text before a comment', 'v: # why\nw: 1\n', 'x', 'v: x # why\nw: 1\n'],
  ['a text for a tilde', 'v: ~ # why\n', 'x', 'v: x # why\n'],
  ['lines before a comment', 'v: # why\nw: 1\n', { a: 'x' }, 'v: # why\n  a: x\nw: 1\n'],
  ['lines for a tilde', 'v: ~ # why\nw: 1\n', { a: 'x' }, 'v: # why\n  a: x\nw: 1\n'],
  ['a flow mapping without a blank', '{"v":}\n', ['x'], '{"v": ["x"]}\n'],
  ['a flow mapping before a comment', '{v: # why\n}\n', ['x'], '{v: ["x"] # why\n}\n'],
];

for (const [about, text, value, expected] of FILLED) {
  splices(`a null is filled: ${about}`, () => {
    const output = edited(text, (target, map) => {
      const empty = memberOf(map, 'v');
      assert.ok(empty);
      return fillNull(target, map, 'v', empty, value);
    });
    assert.is(output, expected);
  });
}

for (const [about, text, expected] of [
  ['an empty value', 'v:\nw: 1\n', 'v: x\nw: 1\n'],
  ['an empty value before a comment', 'v: # why\n', 'v: x # why\n'],
  ['a value before a comment', 'v: a # why\n', 'v: x # why\n'],
  ['an empty value in flow style', '{"v":}\n', '{"v": x}\n'],
  ['a block scalar', 'v: |\n  a\nw: 1\n', 'v: x\nw: 1\n'],
] as const) {
  splices(`a scalar is replaced: ${about}`, () => {
    const output = edited(text, (target, map) => {
      const node = memberOf(map, 'v');
      assert.ok(node);
      return replaceScalar(target, node, 'x');
    });
    assert.is(output, expected);
  });
}

for (const [about, text, index, expected] of [
  ['the first', 'v:\n- a\n- b\n', 0, 'v:\n- b\n'],
  [
    'a comment with a dash below its dash',
    'v:\n- a: 1\n-\n  # x-y\n  b: 1\n- c: 1\n',
    1,
    'v:\n- a: 1\n- c: 1\n',
  ],
  ['an anchor with a dash', 'v:\n- a\n- &x-y b\n', 1, 'v:\n- a\n'],
  ['a tag with a dash', 'v:\n- a\n- !x-y b\n- c\n', 1, 'v:\n- a\n- c\n'],
] as const) {
  splices(`an item of a block list goes: ${about}`, () => {
    const output = edited(text, (target, map) => {
      const list = memberOf(map, 'v');
      assert.ok(isSeq(list));
      return removeItem(target, list, index);
    });
    assert.is(output, expected);
  });
}

const GONE: readonly (readonly [readonly number[], string])[] = [
  [[0, 1], '{v: [c, d]}\n'],
  [[0, 1, 3], '{v: [c]}\n'],
  [[1, 2, 3], '{v: [a]}\n'],
  [[0, 2], '{v: [b, d]}\n'],
];

for (const [gone, expected] of GONE) {
  splices(`items ${gone.join()} of four in flow style go together`, () => {
    const output = edited('{v: [a, b, c, d]}\n', (target, map) => {
      const list = memberOf(map, 'v');
      assert.ok(isSeq(list));
      const firstKept = [0, 1, 2, 3].findIndex((i) => !gone.includes(i));
      return gone.flatMap((index) => removeItem(target, list, index, firstKept));
    });
    assert.is(output, expected);
  });
}

for (const [about, text, expected] of [
  ['an empty value', 'v:\nw:\n', 'v:\nw:\nx: 1\n'],
  ['an empty value before a comment', 'v:\nw: # why\n', 'v:\nw: # why\nx: 1\n'],
  ['an empty value before a comment of its own line', 'v:\n  # why\n', 'v:\nx: 1\n  # why\n'],
  ['an empty value in flow style', '{"v":}\n', '{"v":, "x": 1}\n'],
  ['an empty value before a comment in flow style', '{"v": # why\n}\n', '{"v": , "x": 1 # why\n}\n'],
  ['a key alone in flow style', '{v}\n', '{v, "x": 1}\n'],
  ['nothing but a comment in flow style', '{ # why\n}\n', '{"x": 1 # why\n}\n'],
] as const) {
  splices(`a pair is added behind ${about}`, () => {
    assert.is(
      edited(text, (target, map) => addPair(target, map, 'x', 1)),
      expected,
    );
  });
}

for (const [about, text, expected] of [
  ['nothing', 'v:\nw: 1\n', 'v:\n  - x\nw: 1\n'],
  ['nothing before a comment', 'v: # why\nw: 1\n', 'v: # why\n  - x\nw: 1\n'],
  ['nothing before a comment behind blanks', 'v:   # why\n', 'v:   # why\n  - x\n'],
  ['a tilde', 'v: ~ # why\n', 'v: # why\n  - x\n'],
  ['an empty list', 'v: [] # why\nw: 1\n', 'v: # why\n  - x\nw: 1\n'],
] as const) {
  splices(`lines replace ${about}`, () => {
    const output = edited(text, (target, map) => {
      const value = memberOf(map, 'v');
      assert.ok(value);
      return replaceByLines(target, map, value, ['  - x']);
    });
    assert.is(output, expected);
  });
}

for (const [about, text, expected] of [
  ['in block style', 'v:\n- a\n- b: 1\nw: 1\n', 'v: []\nw: 1\n'],
  ['with comments', 'v: # why\n# a-b\n- a # a\nw: 1\n', 'v: [] # why\n# a-b\nw: 1\n'],
  ['with an anchor', 'v: &a # why\n- a\n', 'v: &a [] # why\n'],
  [
    'with a tag and an anchor below a comment',
    'v: # &why\n  !!seq &a\n  - a\n',
    'v: # &why\n  !!seq &a []\n',
  ],
  ['in flow style', 'v: &a [a, b] # why\n', 'v: &a [] # why\n'],
] as const) {
  splices(`a list is emptied ${about}`, () => {
    const output = edited(text, (target, map) => {
      const list = memberOf(map, 'v');
      assert.ok(isSeq(list));
      return emptyList(target, map, 'v', list);
    });
    assert.is(output, expected);
  });
}

splices('behind a byte order mark a pair is added at the column of the others', () => {
  const output = edited('\ufeffa: 1\n', (target, map) => addPair(target, map, 'b', 'x'));
  assert.is(output, '\ufeffa: 1\nb: x\n');
});

splices.run();
