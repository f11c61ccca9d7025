/**
 * What stands on one line of ordinary YAML, from an offset on: keys, scalars, flow collections. Each reader gives the node
 * and the offset behind it; whatever isn't ordinary is thrown as `NOT_ORDINARY`.
 */
import {
  mapNode,
  type Node,
  type Pair,
  type Range,
  type Scalar,
  type ScalarStyle,
  scalarNode,
  seqNode,
} from './node.ts';

export const NOT_ORDINARY = Symbol('not ordinary');

export type Read<T> = readonly [T, number];

/** A key up to its colon: plain without indicators, or quoted without escapes. */
const KEY = /(?:([A-Za-z0-9_$/.][A-Za-z0-9_$/.()-]*)|"([^"\\\n]*)"|'([^'\n]*)'):(?=[ \r\n]|$)/y;
const DOUBLE_QUOTED = /"((?:[^"\\\n]|\\.)*)"/y;
const SINGLE_QUOTED = /'((?:[^'\n]|'')*)'/y;
/** First characters of a plain scalar that aren't indicators. */
const PLAIN_START = /[^\s\-?:,[\]{}#&*!|>'"%@`]|-(?=[^\s])/y;
const PLAIN_IN_FLOW =
  /[A-Za-z0-9_$/.][A-Za-z0-9_$/.+=-]*(?::(?=[A-Za-z0-9/])[A-Za-z0-9_$/.+=-]+)*(?=[ ,}\]])/y;

export function isKeyAt(text: string, at: number): boolean {
  KEY.lastIndex = at;
  return KEY.test(text);
}

/** The offset is behind the colon. */
export function readKey(text: string, at: number): Read<Scalar> {
  KEY.lastIndex = at;
  const match = KEY.exec(text);
  if (match === null) return notOrdinary();
  const [, plain, double, single] = match;
  const end = KEY.lastIndex - 1;
  const type = plain !== undefined ? 'PLAIN' : double !== undefined ? 'QUOTE_DOUBLE' : 'QUOTE_SINGLE';
  return [scalarAt(plain ?? double ?? single ?? '', type, at, end), end + 1];
}

/** A scalar that ends with the line, or a flow collection. */
export function readInline(text: string, at: number): Read<Node> {
  const char = text[at];
  return char === '{' || char === '[' ? readFlow(text, at) : (readQuoted(text, at) ?? readPlain(text, at));
}

/** A line without its end. */
export function lineAt(text: string, start: number): string {
  const newline = text.indexOf('\n', start);
  const line = text.slice(start, newline === -1 ? text.length : newline);
  return line.endsWith('\r') ? line.slice(0, -1) : line;
}

/** The offset of the next character that is no blank. */
export function skipBlanks(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ') at++;
  return at;
}

export function scalarAt(value: string, type: ScalarStyle, start: number, end: number): Scalar {
  return scalarNode(value, type, rangeOf(start, end));
}

export function rangeOf(start: number, end: number): Range {
  return [start, end, end];
}

export function notOrdinary(): never {
  throw NOT_ORDINARY;
}

function readQuoted(text: string, at: number): Read<Scalar> | undefined {
  const char = text[at];
  if (char !== '"' && char !== "'") return undefined;
  const pattern = char === '"' ? DOUBLE_QUOTED : SINGLE_QUOTED;
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  if (match === null) return notOrdinary();
  const end = pattern.lastIndex;
  const content = match[1] ?? '';
  return char === '"'
    ? [scalarAt(withoutEscapes(match[0], content), 'QUOTE_DOUBLE', at, end), end]
    : [scalarAt(content.replaceAll("''", "'"), 'QUOTE_SINGLE', at, end), end];
}

/** Up to a comment or the line end; a `: ` in it would make it a key. */
function readPlain(text: string, at: number): Read<Scalar> {
  PLAIN_START.lastIndex = at;
  if (!PLAIN_START.test(text)) return notOrdinary();
  const line = lineAt(text, at);
  const comment = line.indexOf(' #');
  const value = (comment === -1 ? line : line.slice(0, comment)).trimEnd();
  if (value.includes(': ') || value.endsWith(':')) return notOrdinary();
  const end = at + value.length;
  return [scalarAt(value, 'PLAIN', at, end), end];
}

function readPlainInFlow(text: string, at: number): Read<Scalar> {
  PLAIN_IN_FLOW.lastIndex = at;
  const match = PLAIN_IN_FLOW.exec(text);
  if (match === null) return notOrdinary();
  const end = PLAIN_IN_FLOW.lastIndex;
  return [scalarAt(match[0], 'PLAIN', at, end), end];
}

function readFlow(text: string, start: number): Read<Node> {
  if (text[start] === '{') {
    const [items, end] = readItems(text, start, '}', readPair);
    return [mapNode(items, true, rangeOf(start, end)), end];
  }
  const [items, end] = readItems(text, start, ']', readFlowValue);
  return [seqNode(items, true, rangeOf(start, end)), end];
}

function readItems<T>(
  text: string,
  start: number,
  close: '}' | ']',
  read: (text: string, at: number) => Read<T>,
): Read<readonly T[]> {
  const items: T[] = [];
  let at = skipBlanks(text, start + 1);
  while (text[at] !== close) {
    const [item, end] = read(text, at);
    items.push(item);
    at = skipBlanks(text, end);
    if (text[at] === close) break;
    if (text[at] !== ',') return notOrdinary();
    at = skipBlanks(text, at + 1);
    if (text[at] === close) return notOrdinary();
  }
  return [items, at + 1];
}

function readPair(text: string, at: number): Read<Pair> {
  const [key, colonEnd] = readKey(text, at);
  const [value, end] = readFlowValue(text, skipBlanks(text, colonEnd));
  return [{ key, value }, end];
}

function readFlowValue(text: string, at: number): Read<Node> {
  const char = text[at];
  if (char === '{' || char === '[') return readFlow(text, at);
  return readQuoted(text, at) ?? readPlainInFlow(text, at);
}

/** Escapes that JSON has too; the others are left to the full parser. */
function withoutEscapes(quoted: string, content: string): string {
  if (!content.includes('\\')) return content;
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return notOrdinary();
  }
}
