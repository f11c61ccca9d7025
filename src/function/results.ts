/**
 * Diagnostics as the `results` of a ResourceList. Orchestrators print them and may write them to disk, so they hold
 * what diagnostics hold: codes, identities and places, never a value.
 */
import type { Diagnostic } from '../diagnostic.ts';
import { isNull, isSeq, memberOf } from '../yaml/document.ts';
import { layoutOf } from '../yaml/layout.ts';
import { blockLines } from '../yaml/render-value.ts';
import { addItems, addPair, fillNull } from '../yaml/splice.ts';
import type { TextEdit } from '../yaml/text-edit.ts';
import { shiftEdits } from '../yaml/text-edit.ts';
import type { Value } from '../yaml/value.ts';
import type { ResourceList } from './resource-list.ts';

/** Edits of the list's text that add a result for each diagnostic. */
export function resultEdits(list: ResourceList, diagnostics: readonly Diagnostic[]): readonly TextEdit[] {
  if (diagnostics.length === 0) return [];
  const results = diagnostics.map(resultOf);
  if (list.results === undefined) return [appended(list.text, results)];
  const { document, map } = list.results;
  const target = { text: document.text, layout: layoutOf(document.text) };
  const present = memberOf(map, 'results');
  if (present === undefined) return shiftEdits(addPair(target, map, 'results', results), document.offset);
  const edits =
    isSeq(present) && !isNull(present)
      ? addItems(target, present, results)
      : fillNull(target, map, 'results', present, results);
  return shiftEdits(edits, document.offset);
}

function appended(text: string, results: readonly Value[]): TextEdit {
  const layout = { ...layoutOf(text), listIndent: 0 };
  const lines = blockLines({ results }, layout).map((line) => line + layout.lineEnd);
  const gap = text.endsWith('\n') || text === '' ? '' : layout.lineEnd;
  return { start: text.length, end: text.length, text: gap + lines.join('') };
}

function resultOf(diagnostic: Diagnostic): Value {
  const { at } = diagnostic;
  const resource =
    at?.kind === undefined
      ? {}
      : {
          resourceRef: definedOnly({
            apiVersion: at.apiVersion,
            kind: at.kind,
            name: at.name,
            namespace: at.namespace,
          }),
        };
  const field = at?.pointer === undefined ? {} : { field: { path: fieldPath(at.pointer) } };
  const file =
    at?.file === undefined
      ? {}
      : { file: { path: at.file, ...(at.index === undefined ? {} : { index: at.index }) } };
  return {
    message: `${diagnostic.code}: ${diagnostic.message}${diagnostic.severity === 'info' ? '' : ` ${diagnostic.hint}`}`,
    severity: diagnostic.severity,
    ...resource,
    ...field,
    ...file,
    tags: { code: diagnostic.code },
  };
}

/** `spec.configPatches[0].value` for `/spec/configPatches/0/value`, as KRM results write it. */
function fieldPath(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((segment, i) => (/^\d+$/.test(segment) ? `[${segment}]` : i === 0 ? segment : `.${segment}`))
    .join('');
}

function definedOnly(
  entries: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(entries).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
