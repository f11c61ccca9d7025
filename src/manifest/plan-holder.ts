/**
 * Plans one holder: reads its patch lists, decides, and gives the edits that make it trust a registry. Pure; nothing is
 * changed before the whole input is planned.
 */
import { type Diagnostic, error, Refusal, warning } from '../diagnostic.ts';
import { generatedDocuments } from '../machine-config/contract.ts';
import type { Form, TrustValues } from '../machine-config/form.ts';
import { OWNED_LEAVES } from '../machine-config/owned-path.ts';
import { type RegistryHost, sameRegistry } from '../trust/registry-host.ts';
import { mayShareNodes, refuseEditsOfShared, startOf } from '../yaml/document.ts';
import type { TextEdit } from '../yaml/text-edit.ts';
import { type ConfigPatches, readConfigPatches } from './config-patches.ts';
import { type DecidedHolder, type Decisions, decide, listOf, type PlacedPlaceholder } from './decide.ts';
import { type Holder, locateIn, type PatchList } from './holders.ts';
import { hydratedEdits } from './hydrated-edits.ts';
import { offlineEdits, placeholderMissing } from './offline-edits.ts';
import type { FoundPlaceholder } from './patch-list.ts';
import { readStrategicPatches, type StrategicPatches } from './strategic-patches.ts';

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

/**
 * Edits in offsets of the holder's document. With unknown values the edits add a placeholder where none is.
 * @throws Refusal with one of the PATCH_*, PLACEHOLDER_*, YAML_* codes, HOLDER_INVALID or DATA_CONFLICT
 */
export function planHolder(holder: Holder, { host, patchFormat, values }: HolderIntent): HolderPlan {
  const config = readConfigPatches(holder, host);
  const strategic = readStrategicPatches(holder, host);
  refuseDataConflict(holder, host);
  const placeholder = onePlaceholder(config, strategic, host);
  const decisions = decide({ holder, patchFormat, config, strategic, placeholder });
  const plan = values === 'unknown' ? planOffline : planHydrated(values);
  return {
    ...plan({ holder, host, decisions, placeholder }, multiDocumentWarnings(holder, config, decisions)),
    placeholder: placeholder && startOf(placeholder.found.item),
  };
}

type Planned = Omit<HolderPlan, 'placeholder'>;
type Planner = (decided: DecidedHolder, diagnostics: readonly Diagnostic[]) => Planned;

function planHydrated(values: TrustValues): Planner {
  return (decided, diagnostics) => {
    const edits = hydratedEdits(decided, values);
    refuseEditsOfShared(decided.holder.object.document, edits);
    return { edits, diagnostics };
  };
}

/** Values with which an offline plan finds out where hydrating would edit; they never reach an output. */
const STAND_INS: TrustValues = { caBase64: 'unknown', ip: '0.0.0.0' };

/** The decisions say all that can be refused, but for edits of shared nodes: those have to be made to be judged. */
const planOffline: Planner = (decided, diagnostics) => {
  const { document } = decided.holder.object;
  const edits = offlineEdits(decided);
  const judged = mayShareNodes(document) ? hydratedEdits(decided, STAND_INS) : [];
  refuseEditsOfShared(document, [...edits, ...judged]);
  return { edits, diagnostics: [...diagnostics, ...placeholderMissing(decided)] };
};

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
  const writesOperations = OWNED_LEAVES.some((leaf) => listOf(decisions[leaf]) === 'configPatches');
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
