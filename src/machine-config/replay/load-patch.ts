/**
 * A string of `strategicPatches` as Talos loads it: documents of a strategic patch or, when they can't be read as such,
 * a JSON 6902 list (test/vectors, `txt-*`). An empty text is an empty list.
 */
import { Refusal } from '../../diagnostic.ts';
import { parseYaml } from '../../yaml/document.ts';
import { splitDocuments } from '../../yaml/split-documents.ts';
import { type ConfigDocument, type DocumentId, readDocuments, spellingAt, wordAt } from './documents.ts';
import { type FailureKind, ReplayFailure } from './failure.ts';
import type { Operation } from './json6902.ts';
import type { Behaviour } from './machinery.ts';
import { isNullWord, isRawList, isRawMap, NULL, Plain, type Raw, type RawMap, rawOfNode } from './raw.ts';
import { type Selector, takeSelectors } from './selectors.ts';

/** One change of a strategic patch, to the document of the same kind and name. */
export type Change =
  | { readonly kind: 'merge'; readonly document: ConfigDocument }
  | { readonly kind: 'delete'; readonly id: DocumentId; readonly selector: Selector };

export type Patch =
  | { readonly kind: 'operations'; readonly operations: readonly Operation[] }
  | { readonly kind: 'strategic'; readonly changes: readonly Change[] };

/** The documents of a text, or why it has none: parsed once, loaded by each machinery in its own way. */
export type PatchText = readonly Raw[] | FailureKind;

/** Never throws. */
export function patchText(text: string): PatchText {
  try {
    return parseText(text);
  } catch (cause) {
    if (cause instanceof ReplayFailure) return cause.kind;
    throw cause;
  }
}

/** @throws ReplayFailure with any kind of a text, of documents, of selectors */
export function loadPatch(roots: PatchText, behaviour: Behaviour): Patch {
  if (typeof roots === 'string') throw new ReplayFailure(roots);
  try {
    return { kind: 'strategic', changes: strategicChanges(roots, behaviour) };
  } catch (cause) {
    const operations = operationsOf(roots[0]);
    if (!(cause instanceof ReplayFailure) || operations === undefined) throw cause;
    return { kind: 'operations', operations };
  }
}

/** The documents of a text, null ones among them. @throws ReplayFailure yaml, duplicate-key */
export function parseText(text: string): readonly Raw[] {
  const whole = text
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n')
    .replaceAll('\r', '\n');
  try {
    return splitDocuments(whole).flatMap(({ start, end }, i) => {
      const segment = whole.slice(start, end);
      const { root } = parseYaml({ text: segment, offset: 0, whole: segment });
      if (root === null && /^ *\t/m.test(segment)) throw new ReplayFailure('yaml');
      // Blanks and comments before the first marker are no document; behind a marker they are an empty one.
      const isUnmarked = i === 0 && !/^---/m.test(segment);
      return root === null && isUnmarked ? [] : [rawOfNode(root)];
    });
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    const isDuplicate = cause.diagnostics.some(({ code }) => code === 'YAML_AMBIGUOUS');
    throw new ReplayFailure(isDuplicate ? 'duplicate-key' : 'yaml');
  }
}

function strategicChanges(roots: readonly Raw[], behaviour: Behaviour): readonly Change[] {
  const deletes: Change[] = [];
  const rest: Raw[] = [];
  for (const root of roots) {
    if (isNullWord(root) && behaviour.emptyDocument === 'skipped') continue;
    if (!isRawMap(root)) throw new ReplayFailure('not-a-document');
    const taken = takeSelectors(root);
    const id = { kind: spellingAt(root, 'kind'), name: spellingAt(root, 'name') };
    if (taken.selectors.length > 0) refuseNameless(taken.selectors, id.kind, spellingAt(root, 'apiVersion'));
    deletes.push(...taken.selectors.map((selector): Change => ({ kind: 'delete', id, selector })));
    if (taken.rest !== undefined) rest.push(taken.rest);
  }
  const documents = readDocuments(rest, behaviour, behaviour.duplicateDocument);
  if (deletes.length === 0 && documents.length === 0) throw new ReplayFailure('no-document');
  return inOrder(deletes, documents, roots);
}

/** A delete of a whole document says which; one inside it names both kind and version, or neither: the legacy document. */
function refuseNameless(selectors: readonly Selector[], kind: string, version: string): void {
  const isWhole = selectors.some(({ path }) => path.length === 0);
  if (isWhole && version === '') throw new ReplayFailure('missing-version');
  if (isWhole && kind === '') throw new ReplayFailure('missing-kind');
  if ((kind === '') !== (version === '')) throw new ReplayFailure('bad-selector');
}

/** Deletes in the legacy document come first, then merges into it; the others keep the order of the text. */
function inOrder(
  deletes: readonly Change[],
  documents: readonly ConfigDocument[],
  roots: readonly Raw[],
): readonly Change[] {
  const place = ({ kind, name }: DocumentId): number =>
    roots.findIndex(
      (root) => isRawMap(root) && wordAt(root, 'kind') === kind && wordAt(root, 'name') === name,
    );
  const rank = (change: Change): number => {
    const id = change.kind === 'merge' ? change.document : change.id;
    if (id.kind !== '') return place(id) + 1;
    return change.kind === 'delete' ? -1 : 0;
  };
  const merges = documents.map((document): Change => ({ kind: 'merge', document }));
  return [...deletes, ...merges].sort((a, b) => rank(a) - rank(b));
}

/** The operations of a list of mappings; an empty text is an empty list. */
export function operationsOf(root: Raw | undefined): readonly Operation[] | undefined {
  if (root === undefined || isNullWord(root)) return [];
  if (!isRawList(root) || !root.every(isRawMap)) return undefined;
  return root.map(operationOf);
}

function operationOf(map: RawMap): Operation {
  const word = (key: string): string | undefined => {
    const value = map.get(key);
    return value instanceof Plain ? value.text : typeof value === 'string' ? value : undefined;
  };
  const from = word('from');
  return {
    op: word('op') ?? '',
    path: word('path') ?? '',
    ...(from === undefined ? {} : { from }),
    value: map.get('value') ?? NULL,
  };
}
