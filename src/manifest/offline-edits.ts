/**
 * A decided holder without values: what is committed stays, and a placeholder is added where none is, so that what is
 * rendered offline is refused by the API server.
 */
import { type Diagnostic, warning } from '../diagnostic.ts';
import type { TextEdit } from '../yaml/text-edit.ts';
import { type DecidedHolder, listOf } from './decide.ts';
import { locateIn, type PatchList } from './holders.ts';
import { addEntries, targetOf } from './list-edits.ts';
import { placeholderValue } from './placeholder.ts';

/** Edits in offsets of the holder's document; none when the placeholder is there. */
export function offlineEdits(decided: DecidedHolder): readonly TextEdit[] {
  const { holder, intent, placeholder } = decided;
  if (placeholder !== undefined || intent.placeholder === undefined) return [];
  const entry = { style: 'value', value: placeholderValue(intent.placeholder) } as const;
  return addEntries(targetOf(holder), holder, listForPlaceholder(decided), [entry]);
}

/** Says where to commit a placeholder; nothing when there is one. */
export function placeholderMissing(decided: DecidedHolder): readonly Diagnostic[] {
  const { holder, intent, placeholder } = decided;
  if (placeholder !== undefined || intent.placeholder === undefined) return [];
  const { key, name } = intent.placeholder;
  return [
    warning(
      'PLACEHOLDER_MISSING',
      'There is no placeholder here, so the API server would accept this manifest without being hydrated.',
      `Commit {${key}: ${name}} as an entry of ${listForPlaceholder(decided)}.`,
      locateIn(holder.object, holder.node, holder.pointer),
    ),
  ];
}

/** Where a new patch would go, so that hydrating with the placeholder is the same as hydrating without. */
function listForPlaceholder({ decisions }: DecidedHolder): PatchList {
  const adding = decisions.find(({ kind }) => kind === 'add') ?? decisions[0];
  const list = adding === undefined ? 'strategicPatches' : listOf(adding);
  return list === 'data' ? 'strategicPatches' : list;
}
