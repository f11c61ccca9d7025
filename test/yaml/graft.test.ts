/** Grafts that need several edits: what is added or taken at one place is one edit, and what is inside comes first. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isMap, parseYaml } from '../../src/yaml/document.ts';
import { graft, type ListRule } from '../../src/yaml/graft.ts';
import { layoutOf } from '../../src/yaml/layout.ts';
import { applyEdits } from '../../src/yaml/text-edit.ts';
import type { Value } from '../../src/yaml/value.ts';

const grafts = suite('graft');

function grafted(text: string, wanted: Value, rule: ListRule = 'keep'): string | undefined {
  const { root } = parseYaml({ text, offset: 0, whole: text });
  assert.ok(isMap(root));
  const edits = graft({ text, layout: layoutOf(text) }, root, wanted, rule);
  return edits === undefined ? undefined : applyEdits(text, edits);
}

const TWO = { a: { x: '1' }, b: { w: '2' } };

for (const [about, text, expected] of [
  ['an empty flow mapping', 'v: {}\n', 'v: {"a": {"x": "1"}, "b": {"w": "2"}}\n'],
  ['a flow mapping with another member', 'v: {c: 3}\n', 'v: {c: 3, "a": {"x": "1"}, "b": {"w": "2"}}\n'],
  [
    'a block mapping whose last member is extended too',
    'v:\n  b:\n    z: 3\n',
    'v:\n  b:\n    z: 3\n    w: "2"\n  a:\n    x: "1"\n',
  ],
  [
    'a flow mapping whose last member is extended too',
    'v: {b: {z: 3}}\n',
    'v: {b: {z: 3, "w": "2"}, "a": {"x": "1"}}\n',
  ],
  ['a block mapping without a last line end', 'v:\n  c: 3', 'v:\n  c: 3\n  a:\n    x: "1"\n  b:\n    w: "2"'],
] as const) {
  grafts(`two members into ${about}`, () => {
    assert.is(grafted(text, { v: TWO }), expected);
  });
}

for (const [about, text, wanted, expected] of [
  ['a flow list is cut', 'v: [a, b, c] # x\n', ['d'], 'v: [d] # x\n'],
  ['a flow list is cut by one', 'v: [a, b]\n', ['a'], 'v: [a]\n'],
  [
    'a block list is cut, with the comments of what goes',
    'v:\n- a # a\n- b # b\n- c\nw: 1\n',
    ['a'],
    'v:\n- a # a\nw: 1\n',
  ],
  ['a flow list grows', 'v: [a]\n', ['b', 'c'], 'v: [b, "c"]\n'],
  ['a block list grows', 'v:\n- a\n', ['b', 'c'], 'v:\n- b\n- c\n'],
] as const) {
  grafts(`replacing: ${about}`, () => {
    assert.is(grafted(text, { v: wanted }, 'replace'), expected);
  });
}

grafts.run();
