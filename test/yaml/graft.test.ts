/** Grafts that need more than one member: what is added at one place is one edit, and what is inside comes first. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isMap, parseYaml } from '../../src/yaml/document.ts';
import { graft } from '../../src/yaml/graft.ts';
import { layoutOf } from '../../src/yaml/layout.ts';
import { applyEdits } from '../../src/yaml/text-edit.ts';
import type { Value } from '../../src/yaml/value.ts';

const grafts = suite('graft');

function grafted(text: string, wanted: Value): string | undefined {
  const { root } = parseYaml({ text, offset: 0, whole: text });
  assert.ok(isMap(root));
  const edits = graft({ text, layout: layoutOf(text) }, root, wanted);
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

grafts.run();
