/**
 * How the author lays out a text: line end, indentation step, and how far a list is indented under its key.
 * Inserted lines follow it.
 */
export interface Layout {
  readonly lineEnd: '\n' | '\r\n';
  /** Columns by which a nested mapping is indented. */
  readonly step: number;
  /** Columns by which the dash of a list stands right of its key: 0 or `step`. */
  readonly listIndent: number;
}

const KEY_WITHOUT_VALUE = /^([ ]*)((?:- +)*)(?![#\s])[^\n]*:[ \t]*(?:#[^\n]*)?\r?$/;

/** Reads the layout off the first nested mapping and the first list under a key; two columns where there is none. */
export function layoutOf(text: string): Layout {
  let step: number | undefined;
  let listIndent: number | undefined;
  let parent: number | undefined;
  for (const line of firstLines(text)) {
    const indent = line.search(/\S/);
    if (indent === -1 || line[indent] === '#') continue;
    if (parent !== undefined) {
      const isItem = /^[ ]*-(?:[ ]|\r?$)/.test(line);
      if (isItem && indent >= parent) listIndent ??= indent - parent;
      if (!isItem && indent > parent) step ??= indent - parent;
    }
    const key = KEY_WITHOUT_VALUE.exec(line);
    parent = key === null ? undefined : (key[1] ?? '').length + (key[2] ?? '').length;
    if (step !== undefined && listIndent !== undefined) break;
  }
  return {
    lineEnd: text.includes('\r\n') ? '\r\n' : '\n',
    step: step ?? 2,
    listIndent: listIndent ?? step ?? 2,
  };
}

/** Enough to see the habits of an author; a long document costs no more than a short one. */
const SAMPLE_CHARACTERS = 20_000;

function firstLines(text: string): readonly string[] {
  return text.slice(0, SAMPLE_CHARACTERS).split('\n');
}
