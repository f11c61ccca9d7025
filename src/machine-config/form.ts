/**
 * How settings are written when nothing sets them yet. Values are what the YAML will hold; where they go in a manifest
 * is `src/manifest/`'s work.
 */
import type { Value } from '../yaml/value.ts';
import { type Contract, generatedDocuments } from './contract.ts';
import { LEAF_PATHS, OWNED_LEAVES, type OwnedLeaf, pointerTo } from './owned-path.ts';
import { combined, leafValue, nested, type Setting } from './setting.ts';

/**
 * `json6902`: operations in `configPatches`. `strategic`: legacy fields in a `strategicPatches` string. `documents`: the
 * documents of Talos ≥ 1.12 in such a string.
 */
export type Form = 'json6902' | 'strategic' | 'documents';

/**
 * The form for a holder in which nothing decides it yet. Below contract 1.12 existing clusters have JSON 6902
 * patches, and another form would roll their control planes; the legacy strategic form works on every contract.
 */
export function automaticForm(args: { readonly contract: Contract; readonly generateType: string }): Form {
  if (args.generateType === 'none') return 'strategic';
  return generatedDocuments(args.contract) === 'one' ? 'json6902' : 'strategic';
}

/** The JSON 6902 operations that set whole leaves which nothing set before. */
export function leafOperations(settings: readonly Setting[]): readonly Value[] {
  return leavesOf(settings).map(([leaf, of]) => ({ op: 'add', path: pointerTo(leaf), value: leafValue(of) }));
}

/** A strategic patch, as one legacy document. */
export function legacyDocument(settings: readonly Setting[]): Value {
  return leavesOf(settings)
    .map(([leaf, of]) => nested(LEAF_PATHS[leaf], leafValue(of)))
    .reduce(combined, {});
}

/** A strategic patch, as documents. Settings that have no document are left out: there are no such. */
export function ownDocuments(settings: readonly Setting[]): readonly Value[] {
  return settings.flatMap((setting) => {
    if (setting.kind === 'alias')
      return [{ ...meta('StaticHostConfig', setting.ip), hostnames: [setting.host] }];
    const { document } = setting;
    if (document === undefined) return [];
    return [combined(meta(document.kind, document.name), document.value)];
  });
}

function meta(kind: string, name: string): { readonly [key: string]: Value } {
  return { apiVersion: 'v1alpha1', kind, name };
}

function leavesOf(settings: readonly Setting[]): readonly (readonly [OwnedLeaf, readonly Setting[]])[] {
  return OWNED_LEAVES.map((leaf) => [leaf, settings.filter((one) => one.leaf === leaf)] as const).filter(
    ([, of]) => of.length > 0,
  );
}
