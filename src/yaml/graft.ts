/**
 * Makes an existing value hold a wanted one, keeping everything else in it: missing keys are added, texts that differ are
 * replaced, lists get what they lack. The edits of one graft never touch the same place twice.
 */
import {
  isMap,
  isNull,
  isScalar,
  isSeq,
  memberOf,
  type Node,
  rangeOf,
  textOf,
  type YAMLMap,
  type YAMLSeq,
} from './document.ts';
import { addItems, addPairs, fillNull, removeItem, replaceScalar, type Target } from './splice.ts';
import type { TextEdit } from './text-edit.ts';
import { isListValue, isScalarValue, type Value } from './value.ts';

/** What becomes of items of a list that aren't wanted. */
export type ListRule = 'keep' | 'replace';

/** Edits, or `undefined` when the present value is of another shape than the wanted one. */
export function graft(
  target: Target,
  node: Node,
  wanted: Value,
  rule: ListRule = 'keep',
): readonly TextEdit[] | undefined {
  if (isScalarValue(wanted)) return isScalar(node) ? graftScalar(target, node, wanted) : undefined;
  if (isListValue(wanted)) return isSeq(node) ? graftList(target, node, wanted, rule) : undefined;
  if (!isMap(node)) return undefined;
  return graftMap(target, node, wanted, rule);
}

/** What goes into members comes first: behind the last of them it may stand where new members are added too. */
function graftMap(
  target: Target,
  map: YAMLMap,
  wanted: { readonly [key: string]: Value },
  rule: ListRule,
): readonly TextEdit[] | undefined {
  const missing: { [key: string]: Value } = {};
  const parts = Object.entries(wanted).map(([key, value]) => {
    const child = memberOf(map, key);
    if (child !== undefined)
      return isNull(child) ? fillNull(target, map, key, child, value) : graft(target, child, value, rule);
    missing[key] = value;
    return [];
  });
  return all([...parts, Object.keys(missing).length === 0 ? [] : addPairs(target, map, missing)]);
}

function graftScalar(target: Target, node: Node, wanted: string | number | boolean): readonly TextEdit[] {
  return isSame(textOf(node) ?? '', wanted) ? [] : replaceScalar(target, node, wanted);
}

/** Line breaks don't count: base64 and PEM may be wrapped. */
function isSame(text: string, wanted: string | number | boolean): boolean {
  if (wanted === true) return /^(?:true|yes|on|y)$/i.test(text);
  return text.replace(/[\r\n]/g, '') === String(wanted).replace(/[\r\n]/g, '');
}

function graftList(
  target: Target,
  list: YAMLSeq,
  wanted: readonly Value[],
  rule: ListRule,
): readonly TextEdit[] | undefined {
  if (rule === 'replace') return replaceList(target, list, wanted);
  const missing = wanted.filter((value) => !list.items.some((item) => isSameItem(item, value)));
  return missing.length === 0 ? [] : addItems(target, list, missing);
}

/** Item by item, so that comments and spelling of those that stay right are kept. */
function replaceList(
  target: Target,
  list: YAMLSeq,
  wanted: readonly Value[],
): readonly TextEdit[] | undefined {
  const { items } = list;
  const missing = wanted.slice(items.length);
  return all([
    ...items.slice(0, wanted.length).map((item, i) => {
      const value = wanted[i];
      return value === undefined ? [] : graft(target, item, value);
    }),
    cutList(target, list, wanted.length),
    missing.length === 0 ? [] : addItems(target, list, missing),
  ]);
}

/** Leaves the first items of a list, at least one. */
function cutList(target: Target, list: YAMLSeq, length: number): readonly TextEdit[] {
  const surplus = list.items.slice(length);
  if (list.flow === true && surplus.length > 0)
    return [{ start: rangeOf(list.items[length - 1])[1], end: rangeOf(surplus.at(-1))[1], text: '' }];
  return surplus.flatMap((_, i) => removeItem(target, list, length + i));
}

/** Texts by their text; of mappings only those with a `url`, which names them. */
function isSameItem(item: Node, value: Value): boolean {
  if (isScalarValue(value)) return textOf(item) === String(value);
  return (
    !isListValue(value) && 'url' in value && isMap(item) && textOf(memberOf(item, 'url')) === value['url']
  );
}

function all(parts: readonly (readonly TextEdit[] | undefined)[]): readonly TextEdit[] | undefined {
  return parts.some((part) => part === undefined) ? undefined : parts.flatMap((part) => part ?? []);
}
