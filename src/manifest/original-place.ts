/**
 * Several intents are applied one after the other, so all but the first are planned on a text that nobody has. Invariant:
 * the line and column of a diagnostic are those of the text that was read.
 */
import type { Diagnostic } from '../diagnostic.ts';
import { positionOf, type TextEdit } from '../yaml/text-edit.ts';

/** A text, and the edits that made the next one of it. */
export interface Change {
  readonly text: string;
  readonly edits: readonly TextEdit[];
}

/** Diagnostics of `text`, placed in the text before all changes; what was put in is where it was put in. */
export function originalPlaces(
  diagnostics: readonly Diagnostic[],
  text: string,
  changes: readonly Change[],
): readonly Diagnostic[] {
  const [first] = changes;
  if (first === undefined || diagnostics.length === 0) return diagnostics;
  const starts = lineStarts(text);
  const backwards = changes.map(({ edits }) => [...edits].sort((a, b) => a.start - b.start)).reverse();
  return diagnostics.map((diagnostic) => {
    const { line, column = 1 } = diagnostic.at ?? {};
    const start = line === undefined ? undefined : starts[line - 1];
    if (start === undefined) return diagnostic;
    const offset = backwards.reduce((at, edits) => offsetBefore(edits, at), start + column - 1);
    return { ...diagnostic, at: { ...diagnostic.at, ...positionOf(first.text, offset) } };
  });
}

/** Where an offset of the edited text was before. */
function offsetBefore(edits: readonly TextEdit[], offset: number): number {
  let grown = 0;
  for (const { start, end, text } of edits) {
    if (offset < start + grown) break;
    if (offset < start + grown + text.length) return start;
    grown += text.length - (end - start);
  }
  return offset - grown;
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
}
