/**
 * Reads the YAML that nearly all manifests are written in, six times as fast as the full parser: block mappings and
 * lists, one-line scalars, block literals, one-line flow collections. Whatever has anything else (anchors, tags, explicit
 * keys, text over several lines, tabs, an indentation that isn't plain) gives `undefined` and goes to the full parser,
 * which also finds what is wrong.
 *
 * Invariant: what is read here is what the full parser reads, values, styles and places; a test compares the two.
 */
import {
  isKeyAt,
  lineAt,
  NOT_ORDINARY,
  notOrdinary,
  rangeOf,
  readInline,
  readKey,
  scalarAt,
  skipBlanks,
} from './inline.ts';
import { isScalar, mapNode, type Node, type Pair, seqNode } from './node.ts';

/** Tabs, control characters, BOM, other line ends, marks and directives: valid in places, never in an ordinary manifest. */
const UNUSUAL = /[\x00-\x09\x0b\x0c\x0e-\x1f\x7f\x85\u2028\u2029\ufeff]|\r(?!\n)|^(?:---|\.\.\.|%)/m;

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
    return isKeyAt(this.#text, this.#at) ? this.#mapping(this.#column) : this.#inline(this.#at, parent);
  }

  #mapping(column: number): Node {
    const items: Pair[] = [];
    const start = this.#at;
    while (this.#column === column && !this.#isDash(this.#at)) {
      const [key, colonEnd] = readKey(this.#text, this.#at);
      this.#at = colonEnd;
      items.push({ key, value: this.#valueOf(column) });
    }
    if (this.#column > column) notOrdinary();
    return mapNode(items, false, rangeOf(start, this.#at));
  }

  /** The value behind a colon: on the line, on the lines below, or nothing. */
  #valueOf(column: number): Node {
    const colonEnd = this.#at;
    REST_OF_LINE.lastIndex = colonEnd;
    if (!REST_OF_LINE.test(this.#text)) return this.#inline(skipBlanks(this.#text, colonEnd), column);
    const hasMore = this.seek(REST_OF_LINE.lastIndex);
    if (hasMore && this.#column > column) return this.block(column);
    if (hasMore && this.#column === column && this.#isDash(this.#at)) return this.#list(column);
    const nothing = skipBlanks(this.#text, colonEnd);
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
    const at = skipBlanks(this.#text, this.#at + 1);
    if (this.#isDash(at)) return notOrdinary();
    if (!isKeyAt(this.#text, at)) return this.#inline(at, column);
    this.#column += at - this.#at;
    this.#at = at;
    return this.#mapping(this.#column);
  }

  /** A scalar or flow collection that starts on this line; what follows must not be deeper than `column`. */
  #inline(at: number, column: number): Node {
    if (this.#text[at] === '|') return this.#literal(at, column);
    const [node, end] = readInline(this.#text, at);
    REST_OF_LINE.lastIndex = end;
    if (!REST_OF_LINE.test(this.#text)) return notOrdinary();
    this.seek(REST_OF_LINE.lastIndex);
    return this.#column > column ? notOrdinary() : node;
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
      const line = lineAt(this.#text, start);
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

  #lineAfter(start: number): number {
    const newline = this.#text.indexOf('\n', start);
    return newline === -1 ? this.#text.length : newline + 1;
  }

  #isDash(at: number): boolean {
    return this.#text[at] === '-' && this.#text[at + 1] === ' ';
  }
}
