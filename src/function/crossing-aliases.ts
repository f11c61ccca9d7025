/**
 * YAML lets an alias in one item of a list repeat a node of another one. Items are read and edited each by itself, so an
 * edit of the node would change the other item too, and taking it out would break that. Invariant: what is edited, or
 * taken out, is repeated nowhere outside its own item.
 */
import { error, type Location, Refusal } from '../diagnostic.ts';
import { rootObject } from '../manifest/objects.ts';
import { allNodes, isAlias, type Node, startOf, type YamlDocument } from '../yaml/document.ts';
import type { ResourceList } from './resource-list.ts';

/** Cheap tests before parsing. Quoted texts may pass them, no anchor or alias fails them. */
const MAY_HAVE_ANCHOR = /(?<![^\s[{,:])&[^\s&]/;
const MAY_HAVE_ALIAS = /(?<![^\s[{,:])\*\S/;

/** @throws Refusal YAML_ALIAS when an alias stands in another part of the list than its anchor */
export function refuseCrossingAliases({ text, items, functionConfig, results }: ResourceList): void {
  if (!MAY_HAVE_ANCHOR.test(text)) return;
  const parts = [...items.map(({ document }) => document), ...(functionConfig ? [functionConfig] : [])];
  for (const part of parts) if (MAY_HAVE_ALIAS.test(part.text)) refuseCrossing(text, parsed(part.parse));
  if (results !== undefined) refuseCrossing(text, results.document);
}

function refuseCrossing(text: string, document: YamlDocument | undefined): void {
  if (!document?.root) return;
  const nodes = [...allNodes(document.root)];
  const firsts = new Map<string, number>();
  for (const node of nodes) {
    if (isAlias(node) || node.anchor === undefined) continue;
    firsts.set(node.anchor, Math.min(startOf(node), firsts.get(node.anchor) ?? Number.POSITIVE_INFINITY));
  }
  for (const node of nodes) {
    if (!isAlias(node)) continue;
    const isHere = (firsts.get(node.source) ?? Number.POSITIVE_INFINITY) < startOf(node);
    if (isHere || !text.includes(`&${node.source}`)) continue;
    throw new Refusal(
      error(
        'YAML_ALIAS',
        'An alias repeats something of another item of the list, so one edit would change both.',
        'Write it out in full in each item.',
        placeOf(document, node),
      ),
    );
  }
}

function placeOf(document: YamlDocument, node: Node): Location {
  return { ...rootObject(document)?.at(), ...document.locate(startOf(node)) };
}

/** What isn't YAML is refused where it matters, with a place of its own. */
function parsed(parse: () => YamlDocument): YamlDocument | undefined {
  try {
    return parse();
  } catch (cause) {
    if (cause instanceof Refusal) return undefined;
    throw cause;
  }
}
