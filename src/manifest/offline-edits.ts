/**
 * A decided holder without values: what is committed stays, and a placeholder is added where none is, so that what is
 * rendered offline is refused by the API server.
 */
import { type Diagnostic, warning } from '../diagnostic.ts';
import { OWNED_LEAVES } from '../machine-config/owned-path.ts';
import type { TextEdit } from '../yaml/text-edit.ts';
import { type DecidedHolder, listOf } from './decide.ts';
import { locateIn, type PatchList } from './holders.ts';
import { addEntries, targetOf } from './list-edits.ts';
import { placeholderValue } from './placeholder.ts';

/** Edits in offsets of the holder's document; none when the placeholder is there. */
export function offlineEdits(decided: DecidedHolder): readonly TextEdit[] {
  const { holder, host, placeholder } = decided;
  if (placeholder !== undefined) return [];
  const entry = { style: 'value', value: placeholderValue(host) } as const;
  return addEntries(targetOf(holder), holder, listForPlaceholder(decided), [entry]);
}

/** Says where to commit a placeholder; nothing when there is one. */
export function placeholderMissing(decided: DecidedHolder): readonly Diagnostic[] {
  const { holder, host, placeholder } = decided;
  if (placeholder !== undefined) return [];
  return [
    warning(
      'PLACEHOLDER_MISSING',
      'There is no placeholder here, so the API server would accept this manifest without being hydrated.',
      `Commit {registryTrust: ${host.key}} as an entry of ${listForPlaceholder(decided)}.`,
      locateIn(holder.object, holder.node, holder.pointer),
    ),
  ];
}

/** Where a new patch would go, so that hydrating with the placeholder is the same as hydrating without. */
function listForPlaceholder({ decisions }: DecidedHolder): PatchList {
  const adding = OWNED_LEAVES.map((leaf) => decisions[leaf]).find(({ kind }) => kind === 'add');
  return listOf(adding ?? decisions.registries);
}
