/**
 * Placeholders: `{registryTrust: <host>}` where a patch belongs. The providers' CRDs refuse it in both lists (no `op`
 * and `path`; not a string), so a manifest that was not hydrated can't be applied unnoticed.
 */
import { error, type Location, Refusal } from '../diagnostic.ts';
import type { RegistryHost } from '../trust/registry-host.ts';
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

export const PLACEHOLDER_KEY = 'registryTrust';

/** What is written for a host that isn't hydrated. */
export function placeholderValue(host: RegistryHost): Value {
  return { [PLACEHOLDER_KEY]: host.key };
}

/**
 * The host text of a placeholder, or `undefined` when a list item is something else.
 * @throws Refusal PLACEHOLDER_INVALID
 */
export function placeholderHost(item: Node | undefined, at: () => Location): string | undefined {
  if (!isMap(item) || pairOf(item, PLACEHOLDER_KEY) === undefined) return undefined;
  const host = textOf(memberOf(item, PLACEHOLDER_KEY));
  if (host === undefined || host === '' || item.items.length !== 1) {
    throw new Refusal(
      error(
        'PLACEHOLDER_INVALID',
        'A placeholder is a mapping with the one key registryTrust, whose value is the host.',
        'Write it as {registryTrust: registry.example.internal}, without op, path or value.',
        at(),
      ),
    );
  }
  return host;
}

/** Offsets of the placeholders anywhere in a document, holders or not, that are not among those `handled`. */
export function placeholdersLeft(document: YamlDocument, handled: ReadonlySet<number>): readonly number[] {
  const mentions = document.text.split(PLACEHOLDER_KEY).length - 1;
  if (document.root === null || mentions === handled.size) return [];
  return [...allNodes(document.root)]
    .filter((node) => isMap(node) && isPlaceholder(node))
    .map(startOf)
    .filter((offset) => !handled.has(offset))
    .sort((a, b) => a - b);
}

function isPlaceholder(map: YAMLMap): boolean {
  return map.items.length === 1 && textOf(memberOf(map, PLACEHOLDER_KEY)) !== undefined;
}
