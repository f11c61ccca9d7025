/**
 * Diagnostics as text for people (stderr) and as JSON. The first line is the most important: orchestrators show few.
 */
import type { Diagnostic, Location } from '../diagnostic.ts';

export type Colour = 'colour' | 'plain';

const MARKS: Readonly<Record<Diagnostic['severity'], { readonly label: string; readonly sgr: string }>> = {
  error: { label: 'error', sgr: '31' },
  warning: { label: 'warning', sgr: '33' },
  info: { label: 'info', sgr: '36' },
};

const ORDER: readonly Diagnostic['severity'][] = ['error', 'warning', 'info'];

/** Errors first. What and where on one line; then, where there is something to do, the next step. */
export function reportText(diagnostics: readonly Diagnostic[], colour: Colour): string {
  return ORDER.flatMap((severity) => diagnostics.filter((d) => d.severity === severity))
    .map((diagnostic) => lines(diagnostic, colour))
    .join('');
}

/** One JSON object with all diagnostics, on one line. */
export function reportJson(diagnostics: readonly Diagnostic[]): string {
  return `${JSON.stringify({ diagnostics })}\n`;
}

function lines(diagnostic: Diagnostic, colour: Colour): string {
  const { label, sgr } = MARKS[diagnostic.severity];
  const head = colour === 'colour' ? `\u001b[${sgr}m${label}\u001b[0m` : label;
  const place = diagnostic.at === undefined ? '' : ` (${placeText(diagnostic.at)})`;
  const next = diagnostic.severity === 'info' ? '' : `  → ${diagnostic.hint}\n`;
  return `${head} ${diagnostic.code}${visible(place)}: ${visible(diagnostic.message)}\n${next}`;
}

/** Names come from manifests: a line end in one must not forge a line, nor an escape sequence reach the terminal. */
export function visible(text: string): string {
  return text.replace(
    /[\x00-\x1f\x7f-\x9f\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function placeText(at: Location): string {
  const file =
    at.file === undefined
      ? []
      : [[at.file, at.line, at.column].filter((part) => part !== undefined).join(':')];
  const line = at.file === undefined && at.line !== undefined ? [`line ${at.line}:${at.column ?? 1}`] : [];
  const object =
    at.kind === undefined || at.kind === ''
      ? []
      : [at.name === undefined ? at.kind : `${at.kind}/${at.name}`];
  const pointer = at.pointer === undefined ? [] : [at.pointer];
  return [...file, ...line, ...object, ...pointer].join(' ');
}
