/**
 * Where two stored values differ once a provider has read them into its Go types, which is what it compares: an empty
 * text, an absent one and null are the same field there, so is a mapping without set members, and the schema prunes what
 * it does not know. The value of a JSON 6902 patch is kept as JSON, where each of these is something else.
 *
 * Told by JSON pointer, never by value; a key that isn't a name is masked in it.
 */
import { isStoredList, isStoredMap, type Stored, type StoredMap } from './stored-value.ts';

/** `text`: a string field. `json`: kept as it is, but for a null that stands for none. `pruned`: never stored. */
export type Schema =
  | 'text'
  | 'json'
  | 'pruned'
  | { readonly items: Schema }
  | { readonly members: Readonly<Record<string, Schema>> };

/**
 * Whether an empty list differs from none. `always`: Go tells them apart. `when-new`: only where the live object has
 * none. `never`: both went through Go types that leave empty lists out.
 */
export type EmptyLists = 'always' | 'when-new' | 'never';

export interface Compared {
  readonly live: Stored | undefined;
  readonly next: Stored | undefined;
}

/** The fields of TalosConfigSpec, the same in all CRDs so far. */
export const TALOS_CONFIG: Schema = {
  members: {
    talosVersion: 'text',
    generateType: 'text',
    data: 'text',
    configPatches: { items: { members: { op: 'text', path: 'text', value: 'json', from: 'pruned' } } },
    strategicPatches: { items: 'text' },
    hostname: { members: { source: 'text' } },
  },
};

/** JSON pointers of all places that differ, below `pointer`. */
export function storedDifferences(
  { live, next }: Compared,
  schema: Schema,
  emptyLists: EmptyLists,
  pointer: string,
): readonly string[] {
  const within = (key: string | number, compared: Compared, inner: Schema): readonly string[] =>
    storedDifferences(compared, inner, emptyLists, `${pointer}/${segment(String(key))}`);
  const [one, other] = [live ?? undefined, next ?? undefined];
  if (schema === 'pruned') return [];
  if (schema === 'json') return jsonDifferences({ live: one, next: other }, pointer);
  if (schema === 'text') return jsonDifferences({ live: one ?? '', next: other ?? '' }, pointer);
  if ('items' in schema) {
    if (!isStoredList(one) || !isStoredList(other)) {
      const sides = {
        live: emptyLists === 'always' ? one : withoutEmpty(one),
        next: emptyLists === 'never' ? withoutEmpty(other) : other,
      };
      return jsonDifferences(sides, pointer);
    }
    return indices(one, other).flatMap((i) =>
      i < one.length && i < other.length
        ? within(i, { live: one[i], next: other[i] }, schema.items)
        : [`${pointer}/${i}`],
    );
  }
  const [before, after] = [one ?? NONE, other ?? NONE];
  if (!isStoredMap(before) || !isStoredMap(after))
    return jsonDifferences({ live: before, next: after }, pointer);
  return keysOf(before, after).flatMap((key) => {
    const member = Object.hasOwn(schema.members, key) ? schema.members[key] : undefined;
    // A field that we don't know and the live object lacks was pruned; one that it has is in the server's schema.
    if (member === undefined && !before.has(key)) return [];
    return within(key, { live: before.get(key), next: after.get(key) }, member ?? 'json');
  });
}

/**
 * The same for what `next` gives: what it leaves out, or sets to null, is the server's or another's. Values are compared
 * as they are.
 */
export function givenDifferences({ live, next }: Compared, pointer: string): readonly string[] {
  if ((next ?? null) === null) return [];
  if (!isStoredMap(live) || !isStoredMap(next)) return jsonDifferences({ live, next }, pointer);
  return [...next.keys()].flatMap((key) =>
    givenDifferences({ live: live.get(key), next: next.get(key) }, `${pointer}/${segment(key)}`),
  );
}

const NONE: StoredMap = new Map();

function withoutEmpty(value: Stored | undefined): Stored | undefined {
  return isStoredList(value) && value.length === 0 ? undefined : value;
}

function jsonDifferences({ live, next }: Compared, pointer: string): readonly string[] {
  const within = (key: string | number, compared: Compared): readonly string[] =>
    jsonDifferences(compared, `${pointer}/${segment(String(key))}`);
  if (isStoredList(live) && isStoredList(next))
    return indices(live, next).flatMap((i) => within(i, { live: live[i], next: next[i] }));
  if (!isStoredMap(live) || !isStoredMap(next)) return live === next ? [] : [pointer];
  return keysOf(live, next).flatMap((key) => within(key, { live: live.get(key), next: next.get(key) }));
}

function indices(live: readonly Stored[], next: readonly Stored[]): readonly number[] {
  return Array.from({ length: Math.max(live.length, next.length) }, (_, i) => i);
}

function keysOf(live: StoredMap, next: StoredMap): readonly string[] {
  return [...new Set([...live.keys(), ...next.keys()])];
}

/** What can't be credentials in a URL, a token in base64, or a text. */
const NAME = /^(?![A-Za-z0-9+/]{40,}={0,2}$)[\w.:*%+~,/()[\] -]{1,253}$/;

/** RFC 6901, but for what keys of foreign objects may hold. */
function segment(key: string): string {
  return NAME.test(key) || key === '' ? key.replaceAll('~', '~0').replaceAll('/', '~1') : '(masked)';
}
