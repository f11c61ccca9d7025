/**
 * Reads the YAML that nearly all manifests are written in, six times as fast as the full parser: block mappings and
 * lists, one-line scalars, block literals, one-line flow collections. Whatever has anything else (anchors, tags, explicit
 * keys, text over several lines, tabs, an indentation that isn't plain) gives `undefined` and goes to the full parser,
 * which also finds what is wrong.
 *
 * Invariant: what is read here is what the full parser reads, values, styles and places; a test compares the two.
 */
import {
  isScalar,
  mapNode,
  type Node,
  type Pair,
  type Range,
  type Scalar,
  type ScalarStyle,
  scalarNode,
  seqNode,
} from './node.ts';

/** Tabs, control characters, BOM, other line ends, marks and directives: valid in places, never in an ordinary manifest. */
const UNUSUAL = /[\x00-\x09\x0b\x0c\x0e-\x1f\x7f\x85\u2028\u2029\ufeff]|\r(?!\n)|^(?:---|\.\.\.|%)/m;

/** A key up to its colon: plain without indicators, or quoted without escapes. */
const KEY = /(?:([A-Za-z0-9_$/.][A-Za-z0-9_$/.()-]*)|"([^"\\\n]*)"|'([^'\n]*)'):(?=[ \r\n]|$)/y;
const DOUBLE_QUOTED = /"((?:[^"\\\n]|\\.)*)"/y;
const SINGLE_QUOTED = /'((?:[^'\n]|'')*)'/y;
/** First characters of a plain scalar that aren't indicators. */
const PLAIN_START = /[^\s\-?:,[\]{}#&*!|>'"%@`]|-(?=[^\s])/y;
const PLAIN_IN_FLOW =
  /[A-Za-z0-9_$/.][A-Za-z0-9_$/.+=-]*(?::(?=[A-Za-z0-9/])[A-Za-z0-9_$/.+=-]+)*(?=[ ,}\]])/y;
const LITERAL_HEADER = /\|([+-]?)(?: *| +#[^\n]*)\r?\n/y;
const REST_OF_LINE = /(?: *| +#[^\n]*)(?:\r?\n|$)/y;

/** The root of a document, or `undefined` when the text isn't ordinary (or has no content). */
export function readOrdinary(text: string): Node | undefined {
  if (UNUSUAL.test(text)) return undefined;
  try {
    const reader = new Reader(text);
    if (!reader.seek(0)) return undefined;
    const root = reader.block(-1);
    return reader.isAtEnd() && !isScalar(root) ? root : undefined;
  } catch (cause) {
    if (cause === NOT_ORDINARY) return undefined;
    throw cause;
  }
}

const NOT_ORDINARY = Symbol('not ordinary');

class Reader {
  readonly #text: string;
  /** Offset of the content that is read next, and its column; at the end the column is -1. */
  #at = 0;
  #column = -1;

  constructor(text: string) {
    this.#text = text;
  }

  isAtEnd(): boolean {
    return this.#column === -1;
  }

  /** Goes to the next line with content, from a line start. False at the end. */
  seek(lineStart: number): boolean {
    const text = this.#text;
    let start = lineStart;
    while (start < text.length) {
      let at = start;
      while (text[at] === ' ') at++;
      const char = text[at];
      if (char !== undefined && char !== '\n' && char !== '\r' && char !== '#') {
        this.#at = at;
        this.#column = at - start;
        return true;
      }
      const newline = text.indexOf('\n', at);
      if (newline === -1) break;
      start = newline + 1;
    }
    this.#at = text.length;
    this.#column = -1;
    return false;
  }

  /** What starts at the present place, inside a collection at column `parent` (-1: the document). */
  block(parent: number): Node {
    if (this.#isDash(this.#at)) return this.#list(this.#column);
    KEY.lastIndex = this.#at;
    return KEY.test(this.#text) ? this.#mapping(this.#column) : this.#inline(this.#at, parent);
  }

  #mapping(column: number): Node {
    const items: Pair[] = [];
    const start = this.#at;
    while (this.#column === column && !this.#isDash(this.#at)) {
      const key = this.#key();
      items.push({ key, value: this.#valueOf(column) });
    }
    if (this.#column > column) notOrdinary();
    return mapNode(items, false, rangeOf(start, this.#at));
  }

  #key(): Scalar {
    KEY.lastIndex = this.#at;
    const match = KEY.exec(this.#text);
    if (match === null) return notOrdinary();
    const [, plain, double, single] = match;
    const end = KEY.lastIndex - 1;
    const type = plain !== undefined ? 'PLAIN' : double !== undefined ? 'QUOTE_DOUBLE' : 'QUOTE_SINGLE';
    const scalar = scalarAt(plain ?? double ?? single ?? '', type, this.#at, end);
    this.#at = end + 1;
    return scalar;
  }

  /** The value behind a colon: on the line, on the lines below, or nothing. */
  #valueOf(column: number): Node {
    const colonEnd = this.#at;
    REST_OF_LINE.lastIndex = colonEnd;
    if (!REST_OF_LINE.test(this.#text)) return this.#inline(this.#skipBlanks(colonEnd), column);
    const hasMore = this.seek(REST_OF_LINE.lastIndex);
    if (hasMore && this.#column > column) return this.block(column);
    if (hasMore && this.#column === column && this.#isDash(this.#at)) return this.#list(column);
    const nothing = this.#skipBlanks(colonEnd);
    return scalarAt('', 'PLAIN', nothing, nothing);
  }

  #list(column: number): Node {
    const items: Node[] = [];
    const start = this.#at;
    while (this.#column === column && this.#isDash(this.#at)) items.push(this.#item(column));
    if (this.#column > column) notOrdinary();
    return seqNode(items, false, rangeOf(start, this.#at));
  }

  #item(column: number): Node {
    const at = this.#skipBlanks(this.#at + 1);
    if (this.#isDash(at)) return notOrdinary();
    KEY.lastIndex = at;
    if (!KEY.test(this.#text)) return this.#inline(at, column);
    this.#column += at - this.#at;
    this.#at = at;
    return this.#mapping(this.#column);
  }

  /** A scalar or flow collection that starts on this line; what follows must not be deeper than `column`. */
  #inline(at: number, column: number): Node {
    const char = this.#text[at];
    if (char === '|') return this.#literal(at, column);
    const isFlow = char === '{' || char === '[';
    const [node, end] = isFlow ? this.#flow(at) : (this.#quoted(at) ?? this.#plain(at));
    REST_OF_LINE.lastIndex = end;
    if (!REST_OF_LINE.test(this.#text)) return notOrdinary();
    this.seek(REST_OF_LINE.lastIndex);
    return this.#column > column ? notOrdinary() : node;
  }

  #quoted(at: number): readonly [Node, number] | undefined {
    const char = this.#text[at];
    if (char !== '"' && char !== "'") return undefined;
    const pattern = char === '"' ? DOUBLE_QUOTED : SINGLE_QUOTED;
    pattern.lastIndex = at;
    const match = pattern.exec(this.#text);
    if (match === null) return notOrdinary();
    const end = pattern.lastIndex;
    const content = match[1] ?? '';
    return char === '"'
      ? [scalarAt(withoutEscapes(match[0], content), 'QUOTE_DOUBLE', at, end), end]
      : [scalarAt(content.replaceAll("''", "'"), 'QUOTE_SINGLE', at, end), end];
  }

  /** Up to a comment or the line end; a `: ` in it would make it a key. */
  #plain(at: number): readonly [Node, number] {
    PLAIN_START.lastIndex = at;
    if (!PLAIN_START.test(this.#text)) return notOrdinary();
    const line = this.#line(at);
    const comment = line.indexOf(' #');
    const value = (comment === -1 ? line : line.slice(0, comment)).trimEnd();
    if (value.includes(': ') || value.endsWith(':')) return notOrdinary();
    const end = at + value.length;
    return [scalarAt(value, 'PLAIN', at, end), end];
  }

  #plainInFlow(at: number): readonly [Node, number] {
    PLAIN_IN_FLOW.lastIndex = at;
    const match = PLAIN_IN_FLOW.exec(this.#text);
    if (match === null) return notOrdinary();
    const end = PLAIN_IN_FLOW.lastIndex;
    return [scalarAt(match[0], 'PLAIN', at, end), end];
  }

  #flow(start: number): readonly [Node, number] {
    if (this.#text[start] === '{') {
      const [items, end] = this.#flowItems(start, '}', (at) => this.#flowPair(at));
      return [mapNode(items, true, rangeOf(start, end)), end];
    }
    const [items, end] = this.#flowItems(start, ']', (at) => this.#flowValue(at));
    return [seqNode(items, true, rangeOf(start, end)), end];
  }

  #flowItems<T>(
    start: number,
    close: '}' | ']',
    read: (at: number) => readonly [T, number],
  ): readonly [readonly T[], number] {
    const items: T[] = [];
    let at = this.#skipBlanks(start + 1);
    while (this.#text[at] !== close) {
      const [item, end] = read(at);
      items.push(item);
      at = this.#skipBlanks(end);
      if (this.#text[at] === close) break;
      if (this.#text[at] !== ',') return notOrdinary();
      at = this.#skipBlanks(at + 1);
      if (this.#text[at] === close) return notOrdinary();
    }
    return [items, at + 1];
  }

  #flowPair(at: number): readonly [Pair, number] {
    KEY.lastIndex = at;
    const match = KEY.exec(this.#text);
    if (match === null) return notOrdinary();
    this.#at = at;
    const key = this.#key();
    const [value, end] = this.#flowValue(this.#skipBlanks(this.#at));
    return [{ key, value }, end];
  }

  #flowValue(at: number): readonly [Node, number] {
    const char = this.#text[at];
    if (char === '{' || char === '[') return this.#flow(at);
    return this.#quoted(at) ?? this.#plainInFlow(at);
  }

  #literal(at: number, column: number): Node {
    LITERAL_HEADER.lastIndex = at;
    const header = LITERAL_HEADER.exec(this.#text);
    if (header === null) return notOrdinary();
    const lines: string[] = [];
    let blanks = 0;
    let indent = -1;
    let start = LITERAL_HEADER.lastIndex;
    let end = start;
    for (; start < this.#text.length; start = this.#lineAfter(start)) {
      const line = this.#line(start);
      const depth = line.search(/[^ ]/);
      if (depth === -1) {
        if (line.length > Math.max(indent, column + 1)) return notOrdinary();
        blanks++;
        continue;
      }
      if (indent === -1) indent = depth;
      if (indent <= column) return notOrdinary();
      if (depth < indent) break;
      for (; blanks > 0; blanks--) lines.push('');
      lines.push(line.slice(indent));
      end = this.#lineAfter(start);
    }
    if (indent === -1 || !this.#text.slice(0, end).endsWith('\n')) return notOrdinary();
    const chomp = header[1];
    if (chomp === '+' && blanks > 0) return notOrdinary();
    this.seek(start);
    if (this.#column > column) return notOrdinary();
    return scalarAt(lines.join('\n') + (chomp === '-' ? '' : '\n'), 'BLOCK_LITERAL', at, end);
  }

  #line(start: number): string {
    const newline = this.#text.indexOf('\n', start);
    const line = this.#text.slice(start, newline === -1 ? this.#text.length : newline);
    return line.endsWith('\r') ? line.slice(0, -1) : line;
  }

  #lineAfter(start: number): number {
    const newline = this.#text.indexOf('\n', start);
    return newline === -1 ? this.#text.length : newline + 1;
  }

  #isDash(at: number): boolean {
    return this.#text[at] === '-' && this.#text[at + 1] === ' ';
  }

  #skipBlanks(from: number): number {
    let at = from;
    while (this.#text[at] === ' ') at++;
    return at;
  }
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

function scalarAt(value: string, type: ScalarStyle, start: number, end: number): Scalar {
  return scalarNode(value, type, rangeOf(start, end));
}

function rangeOf(start: number, end: number): Range {
  return [start, end, end];
}

function notOrdinary(): never {
  throw NOT_ORDINARY;
}
