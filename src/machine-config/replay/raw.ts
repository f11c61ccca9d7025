/**
 * A configuration as YAML and JSON both spell it: texts, unquoted words, lists and mappings. What an unquoted word means
 * is decided by who reads it, as Talos' own decoder does: `010` is text where a text belongs.
 */
import {
  allNodes,
  isAlias,
  isMap,
  isNull,
  isPlain,
  isScalar,
  isSeq,
  keyOf,
  type Node,
  once,
  startOf,
} from '../../yaml/document.ts';
import { ReplayFailure } from './failure.ts';

/** An unquoted word: null, a boolean, a number, or a text that needs no quotes. */
export class Plain {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Raw = string | Plain | readonly Raw[] | RawMap;

export type RawMap = ReadonlyMap<string, Raw>;

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

export const NULL = new Plain('null');

/** More nodes than any configuration has: aliases of aliases grow without limit. */
const MAX_NODES = 200_000;

/** Deeper than any configuration; what walks a value is recursive. */
const MAX_DEPTH = 500;

export function isRawMap(raw: Raw | undefined): raw is RawMap {
  return raw instanceof Map;
}

export function isRawList(raw: Raw | undefined): raw is readonly Raw[] {
  return Array.isArray(raw);
}

export function isNullWord(raw: Raw | undefined): boolean {
  return raw instanceof Plain && /^(?:~|null|Null|NULL|)$/.test(raw.text);
}

/**
 * The value of a node. Aliases are followed; what they refer to may stand anywhere before them in `document`.
 * @throws ReplayFailure duplicate-key, type (a mapping key that isn't a scalar), yaml (an alias without anchor)
 */
export function rawOfNode(root: Node | null | undefined, document: Node | null | undefined = root): Raw {
  const anchors = anchorsOf(document);
  let nodes = 0;
  const convert = (node: Node | null | undefined, depth = 0): Raw => {
    if (++nodes > MAX_NODES || depth > MAX_DEPTH) throw new ReplayFailure('yaml');
    if (node === null || node === undefined) return NULL;
    if (isAlias(node)) return convert(anchors(node.source, startOf(node)), depth + 1);
    if (isScalar(node)) {
      const text = String(node.value ?? '');
      if (node.tag !== undefined) return rawOfTagged(node.tag, text);
      return isPlain(node) || isNull(node) ? new Plain(text) : text;
    }
    if (isSeq(node)) return node.items.map((item) => convert(item, depth + 1));
    const map = new Map<string, Raw>();
    if (!isMap(node)) return map;
    for (const pair of node.items) {
      const key = keyOf(pair);
      if (key === undefined) throw new ReplayFailure('type');
      if (map.has(key)) throw new ReplayFailure('duplicate-key');
      map.set(key, convert(pair.value, depth + 1));
    }
    return map;
  };
  return convert(root);
}

/** A tag decides what quotes or their absence would. */
function rawOfTagged(tag: string, text: string): Raw {
  switch (tag.replace(/^tag:yaml\.org,2002:|^!!/, '')) {
    case 'null':
      return NULL;
    case 'bool':
    case 'int':
    case 'float':
      return new Plain(text);
    case 'binary':
      return Buffer.from(text, 'base64').toString();
    default:
      return text;
  }
}

/** Finds what an alias refers to: the last node of its anchor before it. Looked for when an alias is met. */
function anchorsOf(document: Node | null | undefined): (name: string, before: number) => Node {
  const anchored = once(() =>
    document === null || document === undefined
      ? []
      : [...allNodes(document)].filter((node) => !isAlias(node) && node.anchor !== undefined),
  );
  return (name, before) => {
    const found = anchored()
      .filter((node) => !isAlias(node) && node.anchor === name && startOf(node) < before)
      .sort((a, b) => startOf(b) - startOf(a))[0];
    if (found === undefined) throw new ReplayFailure('yaml');
    return found;
  };
}

export function rawOfJson(json: Json | undefined): Raw {
  if (json === null || json === undefined) return NULL;
  if (typeof json === 'string') return json;
  if (typeof json !== 'object') return new Plain(String(json));
  if (Array.isArray(json)) return json.map(rawOfJson);
  return new Map(Object.entries(json).map(([key, value]) => [key, rawOfJson(value)]));
}

/** Unquoted words as YAML's core schema reads them. */
export function jsonOfRaw(raw: Raw | undefined): Json {
  if (raw === undefined || isNullWord(raw)) return null;
  if (typeof raw === 'string') return raw;
  if (raw instanceof Plain) return jsonOfWord(raw.text);
  if (isRawList(raw)) return raw.map(jsonOfRaw);
  return Object.fromEntries([...raw].map(([key, value]) => [key, jsonOfRaw(value)]));
}

export function sameRaw(a: Raw | undefined, b: Raw | undefined): boolean {
  if (isRawList(a) && isRawList(b)) return a.length === b.length && a.every((item, i) => sameRaw(item, b[i]));
  if (isRawMap(a) && isRawMap(b))
    return a.size === b.size && [...a].every(([key, value]) => b.has(key) && sameRaw(value, b.get(key)));
  if (isRawList(a) || isRawList(b) || isRawMap(a) || isRawMap(b)) return false;
  return jsonOfRaw(a) === jsonOfRaw(b);
}

function jsonOfWord(text: string): Json {
  if (/^(?:true|True|TRUE)$/.test(text)) return true;
  if (/^(?:false|False|FALSE)$/.test(text)) return false;
  return /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/.test(text) ? Number(text) : text;
}
