/**
 * Leaves out of a patch what can't reach owned settings, so that it is not judged: parts that aren't modelled here, and
 * kinds of documents that a machinery may know or not.
 */
import { concernsOwned, pointerSegments } from '../owned-path.ts';
import { wordAt } from './documents.ts';
import { operationsOf, type PatchText } from './load-patch.ts';
import { isRawList, isRawMap, type Raw, type RawMap } from './raw.ts';
import { OWN_DOCUMENTS } from './schema.ts';

/** A patch, or the documents of a configuration, with as many documents as before. */
export function prunedPatch(roots: PatchText): PatchText {
  if (typeof roots === 'string') return roots;
  return roots.map((root, i) => {
    if (i === 0 && isRawList(root)) return relevantList(root);
    if (!isRawMap(root)) return root;
    return root.has('kind') ? prunedDocument(root) : prunedLegacy(root);
  });
}

function relevantList(list: readonly Raw[]): Raw {
  if (operationsOf(list) === undefined) return list;
  return list.filter((item) => {
    if (!isRawMap(item) || item.has('from')) return true;
    return concernsOwned(pointerSegments(wordAt(item, 'path')));
  });
}

/** A kind that isn't read here is replaced by one that every machinery knows, under a name that stays as unique. */
function prunedDocument(root: RawMap): Raw {
  const kind = wordAt(root, 'kind');
  if (Object.hasOwn(OWN_DOCUMENTS, kind)) return root;
  return new Map<string, Raw>([
    ['apiVersion', 'v1alpha1'],
    ['kind', 'VolumeConfig'],
    ['name', `${kind}/${wordAt(root, 'name')}`],
  ]);
}

/** What is kept of a section. Another capitalisation is kept, because Talos refuses it. */
const SECTIONS: Readonly<Record<string, RegExp>> = {
  machine: /^(?:network|registries|\$patch)$/i,
  cluster: /^(?:network|\$patch)$/i,
};

function prunedLegacy(root: RawMap): Raw {
  return new Map(
    [...root].map(([key, value]) => {
      const kept = Object.hasOwn(SECTIONS, key) ? SECTIONS[key] : undefined;
      if (kept === undefined || !isRawMap(value)) return [key, value];
      const inner = [...value].filter(([name]) => kept.test(name));
      return [key, new Map(inner)];
    }),
  );
}
