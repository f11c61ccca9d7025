/**
 * The edits that make a decided holder trust a registry: into operations, into strategic patches, or as patches of our
 * own where the placeholder stands or behind the last entry.
 */
import {
  hostEntryValue,
  leafOperation,
  registriesValue,
  strategicPatch,
  type TrustValues,
} from '../machine-config/form.ts';
import { OWNED_LEAVES, type OwnedLeaf } from '../machine-config/owned-path.ts';
import { isMap, isNull, isSeq, type Node, refuseEditsOfShared } from '../yaml/document.ts';
import { layoutOf } from '../yaml/layout.ts';
import { addPair, fillNull, type Target } from '../yaml/splice.ts';
import { shiftEdits, type TextEdit } from '../yaml/text-edit.ts';
import type { Value } from '../yaml/value.ts';
import type { LeafOperation } from './config-patches.ts';
import { type DecidedHolder, listOf } from './decide.ts';
import { editEmbedded } from './embedded-text.ts';
import { PATCH_LISTS, type PatchList } from './holders.ts';
import { aliasIn, type Place, trustIn } from './host-settings.ts';
import { addEntries, type Entry, replacePlaceholder, targetOf } from './list-edits.ts';
import { listNode } from './patch-list.ts';
import type { StrategicSite } from './strategic-patches.ts';

interface Situation extends DecidedHolder {
  readonly values: TrustValues;
  readonly target: Target;
}

/** Edits in offsets of the holder's document. */
export function hydratedEdits(decided: DecidedHolder, values: TrustValues): readonly TextEdit[] {
  const situation: Situation = { ...decided, values, target: targetOf(decided.holder) };
  return [
    ...mergeEdits(situation),
    ...updateEdits(situation),
    ...PATCH_LISTS.flatMap((list) => listChanges(situation, list)),
  ];
}

/** Into operations that set a whole leaf. */
function mergeEdits(situation: Situation): readonly TextEdit[] {
  return OWNED_LEAVES.flatMap((leaf) => {
    const decision = situation.decisions[leaf];
    return decision.kind === 'merge' ? mergeInto(situation, leaf, decision.operation) : [];
  });
}

function mergeInto(
  situation: Situation,
  leaf: OwnedLeaf,
  { operation, value, place }: LeafOperation,
): readonly TextEdit[] {
  if (value !== undefined && !isNull(value))
    return leafEdits(situation, situation.target, place, leaf, value);
  const { host, values, target } = situation;
  const wanted: Value =
    leaf === 'registries' ? registriesValue(host, values) : [hostEntryValue(host, values)];
  return value === undefined
    ? addPair(target, operation, 'value', wanted)
    : fillNull(target, operation, 'value', value, wanted);
}

/** Into strategic patches that set the host already; both leaves may stand in one string. */
function updateEdits(situation: Situation): readonly TextEdit[] {
  const inner = new Map<StrategicSite['scalar'], TextEdit[]>();
  for (const leaf of OWNED_LEAVES) {
    const decision = situation.decisions[leaf];
    if (decision.kind !== 'update') continue;
    const { scalar, document, value, place } = decision.site;
    const target: Target = { text: document.text, layout: { ...layoutOf(document.text), lineEnd: '\n' } };
    const edits = leafEdits(situation, target, place, leaf, value);
    refuseEditsOfShared(document, edits);
    inner.set(scalar, [...(inner.get(scalar) ?? []), ...shiftEdits(edits, document.offset)]);
  }
  return [...inner].flatMap(([scalar, edits]) => editEmbedded(situation.target, scalar, edits));
}

function leafEdits(
  { host, values }: Situation,
  target: Target,
  place: Place,
  leaf: OwnedLeaf,
  value: Node,
): readonly TextEdit[] {
  if (leaf === 'registries' && isMap(value)) return trustIn(target, place, value, host, values);
  if (leaf === 'hostEntries' && isSeq(value)) return aliasIn(target, place, value, host, values);
  throw new Error(`the scan let a ${leaf} value of another shape pass`);
}

/** Patches of our own, where the placeholder stands or behind the last entry. */
function listChanges(situation: Situation, list: PatchList): readonly TextEdit[] {
  const { holder, placeholder, target } = situation;
  const entries = newEntries(situation, list);
  if (placeholder?.list !== list) return addEntries(target, holder, list, entries);
  const node = listNode(holder, list);
  return node === undefined ? [] : replacePlaceholder(target, node, placeholder.found, entries);
}

function newEntries({ host, values, decisions }: Situation, list: PatchList): readonly Entry[] {
  const leaves = OWNED_LEAVES.filter(
    (leaf) => decisions[leaf].kind === 'add' && listOf(decisions[leaf]) === list,
  );
  if (leaves.length === 0) return [];
  if (list === 'strategicPatches') return [{ style: 'text', value: strategicPatch(leaves, host, values) }];
  return leaves.map((leaf) => ({ style: 'value', value: leafOperation(leaf, host, values) }));
}
