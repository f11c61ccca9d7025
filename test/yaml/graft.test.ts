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

for (const [about, text, wanted, expected] of [
  ['an empty value', 'v:\n', { v: 'x' }, 'v: x\n'],
  ['an empty value before a comment', 'v: # why\nw: 1\n', { v: 'x' }, 'v: x # why\nw: 1\n'],
  ['a null that becomes a mapping', 'v: # why\nw: 1\n', { v: { a: 'x' } }, 'v: # why\n  a: x\nw: 1\n'],
  ['a null in flow style', '{v: , w: 1}\n', { v: { a: 'x' } }, '{v: {"a": "x"}, w: 1}\n'],
  ['a null of JSON', '{"v":null}\n', { v: ['x'] }, '{"v":["x"]}\n'],
  ['a text that differs', 'v: a # why\n', { v: 'x' }, 'v: x # why\n'],
  ['a text that differs, in quotes', "v: 'a'\n", { v: 'x' }, 'v: "x"\n'],
  ['a block scalar that differs', 'v: |\n  a\nw: 1\n', { v: 'x' }, 'v: x\nw: 1\n'],
  ['a text that is right, in any quotes', "v: 'x' # why\n", { v: 'x' }, "v: 'x' # why\n"],
  ['a text that is right, wrapped', 'v: |\n  ab\n  cd\n', { v: 'abcd' }, 'v: |\n  ab\n  cd\n'],
  ['a yes for true', 'v: yes\n', { v: true }, 'v: yes\n'],
  ['a no for true', 'v: no\n', { v: true }, 'v: true\n'],
  ['a list', 'v: # why\n- a # a\n', { v: ['b', 'a'] }, 'v: # why\n- a # a\n- b\n'],
  ['a list in flow style', 'v: [a, # a\n  c]\n', { v: ['b', 'a'] }, 'v: [a, # a\n  c, "b"]\n'],
  [
    'a list with a mapping of that url',
    'v:\n- url: a\n  w: 1\n',
    { v: [{ url: 'a' }] },
    'v:\n- url: a\n  w: 1\n',
  ],
  ['a list with other mappings', 'v:\n- url: a\n', { v: [{ url: 'b' }] }, 'v:\n- url: a\n- url: b\n'],
  ['what is there already', 'v:\n  a: {b: [c]}\n', { v: { a: { b: ['c'] } } }, 'v:\n  a: {b: [c]}\n'],
] as const satisfies readonly (readonly [string, string, Value, string])[]) {
  grafts(`keeping: ${about}`, () => {
    assert.is(grafted(text, wanted), expected);
  });
}

for (const [about, text, wanted] of [
  ['a text for a mapping', 'v: a\n', { v: { a: 'x' } }],
  ['a list for a mapping', 'v: [a]\n', { v: { a: 'x' } }],
  ['a mapping for a text', 'v: {a: 1}\n', { v: 'x' }],
  ['a list for a text', 'v:\n- a\n', { v: 'x' }],
  ['a text for a list', 'v: a\n', { v: ['x'] }],
  ['a mapping for a list', 'v:\n  a: 1\n', { v: ['x'] }],
  ['an alias for a mapping', 'u: &a {b: 1}\nv: *a\n', { v: { b: '1' } }],
  ['a wrong shape deep below what fits', 'v:\n  a:\n    b: 1\n', { v: { c: 'x', a: { b: ['x'] } } }],
] as const satisfies readonly (readonly [string, string, Value])[]) {
  for (const rule of ['keep', 'replace'] as const) {
    grafts(`another shape, ${rule}: ${about} gives nothing at all`, () => {
      assert.is(grafted(text, wanted, rule), undefined);
    });
  }
}

grafts.run();
