/**
 * Reads a holder's `configPatches`: JSON 6902 operations, of which only those at an owned parent path can be merged
 * into (design, "Classification"). All others that reach what we own depend on order and are refused.
 */
import { error, type Location, Refusal } from '../diagnostic.ts';
import { type OwnedLeaf, pointerTo, relateToOwned } from '../machine-config/owned-path.ts';
import type { RegistryHost } from '../trust/registry-host.ts';
import { isMap, memberOf, type Node, refuseIndirection, textOf, type YAMLMap } from '../yaml/document.ts';
import { type Holder, locateIn } from './holders.ts';
import { hostEntriesMention, type Place, registriesMention } from './host-settings.ts';
import { type FoundPlaceholder, listItems } from './patch-list.ts';
import { placeholderHost } from './placeholder.ts';

/** The last operation that sets a whole leaf; earlier ones are void. */
export interface LeafOperation {
  readonly index: number;
  readonly operation: YAMLMap;
  readonly value: Node | undefined;
  readonly place: Place;
  /** Whether the value already has a setting for the host. */
  readonly mention: 'absent' | 'present';
}

export interface ConfigPatches {
  readonly placeholders: readonly FoundPlaceholder[];
  readonly leaves: Readonly<Partial<Record<OwnedLeaf, LeafOperation>>>;
  /** Operations that aren't placeholders. */
  readonly operations: number;
}

/** @throws Refusal PATCH_INVALID, PATCH_NESTED, PATCH_ORDER_DEPENDENT, PATCH_VARIABLE, PLACEHOLDER_INVALID, YAML_ALIAS … */
export function readConfigPatches(holder: Holder, host: RegistryHost): ConfigPatches {
  const placeholders: FoundPlaceholder[] = [];
  const leaves: Partial<Record<OwnedLeaf, LeafOperation>> = {};
  let operations = 0;
  for (const [index, item] of listItems(holder, 'configPatches').entries()) {
    const pointer = `${holder.pointer}/configPatches/${index}`;
    const at = (): Location => locateIn(holder.object, item, pointer);
    refuseIndirection(holder.object.document, item);
    const placeholder = placeholderHost(item, at);
    if (placeholder !== undefined) {
      placeholders.push({ index, item, host: placeholder, at });
      continue;
    }
    operations++;
    const { operation, leaf } = readOperation(item, at);
    if (leaf === undefined) continue;
    const place: Place = {
      document: holder.object.document,
      at: (offset) => ({ ...at(), ...holder.object.document.locate(offset), pointer: `${pointer}/value` }),
    };
    leaves[leaf] = { index, operation, place, ...readValue(operation, leaf, place, host) };
  }
  return { placeholders, leaves, operations };
}

function readValue(operation: YAMLMap, leaf: OwnedLeaf, place: Place, host: RegistryHost) {
  const value = memberOf(operation, 'value');
  refuseIndirection(place.document, value);
  const mention =
    leaf === 'registries' ? registriesMention(place, value, host) : hostEntriesMention(place, value, host);
  return { value, mention };
}

function readOperation(
  item: Node,
  at: () => Location,
): { readonly operation: YAMLMap; readonly leaf: OwnedLeaf | undefined } {
  if (!isMap(item)) refuseOperation('is not a mapping', 'Write op, path and value.', at);
  const op = textOf(memberOf(item, 'op'));
  const path = textOf(memberOf(item, 'path'));
  if (op === undefined || path === undefined)
    refuseOperation('lacks op or path', 'Write op, path and value.', at);
  if (op.includes('${') || path.includes('${')) {
    throw new Refusal(
      error(
        'PATCH_VARIABLE',
        'The op or path of a patch is a variable.',
        'Expand variables before this step.',
        at(),
      ),
    );
  }
  return { operation: item, leaf: ownedLeaf(op, path, at) };
}

/** The leaf that an operation sets whole, `undefined` for one that doesn't reach what we own. */
function ownedLeaf(op: string, path: string, at: () => Location): OwnedLeaf | undefined {
  const relation = relateToOwned(path);
  switch (relation.kind) {
    case 'unrelated':
      return undefined;
    case 'nested':
      throw new Refusal(
        error(
          'PATCH_NESTED',
          `This patch reaches inside ${pointerTo(relation.leaf)}; its result would depend on the order of patches.`,
          `Consolidate it at the parent path: one add of ${pointerTo(relation.leaf)} with everything in its value.`,
          at(),
        ),
      );
    case 'ancestor':
      throw new Refusal(
        error(
          'PATCH_ORDER_DEPENDENT',
          'This patch sets a parent of machine.registries or extraHostEntries and may reset them.',
          'Split it: one patch for each member that it sets, none for the parent.',
          at(),
        ),
      );
    case 'leaf':
      if (op === 'add' || op === 'replace') return relation.leaf;
      if (op === 'move' || op === 'copy')
        refuseOperation('is a move or copy, which never works here (from is pruned)', 'Use add.', at);
      throw new Refusal(
        error(
          'PATCH_ORDER_DEPENDENT',
          `A ${op === 'remove' || op === 'test' ? op : 'patch of unknown op'} at ${pointerTo(relation.leaf)} makes the result depend on order.`,
          'Remove it; set the wanted value with one add.',
          at(),
        ),
      );
  }
}

function refuseOperation(what: string, hint: string, at: () => Location): never {
  throw new Refusal(error('PATCH_INVALID', `An entry of configPatches ${what}.`, hint, at()));
}
