/**
 * Placeholders: `{registryTrust: <host>}` or `{registryMirror: <registry>}` where a patch belongs. The providers' CRDs refuse it in both lists (no `op`
 * and `path`; not a string), so a manifest that was not hydrated can't be applied unnoticed.
 */
import { error, type Location, Refusal } from '../diagnostic.ts';
import {
  allNodes,
  isMap,
  memberOf,
  type Node,
  pairOf,
  startOf,
  textOf,
  type YAMLMap,
  type YamlDocument,
} from '../yaml/document.ts';
import type { Value } from '../yaml/value.ts';

export const PLACEHOLDER_KEYS = ['registryTrust', 'registryMirror'] as const;

export type PlaceholderKey = (typeof PLACEHOLDER_KEYS)[number];

/** What a placeholder stands for. */
export interface PlaceholderName {
  readonly key: PlaceholderKey;
  readonly name: string;
}

/** What is written for an intent that isn't hydrated. */
export function placeholderValue({ key, name }: PlaceholderName): Value {
  return { [key]: name };
}

/** Whether a text may have a placeholder: a cheap test. */
export function mayHavePlaceholder(text: string): boolean {
  return PLACEHOLDER_KEYS.some((key) => text.includes(key));
}

/**
 * What a placeholder stands for, or `undefined` when a list item is something else.
 * @throws Refusal PLACEHOLDER_INVALID
 */
export function readPlaceholder(item: Node | undefined, at: () => Location): PlaceholderName | undefined {
  const key = isMap(item) ? PLACEHOLDER_KEYS.find((one) => pairOf(item, one) !== undefined) : undefined;
  if (!isMap(item) || key === undefined) return undefined;
  const name = textOf(memberOf(item, key));
  if (name === undefined || name === '' || item.items.length !== 1) {
    throw new Refusal(
      error(
        'PLACEHOLDER_INVALID',
        `A placeholder is a mapping with the one key ${key}, whose value is the registry.`,
        `Write it as {${key}: registry.example.internal}, without op, path or value.`,
        at(),
      ),
    );
  }
  return { key, name };
}

/** Offsets of the placeholders anywhere in a document, holders or not, that are not among those `handled`. */
export function placeholdersLeft(document: YamlDocument, handled: ReadonlySet<number>): readonly number[] {
  const mentions = PLACEHOLDER_KEYS.reduce((sum, key) => sum + document.text.split(key).length - 1, 0);
  if (document.root === null || mentions === handled.size) return [];
  return [...allNodes(document.root)]
    .filter((node) => isMap(node) && isPlaceholder(node))
    .map(startOf)
    .filter((offset) => !handled.has(offset))
    .sort((a, b) => a - b);
}

function isPlaceholder(map: YAMLMap): boolean {
  return map.items.length === 1 && PLACEHOLDER_KEYS.some((key) => textOf(memberOf(map, key)) !== undefined);
}
