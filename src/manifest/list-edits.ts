/**
 * Edits of a holder's patch list: add entries, or put them where a placeholder stands. An absent list is created only
 * when there is something to put into it: an empty one would roll a control plane for nothing.
 */

import { endOfContent, memberOf, startOf, type YAMLSeq, type YamlDocument } from '../yaml/document.ts';
import { type Layout, layoutOf } from '../yaml/layout.ts';
import { blockLines, flowText, listItemLines } from '../yaml/render-value.ts';
import {
  addItems,
  addPair,
  fillNull,
  insertLines,
  removeItem,
  replaceByLines,
  type Target,
} from '../yaml/splice.ts';
import { columnOf, type TextEdit } from '../yaml/text-edit.ts';
import type { Value } from '../yaml/value.ts';
import type { Holder, PatchList } from './holders.ts';
import { type FoundPlaceholder, listNode } from './patch-list.ts';

/** An entry as a value (`configPatches`, placeholders), or as a text that holds documents (`strategicPatches`). */
export type Entry =
  | { readonly style: 'value'; readonly value: Value }
  | { readonly style: 'text'; readonly documents: readonly Value[] };

/** The text of a holder's document, as its author lays it out. */
export function targetOf({ object: { document } }: Holder): Target {
  const layout = layouts.get(document) ?? layoutOf(document.text);
  layouts.set(document, layout);
  return { text: document.text, layout };
}

/** Read once a document: a list may have thousands of holders. */
const layouts = new WeakMap<YamlDocument, Layout>();

export function addEntries(
  target: Target,
  holder: Holder,
  list: PatchList,
  entries: readonly Entry[],
): readonly TextEdit[] {
  if (entries.length === 0) return [];
  const map = holder.node;
  const present = memberOf(map, list);
  const node = listNode(holder, list);
  if (map.flow === true || (node?.flow === true && node.items.length > 0)) {
    const values = entries.map(asFlowValue);
    if (present === undefined) return addPair(target, map, list, values);
    return node === undefined ? fillNull(target, map, list, present, values) : addItems(target, node, values);
  }
  const lines = entries.flatMap((entry) => listItemLines(entryLines(target, entry)));
  const indented = lines.map((line) => ' '.repeat(target.layout.listIndent) + line);
  if (present === undefined) return [insertLines(target, map, endOfContent(map), [`${list}:`, ...indented])];
  if (node === undefined || node.flow === true) return replaceByLines(target, map, present, indented);
  return [insertLines(target, node, endOfContent(node), lines)];
}

/** Puts entries where a placeholder stands; with none, the placeholder goes. A comment on its line stays. */
export function replacePlaceholder(
  target: Target,
  list: YAMLSeq,
  placeholder: FoundPlaceholder,
  entries: readonly Entry[],
): readonly TextEdit[] {
  const { item, index } = placeholder;
  const start = startOf(item);
  const end = endOfContent(item);
  const [first, ...others] = entries;
  if (first === undefined) return removeItem(target, list, index);
  if (list.flow === true)
    return [{ start, end, text: entries.map((entry) => flowText(asFlowValue(entry))).join(', ') }];
  const [head = '', ...body] = entryLines(target, first);
  const dashColumn = columnOf(target.text, startOf(list));
  const bodyPad = ' '.repeat(columnOf(target.text, start) - dashColumn);
  const rest = [
    ...body.map((line) => bodyPad + line),
    ...others.flatMap((entry) => listItemLines(entryLines(target, entry))),
  ];
  const replaced = { start, end, text: head };
  return rest.length === 0 ? [replaced] : [replaced, insertLines(target, list, end, rest)];
}

/** Lines of an entry, without its dash. */
function entryLines(target: Target, entry: Entry): readonly string[] {
  if (entry.style === 'value') return blockLines(entry.value, target.layout);
  const documents = entry.documents.map((document) => blockLines(document, target.layout));
  return ['|', ...documents.flatMap((lines, i) => (i === 0 ? lines : ['---', ...lines]))];
}

function asFlowValue(entry: Entry): Value {
  return entry.style === 'value' ? entry.value : entry.documents.map(flowText).join('\n---\n');
}
