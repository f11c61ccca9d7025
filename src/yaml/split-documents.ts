/**
 * Splits a YAML stream into documents without parsing it: a stream may be large, and only documents that can hold
 * Talos patches are ever parsed. Invariant: the segments and the markers between them cover the text.
 */
import { documentStarts } from './full-parser.ts';

/** `[start, end)` of one document's text, without its `---` marker. */
export interface Segment {
  readonly start: number;
  readonly end: number;
}

const MARKER = /^---(?=[ \t\r\n]|$)/gm;

/** Document end marks and directives move the borders in ways that only a parser gets right. */
const NEEDS_PARSER = /^(?:\.\.\.(?=[ \t\r\n]|$)|%)/m;

export function splitDocuments(text: string): readonly Segment[] {
  return NEEDS_PARSER.test(text) ? splitByParser(text) : splitByMarker(text);
}

function splitByMarker(text: string): readonly Segment[] {
  const segments: Segment[] = [];
  let start = 0;
  for (const match of text.matchAll(MARKER)) {
    // JavaScript's `^` also stands behind a lone carriage return and behind Unicode's line separators.
    if (match.index > 0 && text[match.index - 1] !== '\n') continue;
    segments.push({ start, end: match.index });
    start = match.index + match[0].length;
  }
  segments.push({ start, end: text.length });
  return segments;
}

/** Each segment here runs from its directives or marker to where the next begins; the YAML reader takes it whole. */
function splitByParser(text: string): readonly Segment[] {
  const starts = documentStarts(text);
  return starts.map((start, i) => ({ start, end: starts[i + 1] ?? text.length }));
}
