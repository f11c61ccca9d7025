/**
 * Decides where and in which form each of the two settings of a registry goes in one holder.
 *
 * What already stands for the host is updated where it stands; else a placeholder decides; else the form of the other
 * setting; else `patchFormat`. What would make the outcome depend on the order of patches is refused.
 */
import { error, type Location, Refusal } from '../diagnostic.ts';
import { generatedDocuments } from '../machine-config/contract.ts';
import { automaticForm, type Form } from '../machine-config/form.ts';
import type { OwnedLeaf } from '../machine-config/owned-path.ts';
import type { RegistryHost } from '../trust/registry-host.ts';
import type { ConfigPatches, LeafOperation } from './config-patches.ts';
import { type Holder, locateIn, type PatchList } from './holders.ts';
import type { FoundPlaceholder } from './patch-list.ts';
import type { StrategicPatches, StrategicSite } from './strategic-patches.ts';

export type Decision =
  /** Into the value of an operation that sets the whole leaf. */
  | { readonly kind: 'merge'; readonly operation: LeafOperation }
  /** Into a strategic patch that already sets the host. */
  | { readonly kind: 'update'; readonly site: StrategicSite }
  /** A patch of its own. */
  | { readonly kind: 'add'; readonly form: Form };

export type Decisions = Readonly<Record<OwnedLeaf, Decision>>;

export interface PlacedPlaceholder {
  readonly list: PatchList;
  readonly found: FoundPlaceholder;
}

/** A holder, what is wanted of it, and where it goes. */
export interface DecidedHolder {
  readonly holder: Holder;
  readonly host: RegistryHost;
  readonly decisions: Decisions;
  readonly placeholder: PlacedPlaceholder | undefined;
}

export interface Situation {
  readonly holder: Holder;
  readonly patchFormat: 'auto' | Form;
  readonly config: ConfigPatches;
  readonly strategic: StrategicPatches;
  /** The placeholder of our host, where there is one. */
  readonly placeholder: PlacedPlaceholder | undefined;
}

const LIST_OF: Readonly<Record<Form, PatchList>> = {
  json6902: 'configPatches',
  strategic: 'strategicPatches',
};

/** The list in which a decision's patch stands. */
export function listOf(decision: Decision): PatchList {
  switch (decision.kind) {
    case 'merge':
      return 'configPatches';
    case 'update':
      return 'strategicPatches';
    case 'add':
      return LIST_OF[decision.form];
  }
}

/** @throws Refusal PATCH_ORDER_DEPENDENT, PATCH_FORM_CONFLICT */
export function decide(situation: Situation): Decisions {
  const registries = mention(situation, 'registries');
  const hostEntries = mention(situation, 'hostEntries');
  const decisions: Decisions = {
    registries: registries ?? place(situation, 'registries', hostEntries),
    hostEntries: hostEntries ?? place(situation, 'hostEntries', registries),
  };
  refuseIdlePlaceholder(situation, decisions);
  return decisions;
}

/** Where the host is already set, if anywhere. */
function mention(situation: Situation, leaf: OwnedLeaf): Decision | undefined {
  const operation = situation.config.leaves[leaf];
  const found: readonly Decision[] = [
    ...(operation?.mention === 'present' ? [{ kind: 'merge', operation } as const] : []),
    ...situation.strategic.sites[leaf].map((site) => ({ kind: 'update', site }) as const),
  ];
  if (found.length > 1) {
    throw new Refusal(
      error(
        'PATCH_ORDER_DEPENDENT',
        `Several patches set the ${leaf === 'registries' ? 'registry configuration' : 'alias'} of the host; the last one wins only by order.`,
        'Keep one of them.',
        holderLocation(situation.holder),
      ),
    );
  }
  return found[0];
}

/** A placeholder that nothing goes to would leave an empty list behind, and says something else than the patches do. */
function refuseIdlePlaceholder({ placeholder }: Situation, decisions: Decisions): void {
  if (placeholder === undefined) return;
  if (Object.values(decisions).some((decision) => listOf(decision) === placeholder.list)) return;
  throw new Refusal(
    error(
      'PATCH_FORM_CONFLICT',
      `The placeholder stands in ${placeholder.list}, but the other list already sets all of this host.`,
      'Remove the placeholder, or the patches that set the host.',
      placeholder.found.at(),
    ),
  );
}

function place(situation: Situation, leaf: OwnedLeaf, other: Decision | undefined): Decision {
  const form = wantedForm(situation, other);
  const operation = situation.config.leaves[leaf];
  return form === 'json6902' && operation !== undefined
    ? { kind: 'merge', operation }
    : { kind: 'add', form };
}

function wantedForm(situation: Situation, other: Decision | undefined): Form {
  const { holder, placeholder, patchFormat } = situation;
  const automatic = automaticForm(holder);
  if (placeholder !== undefined) return allowed(holder, formOf(placeholder.list), placeholder.found.at);
  if (other !== undefined) {
    const form = formOf(listOf(other));
    return form === 'json6902' && !takesOperations(holder) ? automatic : form;
  }
  return patchFormat === 'auto' ? automatic : allowed(holder, patchFormat, () => holderLocation(holder));
}

function formOf(list: PatchList): Form {
  return list === 'configPatches' ? 'json6902' : 'strategic';
}

function allowed(holder: Holder, form: Form, at: () => Location): Form {
  if (form === 'strategic' || takesOperations(holder)) return form;
  const reason =
    holder.generateType === 'none'
      ? 'the machine configuration in data may lack the parent that a JSON 6902 patch needs'
      : 'the provider generates several documents for this contract, and JSON 6902 patches fail on them';
  throw new Refusal(
    error(
      'PATCH_FORM_CONFLICT',
      `A JSON 6902 patch is asked for, but ${reason}.`,
      'Put the placeholder into strategicPatches, or set patchFormat: auto.',
      at(),
    ),
  );
}

/** Whether a new JSON 6902 patch can work: never on several documents. A variable contract is the author's word. */
function takesOperations(holder: Holder): boolean {
  return holder.generateType !== 'none' && generatedDocuments(holder.contract) !== 'several';
}

function holderLocation(holder: Holder): Location {
  return locateIn(holder.object, holder.node, holder.pointer);
}
