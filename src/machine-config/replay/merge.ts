/**
 * Strategic merge as Talos does it: mappings merge by key, texts and bytes replace, booleans replace also with false,
 * and lists append without looking for duplicates (test/vectors, `sm-*`, `own-leg-twice`). Both sides are as `decode`
 * gives them.
 */
import { isNullWord, isRawList, isRawMap, type Raw, sameRaw } from './raw.ts';
import type { Type } from './schema.ts';

export function merge(type: Type, left: Raw | undefined, right: Raw | undefined): Raw | undefined {
  if (right === undefined) return left;
  if (left === undefined) return type.kind === 'list' ? merge(type, [], right) : right;
  switch (type.kind) {
    case 'string':
      return right === '' ? left : right;
    case 'bool':
    case 'base64':
    case 'url':
      return right;
    case 'list':
      return isRawList(left) && isRawList(right) ? mergeLists(type.merge, left, right) : right;
    case 'map':
      return isRawMap(left) && isRawMap(right) ? mergeMaps(type.of, left, right) : right;
    case 'struct':
      return isRawMap(left) && isRawMap(right) ? mergeStructs(type.fields, left, right) : right;
    case 'any':
      return mergeAny(left, right);
  }
}

function mergeLists(
  how: 'append' | 'replace' | 'byInterface',
  left: readonly Raw[],
  right: readonly Raw[],
): Raw {
  switch (how) {
    case 'append':
      return [...left, ...right];
    case 'replace':
      return right;
    case 'byInterface':
      return right.reduce<readonly Raw[]>(mergeDevice, left);
  }
}

/** A network interface merges with the one of the same name, or of the same selector. */
function mergeDevice(devices: readonly Raw[], device: Raw): readonly Raw[] {
  const key = ['interface', 'deviceSelector'].find((name) => isRawMap(device) && device.has(name));
  const same = devices.findIndex(
    (one) => key !== undefined && isRawMap(one) && isRawMap(device) && sameRaw(one.get(key), device.get(key)),
  );
  if (same === -1) return [...devices, device];
  return devices.map((one, i) => (i === same ? mergeAny(one, device) : one));
}

function mergeMaps(of: Type, left: ReadonlyMap<string, Raw>, right: ReadonlyMap<string, Raw>): Raw {
  const merged = new Map(left);
  for (const [key, value] of right) {
    const current = left.get(key);
    if (current === undefined || isNullWord(current)) merged.set(key, value);
    else if (!isNullWord(value)) merged.set(key, merge(of, current, value) ?? value);
  }
  return merged;
}

function mergeStructs(
  fields: Extract<Type, { readonly kind: 'struct' }>['fields'],
  left: ReadonlyMap<string, Raw>,
  right: ReadonlyMap<string, Raw>,
): Raw {
  const merged = new Map(left);
  for (const [key, value] of right) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    const result = field === undefined ? value : merge(field.type, left.get(key), value);
    if (result !== undefined) merged.set(key, result);
  }
  return merged;
}

/** The general rules for parts whose types aren't modelled. */
function mergeAny(left: Raw, right: Raw): Raw {
  if (isNullWord(right)) return left;
  if (isRawList(left) && isRawList(right)) return [...left, ...right];
  if (!isRawMap(left) || !isRawMap(right)) return right;
  const merged = new Map(left);
  for (const [key, value] of right) {
    const current = left.get(key);
    merged.set(key, current === undefined ? value : mergeAny(current, value));
  }
  return merged;
}
