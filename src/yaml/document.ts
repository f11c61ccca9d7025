/**
 * A parsed document whose nodes know their place in the text. Parsing only locates: nothing is ever serialised again,
 * so all scalars stay strings (schema `failsafe`) and keep the author's spelling.
 *
 * Refused here, because other readers of the same bytes (kubectl, kpt: YAML 1.1) would see another document:
 * duplicate keys, lone carriage returns, and the line separators that only YAML 1.1 knows.
 */
import { error, type Location, Refusal } from '../diagnostic.ts';
import { parseFully } from './full-parser.ts';
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Range,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from './node.ts';
import { readOrdinary } from './ordinary.ts';
import { positionOf, type TextEdit } from './text-edit.ts';

export type { Node, Scalar, YAMLMap, YAMLSeq };
export { isAlias, isMap, isScalar, isSeq };

/** One document of a text. `text` has the length of its segment, so `offset + n` is the place of `text[n]`. */
export interface YamlDocument {
  readonly text: string;
  /** Where `text` starts in the whole input. */
  readonly offset: number;
  readonly root: Node | null;
  /** The place of an offset of `text`, for diagnostics. */
  locate(offset: number): Location;
}

export interface DocumentSource {
  readonly text: string;
  readonly offset: number;
  /** The whole input, for line numbers. */
  readonly whole: string;
  readonly file?: string;
}

/** A document that is parsed when it is first asked for, once. */
export interface LazyDocument {
  /** Its text, for tests that are cheaper than parsing. */
  readonly text: string;
  /** @throws Refusal YAML_INVALID, YAML_AMBIGUOUS */
  parse(): YamlDocument;
}

export function lazyDocument(source: DocumentSource): LazyDocument {
  return { text: source.text, parse: once(() => parseYaml(source)) };
}

/** A function whose work is done at the first call. */
export function once<T extends object>(work: () => T): () => T {
  let result: T | undefined;
  return () => {
    result ??= work();
    return result;
  };
}

const YAML_1_1_LINE_ENDS = /\r(?!\n)|[\u0085\u2028\u2029]/;

/** @throws Refusal YAML_INVALID, YAML_AMBIGUOUS */
export function parseYaml(source: DocumentSource): YamlDocument {
  const locate = (offset: number): Location => ({
    ...(source.file === undefined ? {} : { file: source.file }),
    ...positionOf(source.whole, source.offset + offset),
  });
  const odd = YAML_1_1_LINE_ENDS.exec(source.text);
  if (odd !== null) {
    throw new Refusal(
      error(
        'YAML_AMBIGUOUS',
        'A lone carriage return or Unicode line separator ends a line for some YAML readers and not for others.',
        'Remove the character, or escape it inside a double-quoted string.',
        locate(odd.index),
      ),
    );
  }
  const root = readDeep(source.text, locate);
  const duplicate = root === null ? undefined : firstDuplicateKey(root);
  if (duplicate !== undefined) throw new Refusal(duplicateKey(locate(startOf(duplicate))));
  return { text: source.text, offset: source.offset, root, locate };
}

/** Both readers are recursive: what nests deeper than the stack is no manifest. */
function readDeep(text: string, locate: (offset: number) => Location): Node | null {
  try {
    const ordinary = readOrdinary(text);
    if (ordinary !== undefined) return ordinary;
    const parsed = parseFully(text);
    if (parsed.problem === undefined) return parsed.root;
    throw new Refusal(syntaxError(parsed.problem.code, locate(parsed.problem.offset)));
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw new Refusal(syntaxError('TOO_DEEP', locate(0)));
  }
}

function syntaxError(yamlCode: string, at: Location) {
  return error(
    'YAML_INVALID',
    `This is not valid YAML (${yamlCode}).`,
    'If this is a template (Helm, Terraform, envsubst), render it first and pipe the result; else mend the line.',
    at,
  );
}

function duplicateKey(at: Location) {
  return error(
    'YAML_AMBIGUOUS',
    'A mapping has the same key twice; readers disagree about which one counts.',
    'Remove one of the two.',
    at,
  );
}

/** The parser's own test compares every pair of keys; with a set it costs a third less to read a manifest. */
function firstDuplicateKey(root: Node): Node | undefined {
  const queue: Node[] = [root];
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    if (isMap(node)) {
      const seen = node.items.length > 1 ? new Set<unknown>() : undefined;
      for (const { key, value } of node.items) {
        const name = isScalar(key) ? key.value : key;
        if (seen?.has(name) === true) return key;
        seen?.add(name);
        if (isCollection(value)) queue.push(value);
        if (isCollection(key)) queue.push(key);
      }
    } else if (isSeq(node)) {
      for (const item of node.items) if (isCollection(item)) queue.push(item);
    }
  }
  return undefined;
}

function isCollection(node: unknown): node is YAMLMap | YAMLSeq {
  return isMap(node) || isSeq(node);
}

/** Every node below and including `root`, in no particular order. */
export function* allNodes(root: Node): Generator<Node> {
  const queue: Node[] = [root];
  for (let node = queue.pop(); node !== undefined; node = queue.pop()) {
    yield node;
    // No spread: a hundred thousand arguments overflow the stack.
    if (isMap(node)) {
      for (const { key, value } of node.items) {
        queue.push(key);
        if (value !== null) queue.push(value);
      }
    }
    if (isSeq(node)) for (const item of node.items) queue.push(item);
  }
}

/** The value of a key, or `undefined` when the key is absent; a key without a value gives a null scalar. */
export function memberOf(map: YAMLMap, key: string): Node | undefined {
  return pairOf(map, key)?.value ?? undefined;
}

export function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => keyOf(pair) === key);
}

/** The key's text; `undefined` for keys that are not plain text. */
export function keyOf(pair: Pair): string | undefined {
  return isScalar(pair.key) && typeof pair.key.value === 'string' ? pair.key.value : undefined;
}

/** The text of a scalar; `undefined` for anything else. */
export function textOf(node: Node | undefined | null): string | undefined {
  return isScalar(node) && typeof node.value === 'string' ? node.value : undefined;
}

/** True for an absent value and for every plain spelling of null. */
export function isNull(node: Node | undefined | null): boolean {
  return (
    node === undefined ||
    node === null ||
    (isPlain(node) && /^(?:~|null|Null|NULL|)$/.test(String(node.value)))
  );
}

/** A scalar without quotes and tag: what YAML may retype. */
export function isPlain(node: Node): node is Scalar {
  return isScalar(node) && node.tag === undefined && (node.type === 'PLAIN' || node.type === undefined);
}

/**
 * The value at `path` for reading. Missing or null anywhere gives `undefined`.
 * @throws Refusal YAML_ALIAS when the way leads through an alias or a merge key, which an edit could not follow.
 */
export function descend(
  document: YamlDocument,
  from: Node | null | undefined,
  path: readonly string[],
): Node | undefined {
  let node: Node | null | undefined = from;
  refuseIndirection(document, node);
  for (const key of path) {
    if (!isMap(node)) return undefined;
    node = memberOf(node, key);
    refuseIndirection(document, node);
  }
  return isNull(node) ? undefined : (node ?? undefined);
}

/** @throws Refusal YAML_ALIAS */
export function refuseIndirection(document: YamlDocument, node: Node | null | undefined): void {
  if (isAlias(node)) refuseAlias(document, startOf(node));
  if (isMap(node)) {
    const merge = pairOf(node, '<<');
    if (merge !== undefined) refuseAlias(document, startOf(merge.key));
  }
}

/** Whether a document may have aliases: a cheap test. */
export function mayShareNodes(document: YamlDocument): boolean {
  const known = sharing.get(document);
  if (known !== undefined) return known;
  const may = /[*]\S/.test(document.text);
  sharing.set(document, may);
  return may;
}

const sharing = new WeakMap<YamlDocument, boolean>();

/** Looked for once a document: a list may have thousands of holders. */
const shared = new WeakMap<Node, readonly Node[]>();

/** Nodes that an alias repeats elsewhere. */
function sharedNodes(root: Node): readonly Node[] {
  const known = shared.get(root);
  if (known !== undefined) return known;
  const nodes = [...allNodes(root)];
  const aliased = new Set(nodes.flatMap((node) => (isAlias(node) ? [node.source] : [])));
  const found = nodes.filter(
    (node) => !isAlias(node) && node.anchor !== undefined && aliased.has(node.anchor),
  );
  shared.set(root, found);
  return found;
}

/** @throws Refusal YAML_ALIAS when an edit changes a node that an alias repeats elsewhere */
export function refuseEditsOfShared(document: YamlDocument, edits: readonly TextEdit[]): void {
  if (document.root === null || !mayShareNodes(document)) return;
  for (const node of sharedNodes(document.root)) {
    const isChanged = ({ start, end, within = start }: TextEdit): boolean =>
      (startOf(node) <= within && within <= endOfContent(node)) ||
      (start <= startOf(node) && startOf(node) < end);
    if (edits.some(isChanged)) refuseAlias(document, startOf(node));
  }
}

/** Offset at which the last value inside a node ends: comments and blank lines behind it are not part of it. */
export function endOfContent(node: Node | null | undefined): number {
  if ((isMap(node) || isSeq(node)) && node.flow !== true) {
    const last = lastChild(node);
    if (last !== undefined) return endOfContent(last);
  }
  return rangeOf(node)[1];
}

/** The last item of a list; of a mapping the last value, or the key of a pair without one. */
export function lastChild(node: YAMLMap | YAMLSeq): Node | undefined {
  if (isSeq(node)) return node.items.at(-1);
  const pair = node.items.at(-1);
  return pair?.value ?? pair?.key;
}

function refuseAlias(document: YamlDocument, offset: number): never {
  throw new Refusal(
    error(
      'YAML_ALIAS',
      'The patches are written with a YAML anchor, alias or merge key, so one edit would change several places.',
      'Write the patches of this holder out in full.',
      document.locate(offset),
    ),
  );
}

/** Offset of the first character of a node. */
export function startOf(node: Node | null | undefined): number {
  return rangeOf(node)[0];
}

/** Start, end of the value, end of what belongs to it, as offsets of the document's text. */
export function rangeOf(node: Node | null | undefined): Range {
  if (!node?.range) throw new Error('a parsed node has no range');
  return node.range;
}
