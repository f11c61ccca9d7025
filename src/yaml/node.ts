/**
 * The nodes of a parsed document, as far as anything here reads them. Those of the library `yaml` have all of this, and
 * are told apart by the symbols that it registers; so the light nodes of ordinary text mix with them, and nobody who
 * looks at a node has to load the library.
 */

/** Start, end of the value, end of what belongs to it, as offsets of the document's text. */
export type Range = readonly [number, number, number];

interface Common {
  readonly range?: Range | null;
  /** Name of the anchor, without `&`. */
  readonly anchor?: string | undefined;
  /** As written, or as the library resolves it. */
  readonly tag?: string | undefined;
}

export type ScalarStyle = 'BLOCK_FOLDED' | 'BLOCK_LITERAL' | 'PLAIN' | 'QUOTE_DOUBLE' | 'QUOTE_SINGLE';

export interface Scalar<T = unknown> extends Common {
  /** Always a text, or null where a tag makes it so. */
  readonly value: T;
  readonly type?: ScalarStyle;
}

export interface Pair {
  readonly key: Node;
  /** Null in a flow mapping or set that has keys only. */
  readonly value: Node | null;
}

export interface YAMLMap extends Common {
  readonly items: readonly Pair[];
  readonly flow?: boolean;
}

export interface YAMLSeq extends Common {
  readonly items: readonly Node[];
  readonly flow?: boolean;
}

export interface Alias extends Common {
  /** Name of the anchor that it repeats. */
  readonly source: string;
}

export type Node = Scalar | YAMLMap | YAMLSeq | Alias;

const KIND = Symbol.for('yaml.node.type');
const SCALAR = Symbol.for('yaml.scalar');
const MAP = Symbol.for('yaml.map');
const SEQ = Symbol.for('yaml.seq');
const ALIAS = Symbol.for('yaml.alias');

export function isScalar(node: unknown): node is Scalar {
  return kindOf(node) === SCALAR;
}

export function isMap(node: unknown): node is YAMLMap {
  return kindOf(node) === MAP;
}

export function isSeq(node: unknown): node is YAMLSeq {
  return kindOf(node) === SEQ;
}

export function isAlias(node: unknown): node is Alias {
  return kindOf(node) === ALIAS;
}

function kindOf(node: unknown): symbol | undefined {
  return typeof node === 'object' && node !== null ? (node as { readonly [KIND]?: symbol })[KIND] : undefined;
}

export function scalarNode(value: string, type: ScalarStyle, range: Range): Scalar<string> {
  return { [KIND]: SCALAR, value, type, range } as Scalar<string>;
}

export function mapNode(items: readonly Pair[], flow: boolean, range: Range): YAMLMap {
  return { [KIND]: MAP, items, flow, range } as YAMLMap;
}

export function seqNode(items: readonly Node[], flow: boolean, range: Range): YAMLSeq {
  return { [KIND]: SEQ, items, flow, range } as YAMLSeq;
}
