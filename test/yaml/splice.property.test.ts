/** Random documents, one splice each, beside the same change of plain data: nothing else may change, and all stays YAML. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import {
  endOfContent,
  isAlias,
  isMap,
  isNull,
  isSeq,
  keyOf,
  type Node,
  parseYaml,
  textOf,
  type YAMLMap,
  type YAMLSeq,
} from '../../src/yaml/document.ts';
import { layoutOf } from '../../src/yaml/layout.ts';
import {
  addItems,
  addPairs,
  emptyList,
  fillNull,
  removeItem,
  replaceByLines,
  replaceScalar,
  type Target,
} from '../../src/yaml/splice.ts';
import { applyEdits, nextLine, type TextEdit } from '../../src/yaml/text-edit.ts';
import type { Value } from '../../src/yaml/value.ts';
import { fc, fuzzRuns } from '../support/fuzz.ts';
import { yamlTexts } from '../support/yaml-texts.ts';

const splices = suite('splice: laws');

const RUNS = fuzzRuns(400);

/** What the failsafe schema makes of a text: every scalar is a text. */
type Data = string | readonly Data[] | { readonly [key: string]: Data };
type Path = readonly (string | number)[];

/** A node, where it is, and the mapping that holds it under a key. */
interface Place {
  readonly node: Node;
  readonly path: Path;
  readonly holder?: { readonly map: YAMLMap; readonly key: string };
}

interface Choice {
  readonly value: Value;
  readonly numbers: readonly number[];
}

interface Change {
  readonly edits: readonly TextEdit[];
  /** What is at the path afterwards. */
  readonly data: Data;
}

/** `undefined` where the splice isn't made for such a place. */
type Splice = (target: Target, place: Place, was: Data, choice: Choice) => Change | undefined;

const SPLICES: Readonly<Record<string, Splice>> = {
  addPairs: (target, { node }, was, { value }) =>
    isMap(node)
      ? {
          edits: addPairs(target, node, { new: value, newer: 'V' }),
          data: { ...(was as object), new: value as Data, newer: 'V' },
        }
      : undefined,

  addItems: (target, { node }, was, { value }) =>
    isSeq(node)
      ? {
          edits: addItems(target, node, [value, 'V']),
          data: [...(was as readonly Data[]), value as Data, 'V'],
        }
      : undefined,

  // Not of a list in a list, whose dash may stand behind another one.
  removeItem: (target, { node, holder }, was, { numbers: [n = 0] }) => {
    if (!isSeq(node) || node.items.length < 2 || holder === undefined || mayGrow(target, node))
      return undefined;
    const index = n % node.items.length;
    return {
      edits: removeItem(target, node, index),
      data: (was as readonly Data[]).filter((_, i) => i !== index),
    };
  },

  'removeItem, several': (target, { node, holder }, was, { numbers }) => {
    if (!isSeq(node) || node.items.length < 2 || holder === undefined || mayGrow(target, node))
      return undefined;
    const gone = new Set(numbers.map((n) => n % node.items.length));
    const firstKept = node.items.findIndex((_, i) => !gone.has(i));
    if (firstKept === -1) return undefined;
    return {
      edits: [...gone].flatMap((index) => removeItem(target, node, index, firstKept)),
      data: (was as readonly Data[]).filter((_, i) => !gone.has(i)),
    };
  },

  emptyList: (target, { node, holder }) =>
    isSeq(node) && node.items.length > 0 && holder !== undefined
      ? { edits: emptyList(target, holder.map, holder.key, node), data: [] }
      : undefined,

  fillNull: (target, { node, holder }, _, { value }) =>
    isNull(node) && holder !== undefined
      ? { edits: fillNull(target, holder.map, holder.key, node, value), data: value as Data }
      : undefined,

  replaceByLines: (target, { node, holder }) => {
    const isEmpty = isNull(node) || (isSeq(node) && target.text.startsWith('[]', node.range?.[0]));
    if (!isEmpty || holder === undefined || holder.map.flow === true) return undefined;
    return { edits: replaceByLines(target, holder.map, node, [' - V', ' - x: 1']), data: ['V', { x: '1' }] };
  },

  // An empty scalar is filled, where a key holds it; as an item of a list it isn't written by anyone.
  replaceScalar: (target, { node }) =>
    textOf(node) !== undefined && node.range?.[0] !== node.range?.[1]
      ? { edits: replaceScalar(target, node, 'h:5000'), data: 'h:5000' }
      : undefined,
};

const choices = fc.record({
  place: fc.nat(),
  value: fc.constantFrom<Value>('V', 'h:5000', { x: 'V' }, ['V', { y: 'V' }], { x: ['V', { y: '#' }] }),
  numbers: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
});

for (const [name, splice] of Object.entries(SPLICES)) {
  splices(`${name}: as in plain data`, () => {
    let made = 0;
    fc.assert(
      fc.property(yamlTexts, choices, (text, { place: number, ...choice }) => {
        const { root } = parseYaml({ text, offset: 0, whole: text });
        const before = dataOf(text);
        const target = { text, layout: layoutOf(text) };
        const fitting = placesIn(root).flatMap((place) => {
          const change = splice(target, place, at(before, place.path), choice);
          return change === undefined ? [] : [{ ...place, ...change }];
        });
        const chosen = fitting[number % fitting.length];
        if (chosen === undefined) return;
        made++;
        const output = applyEdits(text, chosen.edits);
        assert.equal(dataOf(output), replaced(before, chosen.path, chosen.data), shown(text, output));
      }),
      { numRuns: RUNS },
    );
    assert.ok(made > RUNS / 5, `only ${made} of ${RUNS} texts had a place for it`);
  });
}

/** Blank lines and comments behind an item would become lines of a block scalar that stands before it: a known limit. */
function mayGrow({ text }: Target, { items }: YAMLSeq): boolean {
  return items.some((item, i) => {
    const end = endOfContent(item);
    const behind = text[end - 1] === '\n' ? end : nextLine(text, end);
    const isBehindBlock = items.slice(0, i).some((one) => text[endOfContent(one) - 1] === '\n');
    return isBehindBlock && /^ *(?:#|\r?\n)/.test(text.slice(behind));
  });
}

function dataOf(text: string): Data {
  return parse(text, { schema: 'failsafe', prettyErrors: false }) as Data;
}

function shown(text: string, output: string): string {
  return `${JSON.stringify(text)}\nbecame\n${JSON.stringify(output)}`;
}

/** Every node but aliases. */
function placesIn(node: Node | null, path: Path = [], holder?: Place['holder']): readonly Place[] {
  if (node === null || isAlias(node)) return [];
  const here = { node, path, ...(holder === undefined ? {} : { holder }) };
  if (isMap(node))
    return [
      here,
      ...node.items.flatMap((pair) => {
        const key = keyOf(pair) ?? '';
        return placesIn(pair.value, [...path, key], { map: node, key });
      }),
    ];
  return isSeq(node) ? [here, ...node.items.flatMap((item, i) => placesIn(item, [...path, i]))] : [here];
}

function at(data: Data, path: Path): Data {
  return path.reduce<Data>(
    (inner, key) => (inner as { readonly [key: string | number]: Data })[key] ?? '',
    data,
  );
}

function replaced(data: Data, [key, ...rest]: Path, by: Data): Data {
  if (key === undefined) return by;
  if (Array.isArray(data)) return data.map((item: Data, i) => (i === key ? replaced(item, rest, by) : item));
  const map = data as { readonly [key: string]: Data };
  return { ...map, [key]: replaced(map[key] ?? '', rest, by) };
}

splices.run();
