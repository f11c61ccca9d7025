/**
 * Text edits that change one thing in a parsed document: add a pair, add a list item, set a value at a path, replace a
 * scalar. Invariant: an edit touches nothing but the thing; comments, order and spelling around it stay.
 */

import {
  endOfContent,
  isScalar,
  lastChild,
  type Node,
  pairOf,
  rangeOf,
  startOf,
  type YAMLMap,
  type YAMLSeq,
} from './document.ts';
import type { Layout } from './layout.ts';
import { blockLines, flowText, listItemLines, pairLines, scalar } from './render-value.ts';
import { columnOf, lineStart, nextLine, type TextEdit } from './text-edit.ts';
import { isScalarValue, type Value } from './value.ts';

/** The text that is edited, and how its author lays it out. */
export interface Target {
  readonly text: string;
  readonly layout: Layout;
}

/** Adds `key: value` behind the last pair. */
export function addPair(target: Target, map: YAMLMap, key: string, value: Value): readonly TextEdit[] {
  return addPairs(target, map, { [key]: value });
}

/** Adds pairs behind the last one, as one edit: each alone would not know of the commas that the others need. */
export function addPairs(
  target: Target,
  map: YAMLMap,
  pairs: { readonly [key: string]: Value },
): readonly TextEdit[] {
  if (map.flow === true) return [insertInFlow(target, map, flowText(pairs).slice(1, -1))];
  const lines = Object.entries(pairs).flatMap(([key, value]) => pairLines(key, value, target.layout));
  return [insertLines(target, map, endOfContent(map), lines)];
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
  if (map.flow === true) return [replaceValue(target, empty, flowText(value))];
  if (isScalarValue(value)) return [replaceValue(target, empty, scalar(value))];
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
  // An empty value ends where its comment starts, and the comment needs the blank before it.
  const from = target.text[end] === '#' ? start : lastNonBlank(target.text, start);
  const blank = { start: from, end, text: '' };
  return [blank, insertLines(target, map, end, lines)];
}

/** Replaces a scalar, in a spelling that is one line and safe for every reader. */
export function replaceScalar(
  target: Target,
  node: Node,
  value: string | number | boolean,
): readonly TextEdit[] {
  const [start, end] = rangeOf(node);
  const isBlock = isScalar(node) && (node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED');
  const wasQuoted = isScalar(node) && (node.type === 'QUOTE_DOUBLE' || node.type === 'QUOTE_SINGLE');
  const spelling = wasQuoted ? flowText(value) : scalar(value);
  return isBlock && atLineStart(target.text, end)
    ? [{ start, end, text: spelling + target.layout.lineEnd }]
    : [replaceValue(target, node, spelling)];
}

/** Puts one line in the place of a value that may be empty, apart from the colon before and a comment behind. */
function replaceValue({ text }: Target, node: Node, spelling: string): TextEdit {
  const [start, end] = rangeOf(node);
  const before = start === end && !/\s/.test(text[start - 1] ?? ' ') ? ' ' : '';
  return { start, end, text: before + spelling + (text[end] === '#' ? ' ' : '') };
}

/**
 * Removes one item of a list that has others. Where several are removed, `firstKept` is the first that stays: up to there
 * each takes the comma behind it along, afterwards the one before it, so that the edits of neighbours don't overlap.
 */
export function removeItem(
  target: Target,
  list: YAMLSeq,
  index: number,
  firstKept = index === 0 ? 1 : 0,
): readonly TextEdit[] {
  const item = list.items[index];
  if (list.flow === true) {
    if (index < firstKept) return [{ start: startOf(item), end: startOf(list.items[index + 1]), text: '' }];
    return [{ start: rangeOf(list.items[index - 1])[1], end: rangeOf(item)[1], text: '' }];
  }
  const dash = dashOf(target.text, list, item);
  return [{ start: lineStart(target.text, dash), end: nextLineAfter(target.text, item), text: '' }];
}

/** Offset of the dash of an item of a block list: at the list's column, with nothing but blanks and dashes before it. */
export function dashOf(text: string, list: YAMLSeq, item: Node | undefined): number {
  const column = columnOf(text, startOf(list));
  let line = lineStart(text, startOf(item));
  while (line > 0 && !(text[line + column] === '-' && /^[ -]*$/.test(text.slice(line, line + column))))
    line = lineStart(text, line - 1);
  return line + column;
}

/** Takes everything out of the list that a key holds: it stays as `[]`, and so does a comment behind the key. */
export function emptyList(target: Target, map: YAMLMap, key: string, list: YAMLSeq): readonly TextEdit[] {
  const start = startOf(list);
  if (list.flow === true) return [{ start, end: rangeOf(list)[1], text: '[]' }];
  const name = pairOf(map, key)?.key;
  if (name === undefined) throw new Error('a list was found under a key that is not there');
  const at = behindProperties(target.text, target.text.indexOf(':', rangeOf(name)[1]) + 1);
  return [
    { start: at, end: at, text: ' []', within: start },
    { start: lineStart(target.text, start), end: nextLineAfter(target.text, list), text: '' },
  ];
}

/** Offset behind the anchor and the tag of a block collection, if it has any, between the colon and its first line. */
function behindProperties(text: string, colonEnd: number): number {
  const properties = /(?:(?:\s|#[^\n]*\n)*[&!]\S*)*/y;
  properties.lastIndex = colonEnd;
  properties.exec(text);
  return properties.lastIndex;
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
  // An empty value ends where its comment starts, and the comment needs a blank before it.
  const insertAt = (at: number, inserted: string): TextEdit => ({
    start: at,
    end: at,
    text: inserted + (text[at] === '#' ? ' ' : ''),
    within,
  });
  const last = lastChild(collection);
  if (last === undefined) return insertAt(within + 1, inner);
  const end = endOfContent(last);
  const comma = /\s*,/y;
  comma.lastIndex = end;
  return comma.test(text) ? insertAt(comma.lastIndex, ` ${inner}`) : insertAt(end, `, ${inner}`);
}

function nextLineAfter(text: string, node: Node | undefined): number {
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
