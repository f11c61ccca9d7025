/**
 * The edits that carry out the decisions for a holder: into what is there, or as patches of our own where the
 * placeholder stands or behind the last entry.
 */
import { leafOperations, legacyDocument, ownDocuments } from '../machine-config/form.ts';
import { LEAF_PATHS } from '../machine-config/owned-path.ts';
import { combined, hostEntry, type Setting } from '../machine-config/setting.ts';
import { refuseEditsOfShared, startOf, type YAMLMap } from '../yaml/document.ts';
import { graft } from '../yaml/graft.ts';
import { layoutOf } from '../yaml/layout.ts';
import type { Target } from '../yaml/splice.ts';
import { shiftEdits, type TextEdit } from '../yaml/text-edit.ts';
import type { Value } from '../yaml/value.ts';
import { becomeEdits, removeEdits } from './alias-sites.ts';
import { type DecidedHolder, type Decision, listOf } from './decide.ts';
import { editEmbedded } from './embedded-text.ts';
import { PATCH_LISTS, type PatchList } from './holders.ts';
import { insecureSites } from './insecure.ts';
import { addEntries, type Entry, replacePlaceholder, targetOf } from './list-edits.ts';
import { inOperation } from './named-sites.ts';
import { listNode } from './patch-list.ts';
import { refuseShape } from './refusals.ts';
import type { OperationStep, Owner } from './steps.ts';

/** An edit in the text of a step's owner. */
interface OwnedEdits {
  readonly owner: Owner;
  readonly edits: readonly TextEdit[];
}

/** Edits in offsets of the holder's document. @throws Refusal PATCH_INVALID, YAML_ALIAS */
export function hydratedEdits(decided: DecidedHolder): readonly TextEdit[] {
  const target = targetOf(decided.holder);
  const inPlace = [
    ...decided.decisions.flatMap((decision) => aliasEdits(target, decision)),
    ...updatedEdits(target, decided.decisions),
    ...foldedEdits(target, decided.decisions),
    ...secureEdits(target, decided),
    ...decided.removed.map((site) => editsIn(target, site.step.owner, (of) => removeEdits(of, site))),
  ];
  return [...gathered(target, inPlace), ...PATCH_LISTS.flatMap((list) => listChanges(target, decided, list))];
}

function aliasEdits(target: Target, decision: Decision): readonly OwnedEdits[] {
  if (decision.kind !== 'become') return [];
  return [
    editsIn(target, decision.site.step.owner, (of) => becomeEdits(of, decision.site, decision.setting)),
  ];
}

/** Settings that go into the same mapping are grafted as one, because they may extend the same collection. */
function updatedEdits(target: Target, decisions: readonly Decision[]): readonly OwnedEdits[] {
  const byMap = new Map<YAMLMap, Extract<Decision, { readonly kind: 'update' }>>();
  for (const decision of decisions) {
    if (decision.kind !== 'update') continue;
    const { site } = decision;
    const earlier = byMap.get(site.map)?.site.wanted;
    const wanted = earlier === undefined ? site.wanted : combined(earlier, site.wanted);
    byMap.set(site.map, { ...decision, site: { ...site, wanted } });
  }
  return [...byMap.values()].map(({ site: { step, map, wanted }, setting }) =>
    graftIn(target, step.owner, map, wanted, setting),
  );
}

/** Settings that go into the same operation are grafted as one, because they may need the same parents. */
function foldedEdits(target: Target, decisions: readonly Decision[]): readonly OwnedEdits[] {
  const wanted = new Map<OperationStep, Value>();
  for (const decision of decisions) {
    if (decision.kind !== 'fold') continue;
    const { carrier, setting } = decision;
    const own = setting.kind === 'named' ? setting.value : [hostEntry(setting)];
    wanted.set(carrier, combined(wanted.get(carrier) ?? {}, inOperation(carrier, pathOf(setting), own)));
  }
  return [...wanted].map(([carrier, value]) => graftIn(target, carrier.owner, carrier.operation, value));
}

function secureEdits(target: Target, { intent, patches }: DecidedHolder): readonly OwnedEdits[] {
  if (intent.insecure !== 'remove') return [];
  return insecureSites(intent, patches.steps).map(({ step, map, wanted }) =>
    graftIn(target, step.owner, map, wanted),
  );
}

function graftIn(target: Target, owner: Owner, map: YAMLMap, wanted: Value, setting?: Setting): OwnedEdits {
  return editsIn(target, owner, (of) => {
    const rule = setting?.leaf === 'podSubnets' || setting?.leaf === 'serviceSubnets' ? 'replace' : 'keep';
    const edits = graft(of, map, wanted, rule);
    if (edits === undefined)
      refuseShape(
        owner.at(startOf(map)),
        'A value on the way to what is written',
        'of the shape that Talos reads',
      );
    return edits;
  });
}

/** Edits of a step, as edits of the text that its owner is. */
function editsIn(target: Target, owner: Owner, plan: (of: Target) => readonly TextEdit[]): OwnedEdits {
  const { document, scalar } = owner;
  if (scalar === undefined) return { owner, edits: plan(target) };
  const edits = plan({ text: document.text, layout: { ...layoutOf(document.text), lineEnd: '\n' } });
  refuseEditsOfShared(document, edits);
  return { owner, edits: shiftEdits(edits, document.offset) };
}

/** All edits inside one scalar become one edit of it. */
function gathered(target: Target, parts: readonly OwnedEdits[]): readonly TextEdit[] {
  const inner = new Map<NonNullable<Owner['scalar']>, readonly TextEdit[]>();
  for (const { owner, edits } of parts)
    if (owner.scalar !== undefined) inner.set(owner.scalar, [...(inner.get(owner.scalar) ?? []), ...edits]);
  return [
    ...parts.flatMap(({ owner, edits }) => (owner.scalar === undefined ? edits : [])),
    ...[...inner].flatMap(([scalar, edits]) => editEmbedded(target, scalar, edits)),
  ];
}

/** Patches of our own, where the placeholder stands or behind the last entry. */
function listChanges(target: Target, decided: DecidedHolder, list: PatchList): readonly TextEdit[] {
  const { holder, placeholder } = decided;
  const entries = newEntries(decided, list);
  if (placeholder?.list !== list) return addEntries(target, holder, list, entries);
  const node = listNode(holder, list);
  return node === undefined ? [] : replacePlaceholder(target, node, placeholder, entries);
}

function newEntries({ decisions }: DecidedHolder, list: PatchList): readonly Entry[] {
  const adding = decisions.filter((one) => one.kind === 'add' && listOf(one) === list);
  const settings = adding.map(({ setting }) => setting);
  if (settings.length === 0) return [];
  if (list === 'configPatches') return leafOperations(settings).map((value) => ({ style: 'value', value }));
  const isDocuments = adding.some((one) => one.kind === 'add' && one.form === 'documents');
  const documents = isDocuments ? ownDocuments(settings) : [legacyDocument(settings)];
  return [{ style: 'text', documents }];
}

function pathOf(setting: Setting): readonly string[] {
  return [...LEAF_PATHS[setting.leaf], ...(setting.kind === 'named' ? setting.anchor : [])];
}
