/**
 * Values as the API server gets them: kubectl reads YAML 1.1 with Go's number syntax and sends JSON. What it makes of each
 * word was taken from a real kubectl (the table in the test). Integers are exact, because two large ones that a double
 * can't tell apart are two values to a provider.
 */
import { error, Refusal } from '../diagnostic.ts';
import { ReplayFailure } from '../machine-config/replay/failure.ts';
import {
  isRawList,
  isRawMap,
  Plain,
  type Raw,
  type RawMap,
  rawOfNode,
} from '../machine-config/replay/raw.ts';
import { memberOf } from '../yaml/document.ts';
import type { KubernetesObject } from './objects.ts';

export type StoredMap = ReadonlyMap<string, Stored>;

export type Stored = null | boolean | string | bigint | number | readonly Stored[] | StoredMap;

export function isStoredMap(value: Stored | undefined): value is StoredMap {
  return value instanceof Map;
}

export function isStoredList(value: Stored | undefined): value is readonly Stored[] {
  return Array.isArray(value);
}

/**
 * The spec of an object, with aliases followed.
 * @throws Refusal YAML_INVALID
 */
export function storedSpec({ document, node, at }: KubernetesObject): Stored | undefined {
  const spec = memberOf(node, 'spec');
  if (spec === undefined) return undefined;
  try {
    return storedValue(rawOfNode(spec, document.root));
  } catch (cause) {
    // An alias of itself ends in a RangeError.
    if (!(cause instanceof ReplayFailure) && !(cause instanceof RangeError)) throw cause;
    throw new Refusal(
      error(
        'YAML_INVALID',
        'This object has an alias or a mapping key that kubectl would not read.',
        'Write it out in full.',
        at(),
      ),
    );
  }
}

function storedValue(raw: Raw): Stored {
  if (typeof raw === 'string') return raw;
  if (raw instanceof Plain) return kubectlWord(raw.text);
  if (isRawList(raw)) return raw.map(storedValue);
  return isRawMap(raw) ? storedMap(raw) : null;
}

/** The value at a path of keys, or `undefined`. A null is a value. */
export function storedAt(value: Stored | undefined, path: readonly string[]): Stored | undefined {
  let current = value;
  for (const key of path) current = isStoredMap(current) ? current.get(key) : undefined;
  return current;
}

/** Merge keys are followed in their place: what they bring replaces what stands before them. */
function storedMap(raw: RawMap): StoredMap {
  const map = new Map<string, Stored>();
  for (const [key, value] of raw) {
    const sources = key === '<<' ? (isRawList(value) ? [...value].reverse() : [value]) : [];
    if (sources.length > 0 && sources.every(isRawMap)) {
      for (const source of sources) for (const [name, child] of storedMap(source)) map.set(name, child);
    } else {
      map.set(key, storedValue(value));
    }
  }
  return map;
}

const TRUE = /^(?:[yY]|yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const FALSE = /^(?:[nN]|no|No|NO|false|False|FALSE|off|Off|OFF)$/;
const NULL = /^(?:~|null|Null|NULL|)$/;

const INTEGER = /^([-+]?)(0x[0-9a-f]+|0b[01]+|0o?[0-7]+|0|[1-9][0-9]*)$/i;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:e[-+]?[0-9]+)?$/i;

/** What kubectl makes of a word without quotes. */
export function kubectlWord(text: string): Exclude<Stored, readonly Stored[] | StoredMap> {
  if (NULL.test(text)) return null;
  if (TRUE.test(text)) return true;
  if (FALSE.test(text)) return false;
  const digits = /^[-+0-9]/.test(text) ? text.replaceAll('_', '') : text;
  const integer = INTEGER.exec(digits);
  if (integer !== null) {
    const magnitude = BigInt((integer[2] ?? '').replace(/^0(?=[0-7])/, '0o'));
    const value = integer[1] === '-' ? -magnitude : magnitude;
    if (BigInt.asIntN(64, value) === value) return value;
    if (integer[1] === '' && BigInt.asUintN(64, value) === value) return jsonNumber(Number(value));
  }
  const float = FLOAT.test(digits) ? Number(digits) : Number.NaN;
  return Number.isFinite(float) ? jsonNumber(float) : text;
}

/** JSON has one kind of number: `1.0` is sent as `1`. */
function jsonNumber(value: number): bigint | number {
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? BigInt(value) : value;
}
