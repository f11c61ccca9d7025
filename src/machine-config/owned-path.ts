/**
 * The two places of a machine configuration that registry trust owns, and how the path of a JSON 6902 operation
 * relates to them. Paths are read as Talos' patcher reads them, which is not what RFC 6901 says (test/vectors, `ptr-*`):
 * text before the first slash is ignored, `~0` and `~1` are decoded, percent signs are not.
 */

export const REGISTRIES = ['machine', 'registries'] as const;
export const HOST_ENTRIES = ['machine', 'network', 'extraHostEntries'] as const;

export type OwnedLeaf = 'registries' | 'hostEntries';

export const OWNED_LEAVES: readonly OwnedLeaf[] = ['registries', 'hostEntries'];

export type PathRelation =
  | { readonly kind: 'leaf'; readonly leaf: OwnedLeaf }
  /** Somewhere inside a leaf. */
  | { readonly kind: 'nested'; readonly leaf: OwnedLeaf }
  /** `""`, `/machine` or `/machine/network`: its value carries or resets a leaf. */
  | { readonly kind: 'ancestor' }
  | { readonly kind: 'unrelated' };

const LEAVES: readonly (readonly [OwnedLeaf, readonly string[]])[] = [
  ['registries', REGISTRIES],
  ['hostEntries', HOST_ENTRIES],
];

/** Path segments of a pointer, decoded. `""` and a text without a slash are the whole document. */
export function pointerSegments(pointer: string): readonly string[] {
  return pointer.split('/').slice(1).map(decodeSegment);
}

export function decodeSegment(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The pointer of a leaf. */
export function pointerTo(leaf: OwnedLeaf): string {
  return `/${(leaf === 'registries' ? REGISTRIES : HOST_ENTRIES).join('/')}`;
}

export function relateToOwned(pointer: string): PathRelation {
  const segments = pointerSegments(pointer);
  for (const [leaf, path] of LEAVES) {
    const shared = Math.min(segments.length, path.length);
    if (path.slice(0, shared).some((segment, i) => segment !== segments[i])) continue;
    if (segments.length < path.length) return { kind: 'ancestor' };
    return segments.length === path.length ? { kind: 'leaf', leaf } : { kind: 'nested', leaf };
  }
  return { kind: 'unrelated' };
}
