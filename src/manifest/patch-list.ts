/**
 * The two patch lists of a holder as lists of nodes, whatever their spelling: absent, null, empty, block or flow.
 */
import { error, type Location, Refusal } from '../diagnostic.ts';
import { isNull, isSeq, memberOf, type Node, refuseIndirection, type YAMLSeq } from '../yaml/document.ts';
import { type Holder, locateIn, type PatchList } from './holders.ts';
import type { PlaceholderKey } from './placeholder.ts';

export interface FoundPlaceholder {
  readonly index: number;
  readonly item: Node;
  readonly key: PlaceholderKey;
  /** The registry as the author spells it. */
  readonly name: string;
  at(): Location;
}

/** @throws Refusal HOLDER_INVALID, YAML_ALIAS */
export function listNode(holder: Holder, list: PatchList): YAMLSeq | undefined {
  const node = memberOf(holder.node, list);
  if (node === undefined || isNull(node)) return undefined;
  refuseIndirection(holder.object.document, node);
  if (isSeq(node)) return node;
  throw new Refusal(
    error(
      'HOLDER_INVALID',
      `${list} is not a list.`,
      'Write it as a list.',
      locateIn(holder.object, node, `${holder.pointer}/${list}`),
    ),
  );
}

/** @throws Refusal HOLDER_INVALID, YAML_ALIAS */
export function listItems(holder: Holder, list: PatchList): readonly Node[] {
  return (listNode(holder, list)?.items ?? []) as readonly Node[];
}
