/**
 * The plain data of a node: mappings, lists, texts, and the two types that a plain scalar of our configs may have,
 * booleans and null. Numbers stay the text that the author wrote.
 */
import {
  isMap,
  isNull,
  isPlain,
  isScalar,
  isSeq,
  keyOf,
  type Node,
  refuseIndirection,
  type YamlDocument,
} from './document.ts';

export type PlainData =
  | string
  | boolean
  | null
  | readonly PlainData[]
  | { readonly [key: string]: PlainData };

/** @throws Refusal YAML_ALIAS */
export function plainData(document: YamlDocument, node: Node | null | undefined): PlainData {
  refuseIndirection(document, node);
  if (isMap(node)) {
    const entries = node.items.map((pair) => [keyOf(pair) ?? '', plainData(document, pair.value)] as const);
    return Object.fromEntries(entries);
  }
  if (isSeq(node)) return node.items.map((item) => plainData(document, item));
  if (isNull(node)) return null;
  return isScalar(node) ? scalarData(node) : null;
}

function scalarData(node: Node): string | boolean {
  const text = isScalar(node) ? String(node.value) : '';
  if (!isPlain(node)) return text;
  if (/^(?:true|True|TRUE)$/.test(text)) return true;
  return /^(?:false|False|FALSE)$/.test(text) ? false : text;
}
