/**
 * Where a named setting (a registry's configuration, a mirror, a list of subnets) stands among a holder's steps, and
 * which steps still count: an operation that sets or removes a parent makes all before it void.
 */
import { error, Refusal } from '../diagnostic.ts';
import { LEAF_PATHS, relatePaths } from '../machine-config/owned-path.ts';
import { type NamedSetting, nested } from '../machine-config/setting.ts';
import { endpointIdentity } from '../trust/mirror.ts';
import { isOtherSpelling } from '../trust/registry-host.ts';
import {
  isMap,
  isPlain,
  isSeq,
  keyOf,
  memberOf,
  type Node,
  pairOf,
  refuseIndirection,
  startOf,
  textOf,
  type YAMLMap,
} from '../yaml/document.ts';
import { isListValue, isScalarValue, type Value } from '../yaml/value.ts';
import { refuseSpelling, refuseVariable } from './refusals.ts';
import type { DocumentStep, OperationStep, Owner, Step } from './steps.ts';

/** A mapping and what it must hold for the setting to be in force there. */
export interface Site {
  readonly step: Step;
  readonly map: YAMLMap;
  readonly wanted: Value;
}

/** Steps that still count for a path, in order. @throws Refusal PATCH_ORDER_DEPENDENT for a move or copy that reaches it */
export function liveSteps(steps: readonly Step[], path: readonly string[]): readonly Step[] {
  let live: readonly Step[] = [];
  for (const step of steps) {
    if (step.kind !== 'operation') {
      live = [...live, step];
      continue;
    }
    const relation = relatePaths(step.path, path);
    if (relation === 'unrelated' || step.op === 'test') continue;
    if (step.op === 'move' || step.op === 'copy') refuseMove(step);
    if (relation === 'inside') live = [...live, step];
    else live = step.op === 'remove' ? [] : [step];
  }
  return live;
}

/** All places that have an entry of the setting's name, in the order of their steps. @throws Refusal */
export function sitesOf(setting: NamedSetting, steps: readonly Step[]): readonly Site[] {
  const path = [...LEAF_PATHS[setting.leaf], ...setting.anchor];
  return liveSteps(steps, path).flatMap((step) => siteIn(setting, step, path));
}

/**
 * The place at which an edit takes effect: documents replace what legacy fields say; otherwise the last counts. Endpoints
 * append over patches, so those that stand in one of them aren't wanted again.
 */
export function decisiveSite(setting: NamedSetting, steps: readonly Step[]): Site | undefined {
  const sites = sitesOf(setting, steps);
  const site = sites.findLast(({ step }) => step.kind === 'document') ?? sites.at(-1);
  if (site === undefined || setting.leaf !== 'registries') return site;
  const isDocument = site.step.kind === 'document';
  const present = sites
    .filter(({ step }) => (step.kind === 'document') === isDocument)
    .flatMap(({ map, wanted }) => endpointsIn(map, wanted));
  return present.length === 0 ? site : { ...site, wanted: without(site.wanted, new Set(present)) ?? {} };
}

/** Identities of the endpoints of a node, where `wanted` has a list. */
function endpointsIn(node: Node | undefined, wanted: Value): readonly string[] {
  if (isListValue(wanted)) {
    const urls = isSeq(node) ? node.items.map((item) => (isMap(item) ? memberOf(item, 'url') : item)) : [];
    return urls.map((url) => endpointIdentity(textOf(url) ?? ''));
  }
  if (!isMap(node) || isScalarValue(wanted)) return [];
  return Object.entries(wanted).flatMap(([key, child]) => endpointsIn(memberOf(node, key), child));
}

/** `wanted` without endpoints that are present; what gets empty goes. */
function without(wanted: Value, present: ReadonlySet<string>): Value | undefined {
  if (isScalarValue(wanted)) return wanted;
  if (isListValue(wanted)) {
    const rest = wanted.filter((item) => !present.has(endpointIdentity(urlOf(item))));
    return rest.length === 0 ? undefined : rest;
  }
  return Object.fromEntries(
    Object.entries(wanted).flatMap(([key, child]) => {
      const rest = without(child, present);
      return rest === undefined ? [] : [[key, rest] as const];
    }),
  );
}

function urlOf(endpoint: Value): string {
  return String(isScalarValue(endpoint) || isListValue(endpoint) ? endpoint : endpoint['url']);
}

/** The last operation whose value holds the setting's place, though not the setting. */
export function carrierOf(path: readonly string[], steps: readonly Step[]): OperationStep | undefined {
  return liveSteps(
    steps.filter(({ list }) => list === 'configPatches'),
    path,
  ).findLast(
    (step): step is OperationStep =>
      step.kind === 'operation' && step.op !== 'remove' && relatePaths(step.path, path) !== 'inside',
  );
}

/** What an operation must hold for `value` to stand at `path`. */
export function inOperation({ path: own }: OperationStep, path: readonly string[], value: Value): Value {
  return { value: nested(path.slice(own.length), value) };
}

function siteIn(setting: NamedSetting, step: Step, path: readonly string[]): readonly Site[] {
  switch (step.kind) {
    case 'operation':
      return operationSite(setting, step, path);
    case 'legacy': {
      const wanted = nested(path, setting.value);
      return isThere(setting, step.owner, step.root, path) ? [{ step, map: step.root, wanted }] : [];
    }
    case 'document':
      return documentSite(setting, step);
  }
}

function operationSite(setting: NamedSetting, step: OperationStep, path: readonly string[]): readonly Site[] {
  if (step.op === 'remove') return [];
  if (relatePaths(step.path, path) !== 'inside') {
    const way = ['value', ...path.slice(step.path.length)];
    if (!isThere(setting, step.owner, step.operation, way)) return [];
    return [{ step, map: step.operation, wanted: inOperation(step, path, setting.value) }];
  }
  const part = step.path.slice(path.length).reduce<Value | undefined>(memberOfValue, setting.value);
  return part === undefined ? [] : [{ step, map: step.operation, wanted: { value: part } }];
}

function documentSite({ document }: NamedSetting, step: DocumentStep): readonly Site[] {
  if (document === undefined || step.documentKind !== document.kind) return [];
  const name = memberOf(step.root, 'name');
  if (name !== undefined) inspectName(step.owner, name, step.name, document.name);
  return step.name === document.name ? [{ step, map: step.root, wanted: document.value }] : [];
}

/** Whether a way of keys leads to an entry, be it without value. The entry's neighbours are looked at, too. */
function isThere(setting: NamedSetting, owner: Owner, from: YAMLMap, way: readonly string[]): boolean {
  let node: Node | null | undefined = from;
  for (const [i, key] of way.entries()) {
    refuseIndirection(owner.document, node);
    if (!isMap(node)) return false;
    const isEntry = i === way.length - 1 && setting.anchor.length > 0;
    if (isEntry) for (const pair of node.items) inspectName(owner, pair.key, keyOf(pair), key);
    const pair = pairOf(node, key);
    if (pair === undefined) return false;
    node = pair.value;
  }
  refuseIndirection(owner.document, node);
  inspectTexts(owner, node, setting.value);
  return true;
}

/** A name that is a variable may be any; one that differs only in spelling names the same host for people, not for Talos. */
function inspectName(owner: Owner, node: Node, name: string | undefined, wanted: string): void {
  if (name === undefined || name.includes('${')) refuseVariable(owner.at(startOf(node)));
  if (isOtherSpelling(name, wanted)) refuseSpelling(owner.at(startOf(node)), wanted);
}

/** A variable where a wanted text goes would be overwritten without knowing what it stands for. */
function inspectTexts(owner: Owner, node: Node | null | undefined, wanted: Value): void {
  refuseIndirection(owner.document, node);
  if (node === null || node === undefined) return;
  if (typeof wanted !== 'object') {
    if (isPlain(node) && textOf(node)?.includes('${') === true) refuseVariable(owner.at(startOf(node)));
    return;
  }
  if (Array.isArray(wanted) || !isMap(node)) return;
  for (const [key, value] of Object.entries(wanted)) inspectTexts(owner, pairOf(node, key)?.value, value);
}

function memberOfValue(value: Value | undefined, key: string): Value | undefined {
  if (typeof value !== 'object' || Array.isArray(value)) return undefined;
  return (value as { readonly [key: string]: Value })[key];
}

function refuseMove(step: OperationStep): never {
  throw new Refusal(
    error(
      'PATCH_ORDER_DEPENDENT',
      'A move or copy inside strategicPatches reaches what is written here.',
      'Write its result as a strategic patch: a mapping under machine.',
      step.at(),
    ),
  );
}
