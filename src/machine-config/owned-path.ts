/**
 * The places of a machine configuration that are owned here, and how the path of a JSON 6902 operation relates to them.
 * Paths are read as Talos' patcher reads them, which is not what RFC 6901 says (test/vectors, `ptr-*`): text before the
 * first slash is ignored, `~0` and `~1` are decoded, percent signs are not.
 */

/** A place that patches set as a whole. */
export type OwnedLeaf = 'registries' | 'hostEntries' | 'podSubnets' | 'serviceSubnets';

export const LEAF_PATHS: Readonly<Record<OwnedLeaf, readonly string[]>> = {
  registries: ['machine', 'registries'],
  hostEntries: ['machine', 'network', 'extraHostEntries'],
  podSubnets: ['cluster', 'network', 'podSubnets'],
  serviceSubnets: ['cluster', 'network', 'serviceSubnets'],
};

export const OWNED_LEAVES = Object.keys(LEAF_PATHS) as readonly OwnedLeaf[];

/** How a path relates to another place. */
export type PathRelation =
  | 'same'
  /** Somewhere inside the place. */
  | 'inside'
  /** Its value carries or resets the place. */
  | 'ancestor'
  | 'unrelated';

/** Path segments of a pointer, decoded. `""` and a text without a slash are the whole document. */
export function pointerSegments(pointer: string): readonly string[] {
  return pointer.split('/').slice(1).map(decodeSegment);
}

export function decodeSegment(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The pointer of a leaf. */
export function pointerTo(leaf: OwnedLeaf): string {
  return `/${LEAF_PATHS[leaf].join('/')}`;
}

export function relatePaths(path: readonly string[], place: readonly string[]): PathRelation {
  const shared = Math.min(path.length, place.length);
  if (path.slice(0, shared).some((segment, i) => segment !== place[i])) return 'unrelated';
  if (path.length === place.length) return 'same';
  return path.length < place.length ? 'ancestor' : 'inside';
}

/** Whether an operation at this path can set, reset or test something that is owned. */
export function concernsOwned(path: readonly string[]): boolean {
  return OWNED_LEAVES.some((leaf) => relatePaths(path, LEAF_PATHS[leaf]) !== 'unrelated');
}
