/**
 * Every alias of a host among a holder's steps, and the edits that leave exactly one, at the wanted address. Aliases
 * add up over all patches, so stale ones are taken out wherever they stand; all other aliases stay.
 */
import { error, Refusal } from '../diagnostic.ts';
import { LEAF_PATHS, pointerTo, relatePaths } from '../machine-config/owned-path.ts';
import { type AliasSetting, hostEntry } from '../machine-config/setting.ts';
import { aliasRelation } from '../trust/registry-host.ts';
import {
  descend,
  isMap,
  isNull,
  isScalar,
  isSeq,
  memberOf,
  type Node,
  refuseIndirection,
  startOf,
  textOf,
  type YAMLMap,
  type YAMLSeq,
} from '../yaml/document.ts';
import { addItems, emptyList, removeItem, replaceScalar, type Target } from '../yaml/splice.ts';
import type { TextEdit } from '../yaml/text-edit.ts';
import { liveSteps } from './named-sites.ts';
import { refuseNested, refuseShape, refuseVariable } from './refusals.ts';
import type { OperationStep, Owner, Step } from './steps.ts';

/** A list of entries, and the key that holds it. */
interface EntryList {
  readonly map: YAMLMap;
  readonly key: string;
  readonly list: YAMLSeq;
}

export interface AliasSite {
  readonly step: Step;
  readonly ip: Node;
  /** Where the aliases of this entry stand. */
  readonly aliases: YAMLSeq;
  readonly aliasIndex: number;
  /** The list of entries that this one is in; absent where an operation sets one entry. */
  readonly entries?: EntryList & { readonly index: number };
}

/** @throws Refusal PATCH_NESTED, PATCH_INVALID, PATCH_VARIABLE, PATCH_ORDER_DEPENDENT, YAML_ALIAS */
export function aliasSites(setting: AliasSetting, steps: readonly Step[]): readonly AliasSite[] {
  return liveSteps(steps, LEAF_PATHS.hostEntries).flatMap((step) => sitesIn(setting, step));
}

/** Whether an alias already says what is wanted. */
export function isRight({ ip, aliases, aliasIndex }: AliasSite, wanted: AliasSetting): boolean {
  return textOf(ip) === wanted.ip && textOf(aliases.items[aliasIndex]) === wanted.host;
}

/** The alias that stays: a right one, else the first. */
export function keptSite(sites: readonly AliasSite[], wanted: AliasSetting): AliasSite | undefined {
  return sites.find((site) => isRight(site, wanted)) ?? sites[0];
}

const HOST_KIND = 'StaticHostConfig';

/**
 * Whether an entry can be turned into the wanted one: it has no other alias, or a list to put a new one into. A document
 * can't take the name of another one.
 */
export function canBecome(site: AliasSite, wanted: AliasSetting, steps: readonly Step[]): boolean {
  if (textOf(site.ip) === wanted.ip || site.entries !== undefined) return true;
  const isTaken = steps.some(
    (step) => step.kind === 'document' && step.documentKind === HOST_KIND && step.name === wanted.ip,
  );
  return site.aliases.items.length === 1 && !(site.step.kind === 'document' && isTaken);
}

/** Edits of one entry, in its own text. */
export function becomeEdits(target: Target, site: AliasSite, wanted: AliasSetting): readonly TextEdit[] {
  const { ip, aliases, aliasIndex, entries } = site;
  const alias = aliases.items[aliasIndex];
  const isSpelled = alias === undefined || textOf(alias) === wanted.host;
  const spelled = isSpelled ? [] : replaceScalar(target, alias, wanted.host);
  if (textOf(ip) === wanted.ip) return spelled;
  if (aliases.items.length === 1) return [...spelled, ...replaceScalar(target, ip, wanted.ip)];
  if (entries === undefined) throw new Error('an entry outside of a list was to be moved');
  return [...removeItem(target, aliases, aliasIndex), ...addItems(target, entries.list, [hostEntry(wanted)])];
}

/** Edits that take one alias out, with its entry when it has no other. */
export function removeEdits(
  target: Target,
  { step, aliases, aliasIndex, entries }: AliasSite,
): readonly TextEdit[] {
  if (aliases.items.length > 1) return removeItem(target, aliases, aliasIndex);
  if (entries === undefined) return refuseSetTwice(step);
  const { map, key, list, index } = entries;
  return list.items.length > 1 ? removeItem(target, list, index) : emptyList(target, map, key, list);
}

/** Two aliases in one list could need edits of one place. @throws Refusal PATCH_ORDER_DEPENDENT */
export function refuseCrowded(
  removed: readonly AliasSite[],
  kept: AliasSite | undefined,
  wanted: AliasSetting | undefined,
): void {
  if (kept !== undefined && textOf(kept.ip) !== wanted?.ip) refuseMovedBeside(removed, kept);
  const lists = removed.map(({ entries, aliases }) => entries?.list ?? aliases);
  const keptInFlow = kept?.entries?.list.flow === true ? [kept.entries.list] : [];
  const all = [...lists, ...keptInFlow];
  const crowded = removed.find(({ entries, aliases }) => {
    const list = entries?.list ?? aliases;
    return all.filter((one) => one === list).length > 1;
  });
  if (crowded !== undefined) refuseSetTwice(crowded.step);
}

/** An alias that moves to an entry of its own leaves a list, from which others may go at once. */
function refuseMovedBeside(removed: readonly AliasSite[], { aliases, step }: AliasSite): void {
  const beside = removed.filter((site) => site.aliases === aliases).length;
  if (beside > 0 && (aliases.flow === true || beside + 1 === aliases.items.length)) refuseSetTwice(step);
}

function sitesIn(setting: AliasSetting, step: Step): readonly AliasSite[] {
  switch (step.kind) {
    case 'legacy':
      return sitesUnder(setting, step, step.root, LEAF_PATHS.hostEntries);
    case 'document':
      return documentSites(setting, step);
    case 'operation': {
      if (step.op === 'remove') return [];
      const relation = relatePaths(step.path, LEAF_PATHS.hostEntries);
      if (relation === 'inside') return insideSites(setting, step);
      return sitesUnder(setting, step, step.operation, [
        'value',
        ...LEAF_PATHS.hostEntries.slice(step.path.length),
      ]);
    }
  }
}

/** Entries of the list that a way of keys leads to. */
function sitesUnder(
  setting: AliasSetting,
  step: Step,
  from: YAMLMap,
  way: readonly string[],
): readonly AliasSite[] {
  const { owner } = step;
  const key = way.at(-1) ?? '';
  const map = descend(owner.document, from, way.slice(0, -1)) ?? from;
  const list = descend(owner.document, from, way);
  if (list === undefined || !isMap(map)) return [];
  // `$patch: delete` of the whole list: the replay says what it leaves.
  if (isMap(list) && memberOf(list, '$patch') !== undefined) return [];
  if (!isSeq(list)) refuseShape(owner.at(startOf(list)), 'extraHostEntries', 'a list');
  return list.items.flatMap((item, index) =>
    sitesOfEntry(setting, step, item).map((site) => ({
      ...site,
      entries: { map, key, list, index },
    })),
  );
}

/** An operation at `…/-` or `…/0` sets one entry; deeper ones set parts of it, which can't be told apart. */
function insideSites(setting: AliasSetting, step: OperationStep): readonly AliasSite[] {
  const { value, path, at } = step;
  if (isMap(value) && path.length === LEAF_PATHS.hostEntries.length + 1)
    return sitesOfEntry(setting, step, value);
  const named = [value, ...(isSeq(value) ? (value.items as readonly Node[]) : [])];
  if (named.some((node) => aliasRelation(textOf(node) ?? '', setting.host) !== 'other'))
    refuseNested(at(), pointerTo('hostEntries'));
  return [];
}

function sitesOfEntry(setting: AliasSetting, step: Step, entry: Node): readonly AliasSite[] {
  const { owner } = step;
  refuseIndirection(owner.document, entry);
  if (!isMap(entry))
    refuseShape(owner.at(startOf(entry)), 'An entry of extraHostEntries', 'a mapping with ip and aliases');
  if (memberOf(entry, '$patch') !== undefined) return [];
  const aliases = descend(owner.document, entry, ['aliases']);
  if (aliases === undefined) return [];
  if (!isSeq(aliases)) refuseShape(owner.at(startOf(aliases)), 'aliases', 'a list');
  return namesIn(setting, owner, aliases).map((aliasIndex) => ({
    step,
    ip: addressOf(owner, entry, 'ip'),
    aliases,
    aliasIndex,
  }));
}

/** In a StaticHostConfig the name is the address. */
function documentSites(
  setting: AliasSetting,
  step: Extract<Step, { kind: 'document' }>,
): readonly AliasSite[] {
  if (step.documentKind !== HOST_KIND) return [];
  const { owner, root } = step;
  const aliases = descend(owner.document, root, ['hostnames']);
  if (aliases === undefined) return [];
  if (!isSeq(aliases)) refuseShape(owner.at(startOf(aliases)), 'hostnames', 'a list');
  return namesIn(setting, owner, aliases).map((aliasIndex) => ({
    step,
    ip: addressOf(owner, root, 'name'),
    aliases,
    aliasIndex,
  }));
}

/** Indices of the aliases that name the host, however spelled. */
function namesIn(setting: AliasSetting, owner: Owner, aliases: YAMLSeq): readonly number[] {
  return aliases.items.flatMap((item, index) => {
    const alias = textOf(item);
    if (alias === undefined || alias.includes('${')) refuseVariable(owner.at(startOf(item)));
    return aliasRelation(alias, setting.host) === 'other' ? [] : [index];
  });
}

function addressOf(owner: Owner, entry: YAMLMap, key: string): Node {
  const ip = memberOf(entry, key);
  if (ip === undefined || isNull(ip) || !isScalar(ip) || textOf(ip)?.includes('${') === true)
    refuseVariable(owner.at(startOf(ip ?? entry)));
  return ip;
}

function refuseSetTwice(step: Step): never {
  throw new Refusal(
    error(
      'PATCH_ORDER_DEPENDENT',
      'The host has several aliases here, which can not be taken apart safely.',
      'Keep one of them.',
      step.at(),
    ),
  );
}
