/**
 * What hydrating changes in each manifest, as a unified diff that may be shown: stand-ins for all secrets of ours, and
 * masks for what may be one of the author's.
 *
 * Invariants: a diff is there exactly when the manifest changes; its places are those of the committed file.
 */
import { type StructuredPatchHunk, structuredPatch } from 'diff';
import { mayHold } from '../../manifest/holders.ts';
import { documentsOf, type Manifest } from '../../manifest/hydrate.ts';
import { objectsOf } from '../../manifest/objects.ts';
import { maskedLines } from './mask.ts';

export interface PatchView {
  /** Absent for standard input. */
  readonly file?: string;
  readonly hunks: readonly HunkView[];
}

export interface HunkView {
  /** As in a unified diff: `@@ -12,6 +12,14 @@ KIND NAME`. */
  readonly head: string;
  /** Each begins with ` `, `-` or `+`. */
  readonly lines: readonly string[];
}

interface Texts {
  readonly committed: Manifest;
  readonly hydrated: string;
  /** With stand-ins. */
  readonly redacted: string;
}

/** The change of one manifest; without hunks when there is none. */
export function patchView({ committed, hydrated, redacted }: Texts): PatchView {
  const before = linesOf(committed.text);
  const shown = onlyReal({ before, hydrated: linesOf(hydrated), redacted: linesOf(redacted) });
  const masked = { before: maskedLines(before), after: maskedLines(shown) };
  const headings = headingsOf(committed);
  const file = committed.file === undefined ? {} : { file: committed.file };
  return {
    ...file,
    hunks: hunksOf(before, shown, 3).map((hunk) => hunkView(hunk, masked, headings)),
  };
}

/**
 * The committed lines with the changes of the redacted rendering that are changes of the real one too: where a value
 * already stands, the stand-in would look like a change.
 */
function onlyReal(args: {
  readonly before: readonly string[];
  readonly hydrated: readonly string[];
  readonly redacted: readonly string[];
}): readonly string[] {
  const { before, hydrated, redacted } = args;
  const real = hunksOf(before, hydrated, 0);
  const isReal = (hunk: StructuredPatchHunk): boolean =>
    real.some((other) => other.oldStart <= endOf(hunk) && hunk.oldStart <= endOf(other));
  return hunksOf(before, redacted, 0)
    .filter(isReal)
    .reduceRight<readonly string[]>((lines, hunk) => {
      const added = hunk.lines.filter((line) => line.startsWith('+')).map((line) => line.slice(1));
      // Of a hunk without old lines, the start is the line before it.
      const start = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1;
      return [...lines.slice(0, start), ...added, ...lines.slice(start + hunk.oldLines)];
    }, before);
}

function endOf({ oldStart, oldLines }: StructuredPatchHunk): number {
  return oldStart + Math.max(oldLines - 1, 0);
}

function hunksOf(
  before: readonly string[],
  after: readonly string[],
  context: number,
): readonly StructuredPatchHunk[] {
  const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
  return structuredPatch('', '', text(before), text(after), '', '', { context }).hunks;
}

function hunkView(
  { oldStart, oldLines, newStart, newLines, lines }: StructuredPatchHunk,
  masked: { readonly before: readonly string[]; readonly after: readonly string[] },
  headings: readonly Heading[],
): HunkView {
  let [old, next] = [oldLines === 0 ? oldStart : oldStart - 1, newLines === 0 ? newStart : newStart - 1];
  const shown = lines.map((line) => {
    const mark = line.slice(0, 1);
    const text = mark === '-' ? masked.before[old] : masked.after[next];
    if (mark !== '+') old += 1;
    if (mark !== '-') next += 1;
    return `${mark}${text ?? ''}`;
  });
  const firstChange = lines.findIndex((line) => !line.startsWith(' '));
  const heading = headings.findLast(({ line }) => line <= oldStart + firstChange)?.text;
  const range = `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`;
  return { head: heading === undefined ? range : `${range} ${heading}`, lines: shown };
}

interface Heading {
  readonly line: number;
  readonly text: string;
}

/** Where objects with holders begin, in order. */
function headingsOf(manifest: Manifest): readonly Heading[] {
  return documentsOf(manifest).flatMap((document) =>
    mayHold(document.text)
      ? objectsOf(document.parse()).map((object) => ({
          line: object.at().line ?? 1,
          text: `${object.kind} ${object.name ?? '(no name)'}`,
        }))
      : [],
  );
}

/** A last line without an end is a line; white space at the ends of lines (a CR) is no difference to be shown. */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}
