/**
 * `$patch: delete` inside strategic patches: taken out of the text before it is read, then applied to what is there,
 * the legacy document's first (test/vectors, `sm-del-*`).
 */
import { ReplayFailure } from './failure.ts';
import type { Behaviour } from './machinery.ts';
import { isRawList, isRawMap, Plain, type Raw, type RawMap } from './raw.ts';
import type { Field, Type } from './schema.ts';

/** What to delete: a path of keys, or a path to a list and the first other member of the entry that is meant. */
export interface Selector {
  readonly path: readonly string[];
  readonly entry?: { readonly key: string; readonly value: string };
}

interface Split {
  readonly selectors: readonly Selector[];
  /** What is left of the node; `undefined` when nothing is. */
  readonly rest: Raw | undefined;
}

/** @throws ReplayFailure bad-selector */
export function takeSelectors(root: Raw): Split {
  const { selectors, rest } = split(root, []);
  return { selectors, rest: isRawMap(rest) && isBareDocument(rest) ? undefined : rest };
}

/** A document of nothing but its own identity says nothing. */
function isBareDocument(map: RawMap): boolean {
  return [...map].every(
    ([key, value]) =>
      ['version', 'kind', 'name'].includes(key) && (typeof value === 'string' || value instanceof Plain),
  );
}

function split(node: Raw, path: readonly string[]): Split {
  if (isRawMap(node)) return splitMap(node, path);
  if (isRawList(node)) return splitList(node, path);
  return { selectors: [], rest: node };
}

function splitMap(map: RawMap, path: readonly string[]): Split {
  if (wordOf(map.get('$patch')) === 'delete') {
    if (path.some((segment) => segment.startsWith('['))) throw new ReplayFailure('bad-selector');
    return { selectors: [{ path }], rest: undefined };
  }
  const selectors: Selector[] = [];
  const rest = new Map<string, Raw>();
  for (const [key, value] of map) {
    const inner = split(value, [...path, key]);
    selectors.push(...inner.selectors);
    if (inner.rest !== undefined) rest.set(key, inner.rest);
  }
  return { selectors, rest: rest.size === 0 && selectors.length > 0 ? undefined : rest };
}

function splitList(list: readonly Raw[], path: readonly string[]): Split {
  const selectors: Selector[] = [];
  const rest: Raw[] = [];
  for (const item of list) {
    if (isRawMap(item) && wordOf(item.get('$patch')) === 'delete') {
      selectors.push({ path, entry: entryOf(item) });
      continue;
    }
    const inner = split(item, [...path, '[]']);
    selectors.push(...inner.selectors);
    if (inner.rest !== undefined) rest.push(inner.rest);
  }
  return { selectors, rest: rest.length === 0 && selectors.length > 0 ? undefined : rest };
}

function entryOf(item: RawMap): { readonly key: string; readonly value: string } {
  const first = [...item].find(([key]) => key !== '$patch');
  if (first === undefined) throw new ReplayFailure('bad-selector');
  return { key: first[0], value: wordOf(first[1]) ?? '' };
}

function wordOf(raw: Raw | undefined): string | undefined {
  return raw instanceof Plain ? raw.text : typeof raw === 'string' ? raw : undefined;
}

/** @throws ReplayFailure lookup-failed, panic, bad-selector */
export function applySelector(
  type: Type,
  document: RawMap,
  selector: Selector,
  { deleteBelowAbsent }: Behaviour,
): Raw {
  return without(type, document, selector.path, selector, deleteBelowAbsent);
}

function without(
  type: Type,
  value: Raw | undefined,
  path: readonly string[],
  selector: Selector,
  deleteBelowAbsent: Behaviour['deleteBelowAbsent'],
): Raw {
  if (value === undefined) throw new ReplayFailure(deleteBelowAbsent);
  const [key, ...rest] = path;
  if (key === undefined) return withoutEntry(type, value, selector);
  if (!isRawMap(value)) throw new ReplayFailure('lookup-failed');
  const isLast = rest.length === 0 && selector.entry === undefined;
  const member = value.get(key);
  const copy = new Map(value);
  switch (type.kind) {
    case 'struct': {
      const field = Object.hasOwn(type.fields, key) ? type.fields[key] : undefined;
      if (field === undefined) throw new ReplayFailure('lookup-failed');
      if (isLast) {
        copy.delete(key);
        return copy;
      }
      return copy.set(key, without(field.type, member ?? zeroOf(field), rest, selector, deleteBelowAbsent));
    }
    default: {
      if (member === undefined) throw new ReplayFailure('lookup-failed');
      if (isLast) {
        copy.delete(key);
        return copy;
      }
      const of = type.kind === 'map' ? type.of : type;
      return copy.set(key, without(of, member, rest, selector, deleteBelowAbsent));
    }
  }
}

/** What Go finds in an unset field: nothing behind a pointer, an empty struct in its place, no entry in a map or list. */
function zeroOf({ type, empty }: Field): Raw | undefined {
  if (empty === 'pointer') return undefined;
  if (type.kind === 'struct') return new Map();
  throw new ReplayFailure('lookup-failed');
}

function withoutEntry(type: Type, value: Raw, { entry }: Selector): Raw {
  if (entry === undefined || !isRawList(value)) throw new ReplayFailure('lookup-failed');
  const at = value.findIndex((item) => isRawMap(item) && matches(type, item, entry));
  if (at === -1) throw new ReplayFailure('lookup-failed');
  return value.toSpliced(at, 1);
}

/** A member that isn't a text never matches. */
function matches(
  type: Type,
  item: RawMap,
  { key, value }: { readonly key: string; readonly value: string },
): boolean {
  const of = type.kind === 'list' ? type.of : type;
  if (of.kind === 'struct' && !Object.hasOwn(of.fields, key)) return false;
  const member = item.get(key);
  return member === undefined ? value === '' : wordOf(member) === value;
}
