/**
 * Edits of a text by offset. Invariant: what no edit covers is copied byte for byte.
 */

/** Replace `[start, end)` (UTF-16 offsets) by `text`; `start === end` inserts. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Offset of the collection that an insertion extends; without it, `start` lies in what is changed. */
  readonly within?: number;
}

/**
 * The text with all edits applied. Insertions at one offset keep the order in which they are given.
 * Overlapping edits are a bug of the planner and throw.
 */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const parts: string[] = [];
  let position = 0;
  for (const edit of inOrder(edits)) {
    if (edit.start < position) throw new Error(`overlapping text edits at offset ${edit.start}`);
    parts.push(text.slice(position, edit.start));
    parts.push(isBehindRemovedEnd(edit, parts) ? edit.text.replace(/^\r?\n/, '') : edit.text);
    position = edit.end;
  }
  parts.push(text.slice(position));
  return parts.join('');
}

export function shiftEdits(edits: readonly TextEdit[], by: number): readonly TextEdit[] {
  return by === 0
    ? edits
    : edits.map((edit) => ({
        ...edit,
        start: edit.start + by,
        end: edit.end + by,
        ...(edit.within === undefined ? {} : { within: edit.within + by }),
      }));
}

/** Offset at which the line of `offset` starts. */
export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** Offset just behind the line end of the line of `offset`, or the text's length on an unended last line. */
export function nextLine(text: string, offset: number): number {
  const newline = text.indexOf('\n', offset);
  return newline === -1 ? text.length : newline + 1;
}

/** Number of characters before `offset` in its line; a byte order mark is none. */
export function columnOf(text: string, offset: number): number {
  const start = lineStart(text, offset);
  return offset - start - (text[start] === '\ufeff' && offset > start ? 1 : 0);
}

/** Line and column of an offset, both counted from 1, as editors do. */
export function positionOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  if (counted.text !== text || counted.at > offset) counted = { text, at: 0, line: 1 };
  let { at, line } = counted;
  for (let end = text.indexOf('\n', at); end !== -1 && end < offset; end = text.indexOf('\n', at)) {
    at = end + 1;
    line++;
  }
  counted = { text, at, line };
  return { line, column: columnOf(text, offset) + 1 };
}

/** Where the last count ended, at a line start: places are mostly asked for in order, and a text may be large. */
let counted = { text: '', at: 0, line: 1 };

/** An addition to an unended last line starts with a line end, which isn't needed where that line was taken out. */
function isBehindRemovedEnd({ start, end }: TextEdit, parts: readonly string[]): boolean {
  return (
    start === end && parts.at(-1) === '' && parts.findLast((part) => part !== '')?.endsWith('\n') === true
  );
}

function inOrder(edits: readonly TextEdit[]): readonly TextEdit[] {
  return edits
    .map((edit, index) => ({ edit, index }))
    .sort((a, b) => a.edit.start - b.edit.start || a.index - b.index)
    .map(({ edit }) => edit);
}
