/**
 * Plans one holder: reads its patch lists, decides, and gives the edits that make it trust a registry. Pure; nothing is
 * changed before the whole input is planned.
 */
import { type Diagnostic, error, Refusal, warning } from '../diagnostic.ts';
import { generatedDocuments } from '../machine-config/contract.ts';
import {
  type Form,
  hostEntryValue,
  leafOperation,
  registriesValue,
  strategicPatch,
  type TrustValues,
} from '../machine-config/form.ts';
import type { OwnedLeaf } from '../machine-config/owned-path.ts';
import { type RegistryHost, sameRegistry } from '../trust/registry-host.ts';
import {
  isMap,
  isNull,
  isSeq,
  mayShareNodes,
  type Node,
  refuseEditsOfShared,
  startOf,
} from '../yaml/document.ts';
import { layoutOf } from '../yaml/layout.ts';
import { addPair, fillNull, type Target } from '../yaml/splice.ts';
import { shiftEdits, type TextEdit } from '../yaml/text-edit.ts';
import type { Value } from '../yaml/value.ts';
import { type ConfigPatches, type LeafOperation, readConfigPatches } from './config-patches.ts';
import { type Decisions, decide, listOf, type PlacedPlaceholder } from './decide.ts';
import { editEmbedded } from './embedded-text.ts';
import { type Holder, locateIn, type PatchList } from './holders.ts';
import { aliasIn, type Place, trustIn } from './host-settings.ts';
import { addEntries, type Entry, replacePlaceholder } from './list-edits.ts';
import { type FoundPlaceholder, listNode } from './patch-list.ts';
import { placeholderValue } from './placeholder.ts';
import { readStrategicPatches, type StrategicPatches, type StrategicSite } from './strategic-patches.ts';

/** One wanted trust: a host, and its values unless they are unknown (offline). */
export interface HolderIntent {
  readonly host: RegistryHost;
  readonly patchFormat: 'auto' | Form;
  readonly values: TrustValues | 'unknown';
}

export interface HolderPlan {
  readonly edits: readonly TextEdit[];
  readonly diagnostics: readonly Diagnostic[];
  /** Offset of the placeholder that this plan takes care of. */
  readonly placeholder: number | undefined;
}

const LEAVES: readonly OwnedLeaf[] = ['registries', 'hostEntries'];
const LISTS: readonly PatchList[] = ['configPatches', 'strategicPatches'];

/**
 * Edits in offsets of the holder's document. With unknown values the edits add a placeholder where none is.
 * @throws Refusal with one of the PATCH_*, PLACEHOLDER_*, YAML_* codes, HOLDER_INVALID or DATA_CONFLICT
 */
export function planHolder(holder: Holder, intent: HolderIntent): HolderPlan {
  const config = readConfigPatches(holder, intent.host);
  const strategic = readStrategicPatches(holder, intent.host);
  refuseDataConflict(holder, intent.host);
  const placeholder = onePlaceholder(config, strategic, intent.host);
  const decisions = decide({ holder, patchFormat: intent.patchFormat, config, strategic, placeholder });
  const hydrating = (values: TrustValues): readonly TextEdit[] =>
    hydratedEdits(holder, intent.host, values, decisions, placeholder);
  const isOffline = intent.values === 'unknown';
  const edits =
    intent.values === 'unknown'
      ? placeholderEdits(holder, intent.host, decisions, placeholder)
      : hydrating(intent.values);
  const judged = isOffline && mayShareNodes(holder.object.document) ? hydrating(STAND_INS) : [];
  refuseEditsOfShared(holder.object.document, [...edits, ...judged]);
  return {
    edits,
    diagnostics: [
      ...multiDocumentWarnings(holder, config, decisions),
      ...(isOffline && placeholder === undefined ? [placeholderMissing(holder, intent.host, decisions)] : []),
    ],
    placeholder: placeholder === undefined ? undefined : startOf(placeholder.found.item),
  };
}

/** Values with which an offline plan finds out where it would edit; they never reach an output. */
const STAND_INS: TrustValues = { caBase64: 'unknown', ip: '0.0.0.0' };

/** What the edits of a hydrated holder are made from. */
interface Situation {
  readonly holder: Holder;
  readonly host: RegistryHost;
  readonly values: TrustValues;
  readonly decisions: Decisions;
  readonly placeholder: PlacedPlaceholder | undefined;
  readonly target: Target;
}

function hydratedEdits(
  holder: Holder,
  host: RegistryHost,
  values: TrustValues,
  decisions: Decisions,
  placeholder: PlacedPlaceholder | undefined,
): readonly TextEdit[] {
  const situation: Situation = { holder, host, values, decisions, placeholder, target: targetOf(holder) };
  return [
    ...mergeEdits(situation),
    ...updateEdits(situation),
    ...LISTS.flatMap((list) => listChanges(situation, list)),
  ];
}

function targetOf({ object: { document } }: Holder): Target {
  return { text: document.text, layout: layoutOf(document.text) };
}

function onePlaceholder(
  config: ConfigPatches,
  strategic: StrategicPatches,
  host: RegistryHost,
): PlacedPlaceholder | undefined {
  const inList = (list: PatchList, found: readonly FoundPlaceholder[]): readonly PlacedPlaceholder[] =>
    found.filter((one) => sameRegistry(one.host, host) !== 'other').map((one) => ({ list, found: one }));
  const [first, second] = [
    ...inList('configPatches', config.placeholders),
    ...inList('strategicPatches', strategic.placeholders),
  ];
  if (second !== undefined) {
    throw new Refusal(
      error(
        'PLACEHOLDER_DUPLICATE',
        `The holder has two placeholders for ${host.key}.`,
        'Keep one of them.',
        second.found.at(),
      ),
    );
  }
  return first;
}

/** Into operations that set a whole leaf. */
function mergeEdits(situation: Situation): readonly TextEdit[] {
  return LEAVES.flatMap((leaf) => {
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
  for (const leaf of LEAVES) {
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
  const leaves = LEAVES.filter((leaf) => decisions[leaf].kind === 'add' && listOf(decisions[leaf]) === list);
  if (leaves.length === 0) return [];
  if (list === 'strategicPatches') return [{ style: 'text', value: strategicPatch(leaves, host, values) }];
  return leaves.map((leaf) => ({ style: 'value', value: leafOperation(leaf, host, values) }));
}

/** Without values the decisions say all that can be refused; only a missing placeholder is written. */
function placeholderEdits(
  holder: Holder,
  host: RegistryHost,
  decisions: Decisions,
  placeholder: PlacedPlaceholder | undefined,
): readonly TextEdit[] {
  if (placeholder !== undefined) return [];
  const entry: Entry = { style: 'value', value: placeholderValue(host) };
  return addEntries(targetOf(holder), holder, listForPlaceholder(decisions), [entry]);
}

/** Where a new patch would go, so that hydrating with the placeholder is the same as hydrating without. */
function listForPlaceholder(decisions: Decisions): PatchList {
  const adding = LEAVES.map((leaf) => decisions[leaf]).find(({ kind }) => kind === 'add');
  return listOf(adding ?? decisions.registries);
}

function placeholderMissing(holder: Holder, host: RegistryHost, decisions: Decisions): Diagnostic {
  return warning(
    'PLACEHOLDER_MISSING',
    'There is no placeholder here, so the API server would accept this manifest without being hydrated.',
    `Commit {registryTrust: ${host.key}} as an entry of ${listForPlaceholder(decisions)}.`,
    locateIn(holder.object, holder.node, holder.pointer),
  );
}

function refuseDataConflict(holder: Holder, host: RegistryHost): void {
  if (holder.data?.toLowerCase().includes(host.name) !== true) return;
  throw new Refusal(
    error(
      'DATA_CONFLICT',
      'The machine configuration in data already names this host; a patch could double its alias.',
      'Remove the host from data; it will be written as a patch.',
      locateIn(holder.object, holder.node, `${holder.pointer}/data`),
    ),
  );
}

function multiDocumentWarnings(
  holder: Holder,
  config: ConfigPatches,
  decisions: Decisions,
): readonly Diagnostic[] {
  const documents = generatedDocuments(holder.contract);
  const writesOperations = LEAVES.some((leaf) => listOf(decisions[leaf]) === 'configPatches');
  const isRisky =
    documents === 'several' ? config.operations > 0 : documents === 'unknown' && writesOperations;
  if (!isRisky || holder.generateType === 'none') return [];
  return [
    warning(
      'PATCH_MULTIDOC',
      documents === 'several'
        ? 'configPatches fail on the several documents that current providers generate for this contract.'
        : 'If the variable in talosVersion is 1.12 or newer, configPatches fail on current providers.',
      'Write these patches as strategicPatches, or set talosVersion below 1.12.',
      locateIn(holder.object, holder.node, `${holder.pointer}/configPatches`),
    ),
  ];
}
