/**
 * One wanted entry of a machine configuration, independent of where a manifest holds it: what is written, under which
 * name it is recognised again, and how the same is said by a document of Talos ≥ 1.12.
 */
import type { Value } from '../yaml/value.ts';
import type { OwnedLeaf } from './owned-path.ts';

/** An entry that is found by its name: a registry's configuration, a mirror, a list of subnets. */
export interface NamedSetting {
  readonly kind: 'named';
  readonly leaf: Exclude<OwnedLeaf, 'hostEntries'>;
  /** Keys from the leaf to the entry; empty when the leaf is the entry. */
  readonly anchor: readonly string[];
  /** What the entry must hold; whatever else it holds stays. */
  readonly value: Value;
  readonly document?: SettingDocument;
}

/** One alias of `extraHostEntries`, found by the host wherever it stands. */
export interface AliasSetting {
  readonly kind: 'alias';
  readonly leaf: 'hostEntries';
  readonly host: string;
  readonly ip: string;
}

export type Setting = NamedSetting | AliasSetting;

/** The same entry as a document of its own. */
export interface SettingDocument {
  readonly kind: 'RegistryTLSConfig' | 'RegistryAuthConfig' | 'RegistryMirrorConfig';
  readonly name: string;
  readonly value: Value;
}

/** The value of a whole leaf that holds the settings and nothing else. */
export function leafValue(settings: readonly Setting[]): Value {
  const [first] = settings;
  if (first?.kind === 'alias')
    return settings.flatMap((one) => (one.kind === 'alias' ? [hostEntry(one)] : []));
  return settings.reduce<Value>(
    (whole, one) => (one.kind === 'named' ? combined(whole, nested(one.anchor, one.value)) : whole),
    {},
  );
}

/** One entry of `machine.network.extraHostEntries`. */
export function hostEntry({ ip, host }: AliasSetting): Value {
  return { ip, aliases: [host] };
}

/** `value` behind a path of keys. */
export function nested(path: readonly string[], value: Value): Value {
  return path.reduceRight<Value>((inner, key) => ({ [key]: inner }), value);
}

/** Two trees as one; where both say something, the second counts. */
export function combined(left: Value, right: Value): Value {
  if (!isTree(left) || !isTree(right)) return right;
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return Object.fromEntries(
    [...keys].map((key) => {
      const [a, b] = [left[key], right[key]];
      return [key, a === undefined || b === undefined ? (b ?? a ?? {}) : combined(a, b)];
    }),
  );
}

function isTree(value: Value): value is { readonly [key: string]: Value } {
  return typeof value === 'object' && !Array.isArray(value);
}
