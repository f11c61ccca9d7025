/**
 * Edits of a text that is itself the value of a scalar: a strategic patch inside `strategicPatches`. Invariant: in a
 * block literal only the lines that change are touched; a quoted scalar stays one line in its own quotes.
 */
import { rangeOf, type Scalar } from '../yaml/document.ts';
import { doubleQuoted } from '../yaml/render-value.ts';
import type { Target } from '../yaml/splice.ts';
import { applyEdits, nextLine, type TextEdit } from '../yaml/text-edit.ts';

/** The edit of the outer text that applies `edits` to the scalar's value. */
export function editEmbedded(
  target: Target,
  node: Scalar<string>,
  edits: readonly TextEdit[],
): readonly TextEdit[] {
  if (edits.length === 0) return [];
  const content = applyEdits(node.value, edits);
  switch (node.type) {
    case 'BLOCK_LITERAL':
      return [editLiteral(target, node, content)];
    case 'BLOCK_FOLDED':
      return foldedToLiteral(target, node, content);
    default:
      return [replaceQuoted(node, content)];
  }
}

function editLiteral(target: Target, node: Scalar<string>, content: string): TextEdit {
  const [start, end] = rangeOf(node);
  const bodyStart = nextLine(target.text, start);
  const before = node.value.split('\n');
  const after = content.split('\n');
  const indent = literalIndent(target.text.slice(bodyStart, end), before);
  const same = commonEnds(before, after);
  const lines = after
    .slice(same.head, after.length - same.tail)
    .map((line) => (line === '' ? '' : indent + line));
  const from = lineOffset(target.text, bodyStart, same.head);
  const to = lineOffset(target.text, from, before.length - same.tail - same.head);
  const text = lines.map((line) => line + target.layout.lineEnd).join('');
  return openEnd(target, { start: from, end: Math.min(to, end), text });
}

/** A folded scalar joins lines, so its text can't be mapped line by line: it becomes a literal of the same value. */
function foldedToLiteral(target: Target, node: Scalar<string>, content: string): readonly TextEdit[] {
  const [start, end] = rangeOf(node);
  const bodyStart = nextLine(target.text, start);
  const firstLine = /^[ ]*(?=\S)/m.exec(target.text.slice(bodyStart, end))?.[0] ?? '  ';
  const lines = content.replace(/\n$/, '').split('\n');
  const text = lines.map((line) => (line === '' ? '' : firstLine + line) + target.layout.lineEnd).join('');
  return [{ start, end: start + 1, text: '|' }, openEnd(target, { start: bodyStart, end, text })];
}

function replaceQuoted(node: Scalar<string>, content: string): TextEdit {
  const [start, end] = rangeOf(node);
  const isSingle =
    node.type === 'QUOTE_SINGLE' &&
    /^[\x20-\x7e\xa0-\uffff]*$/.test(content) &&
    !/[\u2028\u2029\ufeff]/.test(content);
  return { start, end, text: isSingle ? `'${content.replaceAll("'", "''")}'` : doubleQuoted(content) };
}

function literalIndent(body: string, contentLines: readonly string[]): string {
  const bodyLines = body.split('\n');
  const at = contentLines.findIndex((line) => line.trim() !== '');
  const [source = '', content = ''] = [bodyLines[at]?.replace(/\r$/, ''), contentLines[at]];
  return ' '.repeat(source.length - content.length);
}

function commonEnds(
  before: readonly string[],
  after: readonly string[],
): { readonly head: number; readonly tail: number } {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return { head, tail };
}

function lineOffset(text: string, from: number, lines: number): number {
  let at = from;
  for (let i = 0; i < lines; i++) at = nextLine(text, at);
  return at;
}

/** An edit that reaches an unended last line leaves it unended. */
function openEnd(target: Target, edit: TextEdit): TextEdit {
  const { text, layout } = target;
  if (edit.end < text.length || text.endsWith('\n')) return edit;
  const body = edit.text.endsWith(layout.lineEnd) ? edit.text.slice(0, -layout.lineEnd.length) : edit.text;
  const isNewLine = edit.start === text.length;
  return { ...edit, text: isNewLine ? layout.lineEnd + body : body };
}
