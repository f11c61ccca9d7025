/** Settings as values: one below another, two as one. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  combined,
  leafValue,
  type NamedSetting,
  nested,
  type Setting,
} from '../../src/machine-config/setting.ts';
import type { Value } from '../../src/yaml/value.ts';

const settings = suite('setting');

settings('nested: behind a path, or itself', () => {
  assert.equal(nested(['a', 'b'], 1), { a: { b: 1 } });
  assert.is(nested([], 'x'), 'x');
});

const COMBINED: readonly (readonly [string, Value, Value, Value])[] = [
  ['trees member by member', { a: { x: 1 }, b: 2 }, { a: { y: 3 }, c: 4 }, { a: { x: 1, y: 3 }, b: 2, c: 4 }],
  ['the second counts', { a: 1 }, { a: 2 }, { a: 2 }],
  ['lists are replaced', { a: [1] }, { a: [2] }, { a: [2] }],
  ['a list in the place of a tree', { a: { b: 1 } }, { a: [1] }, { a: [1] }],
  ['a tree in the place of a list', { a: [1] }, { a: { b: 1 } }, { a: { b: 1 } }],
  ['a text in the place of a tree', { a: {} }, { a: 'x' }, { a: 'x' }],
  ['with nothing', {}, { a: 0 }, { a: 0 }],
  ['false is something', { a: false }, {}, { a: false }],
];

for (const [about, left, right, expected] of COMBINED)
  settings(`combined: ${about}`, () => assert.equal(combined(left, right), expected));

const named = (anchor: readonly string[], value: Value): NamedSetting => ({
  kind: 'named',
  leaf: 'registries',
  anchor,
  value,
});
const alias = (host: string): Setting => ({ kind: 'alias', leaf: 'hostEntries', host, ip: '192.0.2.1' });

settings('leafValue: named settings in one tree', () => {
  assert.equal(leafValue([named(['config', 'a'], { x: 1 }), named(['mirrors', 'b'], { y: 2 })]), {
    config: { a: { x: 1 } },
    mirrors: { b: { y: 2 } },
  });
  assert.equal(leafValue([named([], ['10.0.0.0/8'])]), ['10.0.0.0/8']);
});

settings('leafValue: aliases in one list', () => {
  assert.equal(leafValue([alias('a'), alias('b')]), [
    { ip: '192.0.2.1', aliases: ['a'] },
    { ip: '192.0.2.1', aliases: ['b'] },
  ]);
});

settings('leafValue: of a mixture, only what is of the kind of the first', () => {
  assert.equal(leafValue([alias('a'), named(['b'], 1)]), [{ ip: '192.0.2.1', aliases: ['a'] }]);
  assert.equal(leafValue([named(['b'], 1), alias('a')]), { b: 1 });
});

settings('leafValue: of none, an empty tree', () => assert.equal(leafValue([]), {}));

settings.run();
