/** Where a problem of a config is, as the author finds it. */
import type { Location } from '../diagnostic.ts';

/** Where a spec stands: location of its file, and pointer of the spec inside it. */
export interface SpecPlace {
  readonly at: Location;
  readonly pointer: string;
  /** `flat`: each field is one key of the mapping at `pointer`, with dots in it. */
  readonly keys: 'nested' | 'flat';
}

/**
 * The place of a field. Keys in `path` are of the schema, so they need no escaping in a pointer; what the author made up
 * (label keys, unknown keys) is never part of it, since it might be a pasted value.
 */
export function located({ at, pointer, keys }: SpecPlace, path: readonly string[]): Location {
  const segments = keys === 'nested' ? path : flatSegments(path);
  const whole = [pointer, ...segments].join('/');
  return whole === '' ? at : { ...at, pointer: whole };
}

/** A list is one text there, whatever its entries are. */
function flatSegments(path: readonly string[]): readonly string[] {
  const entry = path.findIndex((key) => /^\d+$/.test(key));
  return path.length === 0 ? [] : [path.slice(0, entry === -1 ? path.length : entry).join('.')];
}
