/**
 * Plans one holder: reads its patches, decides, and gives the edits that make it hold an intent. Pure; nothing is
 * changed before the whole input is planned and what Talos will make of it has been judged.
 */
import { type Diagnostic, error, Refusal, warning } from '../diagnostic.ts';
import { generatedDocuments } from '../machine-config/contract.ts';
import type { Form } from '../machine-config/form.ts';
import { isOtherSpelling } from '../trust/registry-host.ts';
import { refuseEditsOfShared, startOf } from '../yaml/document.ts';
import type { TextEdit } from '../yaml/text-edit.ts';
import { type DecidedHolder, decide, listOf, type PlacedPlaceholder } from './decide.ts';
import { type Holder, locateIn } from './holders.ts';
import { hydratedEdits } from './hydrated-edits.ts';
import { insecureSites, refuseInsecure } from './insecure.ts';
import type { Intent } from './intent.ts';
import { offlineEdits, placeholderMissing } from './offline-edits.ts';
import { type HolderPatches, readPatches } from './steps.ts';

export interface HolderPlan {
  readonly decided: DecidedHolder;
  /** The edits that are made. */
  readonly edits: readonly TextEdit[];
  /** The edits that are judged: offline, those that hydrating would make. */
  readonly judged: readonly TextEdit[];
  readonly diagnostics: readonly Diagnostic[];
  /** Offset of the placeholder that this plan takes care of. */
  readonly placeholder: number | undefined;
}

/**
 * Edits in offsets of the holder's document. With unknown values the edits add a placeholder where none is.
 * @throws Refusal with one of the PATCH_*, PLACEHOLDER_*, YAML_* codes, HOLDER_INVALID, PROVIDER_TOO_OLD, DATA_CONFLICT
 */
export function planHolder(holder: Holder, intent: Intent, forced?: Form): HolderPlan {
  const patches = readPatches(holder);
  refuseUndecidedData(holder, intent);
  if (intent.insecure !== 'remove') {
    const [insecure] = insecureSites(intent, patches.steps);
    if (insecure !== undefined) refuseInsecure(insecure);
  }
  const placeholder = placeholderOf(patches, intent);
  const decided = decide({ holder, patches, intent, placeholder }, forced);
  const judged = hydratedEdits(decided);
  const edits = intent.values === 'unknown' ? offlineEdits(decided) : judged;
  refuseEditsOfShared(holder.object.document, [...judged, ...edits]);
  const missing = intent.values === 'unknown' ? placeholderMissing(decided) : [];
  return {
    decided,
    edits,
    judged,
    diagnostics: [...formWarnings(decided), ...missing],
    placeholder: placeholder && startOf(placeholder.item),
  };
}

/** The placeholder of the intent. @throws Refusal PLACEHOLDER_DUPLICATE */
export function placeholderOf(
  { placeholders }: HolderPatches,
  intent: Intent,
): PlacedPlaceholder | undefined {
  const { placeholder: wanted } = intent;
  const [first, second] = placeholders.filter(
    ({ key, name }) => wanted?.key === key && (name === wanted.name || isOtherSpelling(name, wanted.name)),
  );
  if (second !== undefined) {
    throw new Refusal(
      error(
        'PLACEHOLDER_DUPLICATE',
        `The holder has two placeholders for ${intent.subject}.`,
        'Keep one of them.',
        second.at(),
      ),
    );
  }
  return first;
}

/** With variables in the author's own configuration nobody knows what it says of a host that it names. */
function refuseUndecidedData(holder: Holder, intent: Intent): void {
  const { data } = holder;
  if (holder.generateType !== 'none' || data === undefined || !data.includes('${')) return;
  const names = intent.wanted.settings.map((setting) =>
    setting.kind === 'alias' ? setting.host : setting.anchor.at(-1),
  );
  if (!names.some((name) => name !== undefined && data.toLowerCase().includes(name))) return;
  throw new Refusal(
    error(
      'DATA_CONFLICT',
      'The machine configuration in data names this registry and has variables, so what it says is not known here.',
      'Expand variables before this step, or remove the registry from data.',
      locateIn(holder.object, holder.node, `${holder.pointer}/data`),
    ),
  );
}

function formWarnings(decided: DecidedHolder): readonly Diagnostic[] {
  return [...multiDocumentWarnings(decided), ...documentWarnings(decided)];
}

function multiDocumentWarnings({ holder, patches, decisions }: DecidedHolder): readonly Diagnostic[] {
  const documents = generatedDocuments(holder.contract);
  const writesOperations = decisions.some((decision) => listOf(decision) === 'configPatches');
  const isRisky =
    documents === 'several' ? patches.operations > 0 : documents === 'unknown' && writesOperations;
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

/** Facts: "The forms of registry trust". */
function documentWarnings({ holder, decisions }: DecidedHolder): readonly Diagnostic[] {
  if (!decisions.some(writesDocument)) return [];
  return [
    warning(
      'DOCUMENTS_TOO_NEW',
      'A RegistryTLSConfig with only a CA stops Talos 1.12.0 and 1.12.1; older nodes know no such documents; before 1.12.5 hosts come late.',
      'Use documents only where every node runs 1.12.5 or newer.',
      locateIn(holder.object, holder.node, holder.pointer),
    ),
  ];
}

/** Whether a decision writes into a document of its own kind. */
export function writesDocument(decision: DecidedHolder['decisions'][number]): boolean {
  if (decision.kind === 'add') return decision.form === 'documents';
  return decision.kind !== 'fold' && decision.site.step.kind === 'document';
}
