/** Everything of a configuration that isn't owned, in a form that compares: a hydrated holder must leave it as it was. */
import { LEAF_PATHS } from '../owned-path.ts';
import { type ConfigDocument, wordAt } from './documents.ts';
import { isRawMap, jsonOfRaw, type Raw } from './raw.ts';
import { OWN_DOCUMENTS } from './schema.ts';

/** Empty sections are left out: a patch for a setting in them may create them. */
export function restOf(documents: readonly ConfigDocument[]): string {
  const others = documents
    .filter(({ kind }) => !Object.hasOwn(OWN_DOCUMENTS, kind))
    .map(({ kind, value }) =>
      kind === '' ? Object.values(LEAF_PATHS).reduce(withoutPath, value as Raw) : value,
    );
  return JSON.stringify(others.map((document) => sorted(document)));
}

/** The same for the documents of a patch, as the author wrote them; lists of operations are the caller's to sort out. */
export function restOfPatch(roots: readonly Raw[]): readonly unknown[] {
  return roots
    .filter((root) => isRawMap(root) && !Object.hasOwn(OWN_DOCUMENTS, wordAt(root, 'kind')))
    .map((root) => sorted(Object.values(LEAF_PATHS).reduce(withoutPath, root)))
    .filter((rest) => (rest as readonly unknown[]).length > 0);
}

function withoutPath(node: Raw, path: readonly string[]): Raw {
  const [key, ...rest] = path;
  if (key === undefined || !isRawMap(node)) return node;
  const child = node.get(key);
  if (child === undefined) return node;
  const copy = new Map(node);
  if (rest.length === 0) copy.delete(key);
  else copy.set(key, withoutPath(child, rest));
  return copy;
}

function sorted(raw: Raw): unknown {
  if (!isRawMap(raw)) return jsonOfRaw(raw);
  return [...raw]
    .map(([key, value]) => ({ key, isSection: isRawMap(value), content: sorted(value) }))
    .filter(({ isSection, content }) => !isSection || (content as readonly unknown[]).length > 0)
    .map(({ key, content }) => [key, content])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
}
