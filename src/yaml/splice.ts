/**
 * Text edits that change one thing in a parsed document: add a pair, add a list item, set a value at a path, replace a
 * scalar. Invariant: an edit touches nothing but the thing; comments, order and spelling around it stay.
 */

import {
  endOfContent,
  isMap,
  isNull,
  isScalar,
  memberOf,
  type Node,
  rangeOf,
  startOf,
  type YAMLMap,
  type YAMLSeq,
} from './document.ts';
import type { Layout } from './layout.ts';
import { blockLines, flowText, isScalarValue, listItemLines, pairLines, scalar } from './render-value.ts';
import { columnOf, lineStart, nextLine, type TextEdit } from './text-edit.ts';
import type { Value } from './value.ts';

/** The text that is edited, and how its author lays it out. */
export interface Target {
  readonly text: string;
  readonly layout: Layout;
}

/**
 * Sets `value` at `path` below `map`, creating what is missing on the way and leaving everything else there.
 * Returns `undefined` when something that isn't a mapping is in the way.
 */
export function setAt(
  target: Target,
  map: YAMLMap,
  path: readonly string[],
  value: string,
): readonly TextEdit[] | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return undefined;
  const child = memberOf(map, key);
  const wanted = rest.reduceRight<Value>((inner, name) => ({ [name]: inner }), value);
  if (child === undefined) return addPair(target, map, key, wanted);
  if (isNull(child)) return fillNull(target, map, key, child, wanted);
  if (rest.length > 0) return isMap(child) ? setAt(target, child, rest, value) : undefined;
  return isScalar(child) ? replaceScalar(target, child, value) : undefined;
}

/** Adds `key: value` behind the last pair. */
export function addPair(target: Target, map: YAMLMap, key: string, value: Value): readonly TextEdit[] {
  if (map.flow === true) return [insertInFlow(target, map, flowText({ [key]: value }).slice(1, -1))];
  return [insertLines(target, map, endOfContent(map), pairLines(key, value, target.layout))];
}

/** Adds items to a list that has at least one, or to an empty one in flow style. */
export function addItems(target: Target, list: YAMLSeq, items: readonly Value[]): readonly TextEdit[] {
  if (list.flow === true) return [insertInFlow(target, list, items.map(flowText).join(', '))];
  const lines = items.flatMap((item) => listItemLines(blockLines(item, target.layout)));
  return [insertLines(target, list, endOfContent(list), lines)];
}

/** Gives a value to a key that has none (`key:`, `key: ~`), keeping a comment behind it. */
export function fillNull(
  target: Target,
  map: YAMLMap,
  key: string,
  empty: Node,
  value: Value,
): readonly TextEdit[] {
  const [start, end] = rangeOf(empty);
  const gap = /\s/.test(target.text[start - 1] ?? ' ') ? '' : ' ';
  if (map.flow === true) return [{ start, end, text: gap + flowText(value) }];
  if (isScalarValue(value)) return [{ start, end, text: gap + scalar(value) }];
  const [, ...lines] = pairLines(key, value, target.layout);
  return replaceByLines(target, map, empty, lines);
}

/** Replaces a pair's one-line value (nothing, `~`, `[]`) by lines below its key, keeping a comment behind it. */
export function replaceByLines(
  target: Target,
  map: YAMLMap,
  value: Node,
  lines: readonly string[],
): readonly TextEdit[] {
  const [start, end] = rangeOf(value);
  const blank = { start: lastNonBlank(target.text, start), end, text: '' };
  return [blank, insertLines(target, map, end, lines)];
}

/** Replaces a scalar by a text, in a spelling that is one line and safe for every reader. */
export function replaceScalar(target: Target, node: Node, text: string): readonly TextEdit[] {
  const [start, end] = rangeOf(node);
  const isBlock = isScalar(node) && (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED');
  const wasQuoted = isScalar(node) && (node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE');
  const spelling = wasQuoted ? flowText(text) : scalar(text);
  return [
    {
      start,
      end,
      text: isBlock && atLineStart(target.text, end) ? spelling + target.layout.lineEnd : spelling,
    },
  ];
}

/** Removes one item of a list that has others. */
export function removeItem(target: Target, list: YAMLSeq, index: number): readonly TextEdit[] {
  const item = list.items[index] as Node;
  const next = list.items[index + 1] as Node | undefined;
  const previous = list.items[index - 1] as Node | undefined;
  if (list.flow === true) {
    if (next !== undefined) return [{ start: startOf(item), end: startOf(next), text: '' }];
    return [
      {
        start: previous === undefined ? startOf(item) : rangeOf(previous)[1],
        end: rangeOf(item)[1],
        text: '',
      },
    ];
  }
  const dash = target.text.lastIndexOf('-', startOf(item) - 1);
  return [{ start: lineStart(target.text, dash), end: nextLineAfter(target.text, item), text: '' }];
}

/**
 * Adds lines to a block collection, at its column, behind the line in which content ends at `after`. On a last line
 * without a line end the text keeps having none.
 */
export function insertLines(
  target: Target,
  collection: YAMLMap | YAMLSeq,
  after: number,
  lines: readonly string[],
): TextEdit {
  const { text, layout } = target;
  const at = atLineStart(text, after) ? after : nextLine(text, after);
  const pad = ' '.repeat(columnOf(text, startOf(collection)));
  const body = lines.map((line) => (line === '' ? '' : pad + line)).join(layout.lineEnd);
  const isOpen = at === text.length && !atLineStart(text, at);
  const inserted = isOpen ? layout.lineEnd + body : body + layout.lineEnd;
  return { start: at, end: at, text: inserted, within: startOf(collection) };
}

/** Adds a text, one or more members in flow style, behind the last member of a flow collection. */
export function insertInFlow({ text }: Target, collection: YAMLMap | YAMLSeq, inner: string): TextEdit {
  const within = startOf(collection);
  const insertAt = (at: number, inserted: string): TextEdit => ({
    start: at,
    end: at,
    text: inserted,
    within,
  });
  const last = collection.items.at(-1);
  if (last === undefined) return insertAt(within + 1, inner);
  const end = endOfContent((isMap(collection) ? lastOfPair(collection) : last) as Node);
  const comma = /\s*,/y;
  comma.lastIndex = end;
  return comma.test(text) ? insertAt(comma.lastIndex, ` ${inner}`) : insertAt(end, `, ${inner}`);
}

function lastOfPair(map: YAMLMap): Node {
  const pair = map.items.at(-1);
  return (pair?.value ?? pair?.key) as Node;
}

function nextLineAfter(text: string, node: Node): number {
  const end = endOfContent(node);
  return atLineStart(text, end) ? end : nextLine(text, end);
}

function atLineStart(text: string, offset: number): boolean {
  return offset === 0 || text[offset - 1] === '\n';
}

function lastNonBlank(text: string, offset: number): number {
  let at = offset;
  while (at > 0 && (text[at - 1] === ' ' || text[at - 1] === '\t')) at--;
  return at;
}
