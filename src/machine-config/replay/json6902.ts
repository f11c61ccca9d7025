/**
 * JSON 6902 as Talos' library applies it, which is not the RFC: `replace` of a missing key adds it, `add` and `remove`
 * of the whole document fail, negative indices count from the end, text before the first slash is ignored, and null
 * equals absent in a test (test/vectors, `op-*`, `ptr-*`, `par-*`).
 */
import { decodeSegment } from '../owned-path.ts';
import { eachIndexed, ReplayFailure } from './failure.ts';
import { isNullWord, isRawList, isRawMap, NULL, type Raw, sameRaw } from './raw.ts';

export interface Operation {
  readonly op: string;
  readonly path: string;
  /** Only in lists inside strategicPatches: the API of `configPatches` has no such field. */
  readonly from?: string;
  readonly value: Raw;
}

/** Whatever an operation leads to is copied by `thaw` before: a patch never changes its own input. */
type Container = Raw[] | Map<string, Raw>;

/** @throws ReplayFailure missing-path, missing-key, invalid-index, test-failed, unknown-operation, missing-from */
export function applyOperations(document: Raw, operations: readonly Operation[]): Raw {
  let current = document;
  eachIndexed(operations, (operation) => {
    current = applyOperation(current, operation);
  });
  return current;
}

function applyOperation(document: Raw, operation: Operation): Raw {
  const root = thaw(document);
  const { op, path, value } = operation;
  switch (op) {
    case 'add':
      add(root, path, value);
      return root;
    case 'replace':
      if (path === '') return replaceAll(value);
      replace(root, path, value);
      return root;
    case 'remove':
      remove(root, path);
      return root;
    case 'test':
      test(root, path, value);
      return document;
    case 'copy':
    case 'move': {
      const moved = at(find(root, fromOf(operation)));
      if (op === 'move') remove(root, fromOf(operation));
      add(root, path, moved ?? NULL);
      return root;
    }
    default:
      throw new ReplayFailure('unknown-operation');
  }
}

function replaceAll(value: Raw): Raw {
  if (!isRawMap(value) && !isRawList(value)) throw new ReplayFailure('type');
  return value;
}

interface Place {
  readonly container: Container;
  readonly key: string;
}

function add(root: Container, path: string, value: Raw): void {
  const { container, key } = find(root, path);
  if (container instanceof Map) container.set(key, value);
  else if (key === '-') container.push(value);
  else container.splice(indexOf(key, container.length + 1), 0, value);
}

function replace(root: Container, path: string, value: Raw): void {
  const { container, key } = find(root, path);
  if (container instanceof Map) container.set(key, value);
  else container[indexOf(key, container.length, 'missing-key')] = value;
}

function remove(root: Container, path: string): void {
  const { container, key } = find(root, path);
  if (!(container instanceof Map)) container.splice(indexOf(key, container.length), 1);
  else if (!container.delete(key)) throw new ReplayFailure('missing-key');
}

function test(root: Container, path: string, value: Raw): void {
  const found = path === '' ? root : at(find(root, path));
  const isEqual = isNullWord(found) || found === undefined ? isNullWord(value) : sameRaw(found, value);
  if (!isEqual) throw new ReplayFailure('test-failed');
}

function at({ container, key }: Place): Raw | undefined {
  return container instanceof Map ? container.get(key) : container[indexOf(key, container.length)];
}

function fromOf({ from }: Operation): string {
  if (from === undefined) throw new ReplayFailure('missing-from');
  return from;
}

/** The container that holds a path's last segment; all on the way is replaced by copies that may be changed. */
function find(root: Container, path: string): Place {
  const segments = path.split('/').slice(1).map(decodeSegment);
  const key = segments.pop();
  if (key === undefined) throw new ReplayFailure('missing-path');
  let container = root;
  for (const segment of segments) {
    const index = container instanceof Map ? segment : validIndex(segment, container.length);
    const child = container instanceof Map ? container.get(segment) : container[Number(index)];
    if (!isRawMap(child) && !isRawList(child)) throw new ReplayFailure('missing-path');
    const copy = thaw(child);
    if (container instanceof Map) container.set(segment, copy);
    else container[Number(index)] = copy;
    container = copy;
  }
  return { container, key };
}

function thaw(raw: Raw): Container {
  if (isRawMap(raw)) return new Map(raw);
  if (isRawList(raw)) return [...raw];
  throw new ReplayFailure('missing-path');
}

/** As Go's Atoi reads it: a sign and leading zeros are fine. */
function validIndex(segment: string, length: number): number | undefined {
  if (!/^[-+]?\d+$/.test(segment)) return undefined;
  const index = Number(segment);
  const fromStart = index < 0 ? index + length : index;
  return fromStart >= 0 && fromStart < length ? fromStart : undefined;
}

function indexOf(
  segment: string,
  length: number,
  kind: 'invalid-index' | 'missing-key' = 'invalid-index',
): number {
  const index = validIndex(segment, length);
  if (index === undefined) throw new ReplayFailure(kind);
  return index;
}
