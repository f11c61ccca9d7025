/**
 * Decides where and in which form each setting of an intent goes in one holder.
 *
 * What already stands for it is updated where it stands; else a placeholder decides; else the form of the intent's other
 * settings; else `patchFormat`. The form may be forced, to try another when the first doesn't have the wanted effect.
 */
import { error, type Location, Refusal } from '../diagnostic.ts';
import { generatedDocuments } from '../machine-config/contract.ts';
import { automaticForm, type Form } from '../machine-config/form.ts';
import { LEAF_PATHS } from '../machine-config/owned-path.ts';
import { abilityOf } from '../machine-config/provider.ts';
import type { AliasSetting, NamedSetting, Setting } from '../machine-config/setting.ts';
import { type AliasSite, aliasSites, canBecome, keptSite, refuseCrowded } from './alias-sites.ts';
import { type Holder, locateIn, type PatchList } from './holders.ts';
import type { Intent } from './intent.ts';
import { carrierOf, decisiveSite, type Site } from './named-sites.ts';
import type { FoundPlaceholder } from './patch-list.ts';
import type { HolderPatches, OperationStep } from './steps.ts';

export type Decision =
  /** Into the entry that is there. */
  | { readonly kind: 'update'; readonly setting: NamedSetting; readonly site: Site }
  /** Into an alias that is there. */
  | { readonly kind: 'become'; readonly setting: AliasSetting; readonly site: AliasSite }
  /** Into the value of an operation that sets a parent. */
  | { readonly kind: 'fold'; readonly setting: Setting; readonly carrier: OperationStep }
  /** A patch of its own. */
  | { readonly kind: 'add'; readonly setting: Setting; readonly form: Form };

export type PlacedPlaceholder = FoundPlaceholder & { readonly list: PatchList };

/** A holder, what is wanted of it, and where it goes. */
export interface DecidedHolder {
  readonly holder: Holder;
  readonly patches: HolderPatches;
  readonly intent: Intent;
  readonly decisions: readonly Decision[];
  /** Aliases of the host that go. */
  readonly removed: readonly AliasSite[];
  readonly placeholder: PlacedPlaceholder | undefined;
}

/** The list in which a decision's patch stands; `data` is the author's own configuration. */
export function listOf(decision: Decision): PatchList | 'data' {
  switch (decision.kind) {
    case 'update':
    case 'become':
      return decision.site.step.list;
    case 'fold':
      return 'configPatches';
    case 'add':
      return decision.form === 'json6902' ? 'configPatches' : 'strategicPatches';
  }
}

export interface Situation {
  readonly holder: Holder;
  readonly patches: HolderPatches;
  readonly intent: Intent;
  readonly placeholder: PlacedPlaceholder | undefined;
}

/** @throws Refusal PATCH_* codes and PROVIDER_TOO_OLD */
export function decide(situation: Situation, forced?: Form): DecidedHolder {
  const { patches, intent, placeholder } = situation;
  const removed: AliasSite[] = [];
  const found = intent.wanted.settings.map((setting) =>
    setting.kind === 'named' ? namedDecision(setting, patches) : aliasDecision(setting, patches, removed),
  );
  const form = formFor(
    situation,
    found.find((decision) => decision !== undefined),
    forced,
  );
  const decisions = intent.wanted.settings.map(
    (setting, i) => found[i] ?? newDecision(setting, form(), patches),
  );
  const become = decisions.find((one) => one.kind === 'become');
  refuseCrowded(removed, become?.site, become?.setting);
  if (placeholder !== undefined) refuseIdlePlaceholder(placeholder, decisions);
  return { ...situation, decisions, removed };
}

function namedDecision(setting: NamedSetting, { steps }: HolderPatches): Decision | undefined {
  const site = decisiveSite(setting, steps);
  return site === undefined ? undefined : { kind: 'update', setting, site };
}

function aliasDecision(
  setting: AliasSetting,
  { steps }: HolderPatches,
  removed: AliasSite[],
): Decision | undefined {
  const sites = aliasSites(setting, steps);
  const kept = keptSite(sites, setting);
  const stays = kept !== undefined && canBecome(kept, setting, steps) ? kept : undefined;
  removed.push(...sites.filter((site) => site !== stays));
  return stays === undefined ? undefined : { kind: 'become', setting, site: stays };
}

function newDecision(setting: Setting, form: Form, { steps }: HolderPatches): Decision {
  const path = [...LEAF_PATHS[setting.leaf], ...(setting.kind === 'named' ? setting.anchor : [])];
  const carrier = form === 'json6902' ? carrierOf(path, steps) : undefined;
  return carrier === undefined ? { kind: 'add', setting, form } : { kind: 'fold', setting, carrier };
}

/** The form of what is new, worked out only when something is. */
function formFor(situation: Situation, other: Decision | undefined, forced: Form | undefined): () => Form {
  return () => {
    const { holder, intent, placeholder } = situation;
    const at = (): Location => placeholder?.at() ?? locateIn(holder.object, holder.node, holder.pointer);
    if (forced !== undefined) return allowed(situation, forced, at);
    const isBesideDocument = other !== undefined && formOfOther(other) === 'documents';
    if (placeholder !== undefined) {
      const form = formIn(placeholder.list, intent);
      return allowed(situation, form === 'strategic' && isBesideDocument ? 'documents' : form, at);
    }
    const automatic = automaticForm(holder);
    if (other !== undefined && listOf(other) !== 'data') {
      const form = formOfOther(other);
      return allowed(situation, form === 'json6902' && !takesOperations(holder) ? automatic : form, at);
    }
    if (intent.patchFormat !== 'auto') return allowed(situation, intent.patchFormat, at);
    const isOld = abilityOf(intent.minProvider) === 'json6902-only';
    return allowed(situation, isOld ? 'json6902' : automatic, at);
  };
}

function formIn(list: PatchList, { patchFormat }: Intent): Form {
  if (list === 'configPatches') return 'json6902';
  return patchFormat === 'documents' ? 'documents' : 'strategic';
}

function formOfOther(other: Decision): Form {
  if (listOf(other) === 'configPatches') return 'json6902';
  const isDocument =
    (other.kind === 'update' || other.kind === 'become') && other.site.step.kind === 'document';
  return isDocument ? 'documents' : 'strategic';
}

function allowed({ holder, intent }: Situation, form: Form, at: () => Location): Form {
  const ability = abilityOf(intent.minProvider);
  if (form === 'json6902' && !takesOperations(holder)) {
    if (ability === 'json6902-only') refuseProvider('strategicPatches (0.6.5) on this contract,', at());
    refuseForm(
      holder.generateType === 'none'
        ? 'A JSON 6902 patch is asked for, but the machine configuration in data may lack the parent that it needs.'
        : 'A JSON 6902 patch is asked for, but current providers generate several documents for this contract, and such patches fail on them.',
      'Put the placeholder into strategicPatches, or set patchFormat: auto.',
      at(),
    );
  }
  if (form !== 'json6902' && ability === 'json6902-only') refuseProvider('strategicPatches (0.6.5),', at());
  if (form !== 'documents') return form;
  if (ability === 'strategic') refuseProvider('the documents of Talos 1.12 (0.6.11),', at());
  if (generatedDocuments(holder.contract) === 'one') {
    refuseForm(
      'Documents are asked for, but below contract 1.12 nodes do not know them.',
      'Set patchFormat: auto, or raise talosVersion to 1.12 once all nodes run it.',
      at(),
    );
  }
  return form;
}

/** Whether a new JSON 6902 patch can work: never on several documents. A variable contract is the author's word. */
function takesOperations(holder: Holder): boolean {
  return holder.generateType !== 'none' && generatedDocuments(holder.contract) !== 'several';
}

/** A placeholder that nothing goes to would leave an empty list behind, and says something else than the patches do. */
function refuseIdlePlaceholder(placeholder: PlacedPlaceholder, decisions: readonly Decision[]): void {
  if (decisions.some((decision) => listOf(decision) === placeholder.list)) return;
  refuseForm(
    `The placeholder stands in ${placeholder.list}, but all of this registry is set elsewhere already.`,
    'Remove the placeholder, or the patches that set the registry.',
    placeholder.at(),
  );
}

function refuseForm(message: string, hint: string, at: Location): never {
  throw new Refusal(error('PATCH_FORM_CONFLICT', message, hint, at));
}

function refuseProvider(what: string, at: Location): never {
  throw new Refusal(
    error(
      'PROVIDER_TOO_OLD',
      `This needs ${what} which minProvider lacks.`,
      'Raise minProvider to what runs, or use patchFormat: json6902 on a contract below 1.12.',
      at,
    ),
  );
}
