/**
 * What Talos makes of a base configuration and two lists of patches, in the order of the bootstrap provider: all of
 * `configPatches` as one JSON 6902 patch, then each string of `strategicPatches`. Held to real Talos machinery by
 * test/vectors; where a vector and this disagree, this is wrong.
 */

import { type ConfigDocument, readDocuments, writeDocument } from './documents.ts';
import { eachIndexed, type FailureKind, ReplayFailure, type Stage } from './failure.ts';
import { applyOperations, type Operation } from './json6902.ts';
import { type Change, loadPatch, type Patch, type PatchText, parseText } from './load-patch.ts';
import { BEHAVIOUR, type Behaviour, type Machinery } from './machinery.ts';
import { merge } from './merge.ts';
import { isRawMap, type Raw } from './raw.ts';
import { applySelector } from './selectors.ts';

/** A configuration before patches: the documents that a provider generates, or the author's own (`data`). */
export interface Base {
  readonly origin: 'generated' | 'data';
  readonly documents: readonly Raw[];
}

export interface PatchLists {
  readonly configPatches: readonly Operation[];
  readonly strategicPatches: readonly PatchText[];
}

export type Outcome =
  | {
      readonly kind: 'failed';
      readonly stage: Stage;
      readonly failure: FailureKind;
      /** Which operation or text of the stage, counted from 0. */
      readonly index?: number;
    }
  | {
      readonly kind: 'done';
      /** The documents as the provider writes them; never read strictly when no strategic patch followed. */
      readonly written: readonly Raw[];
      /** The documents as the node reads them, or why it can't. */
      readonly loaded: readonly ConfigDocument[] | FailureKind;
    };

/** Either as it was last written, or as it was last read. */
type Config =
  | { readonly form: 'written'; readonly documents: readonly Raw[] }
  | { readonly form: 'read'; readonly documents: readonly (ConfigDocument | StrayDelete)[] };

/** A delete of a document that isn't there, which older machinery keeps in the document's stead. */
type StrayDelete = { readonly kind: '$patch'; readonly name: string };

/** Never throws for any base and patches. */
export function replay(machinery: Machinery, base: Base, lists: PatchLists): Outcome {
  const behaviour = BEHAVIOUR[machinery];
  let stage: Stage = 'data';
  try {
    let config: Config = { form: 'written', documents: base.documents };
    if (base.origin === 'data') config = rewritten(config, behaviour);
    stage = 'configPatches';
    if (lists.configPatches.length > 0) config = patched(config, lists.configPatches);
    stage = 'strategicPatches';
    const patches: Patch[] = [];
    eachIndexed(lists.strategicPatches, (text) => void patches.push(loadPatch(text, behaviour)));
    eachIndexed(patches, (patch) => {
      config = applied(config, patch, behaviour);
    });
    const written = writtenForm(config);
    return { kind: 'done', written, loaded: loadedForm(written, behaviour) };
  } catch (cause) {
    if (!(cause instanceof ReplayFailure)) throw cause;
    const { kind: failure, index } = cause;
    return { kind: 'failed', stage, failure, ...(index === undefined ? {} : { index }) };
  }
}

/** The documents of the author's own configuration. @throws ReplayFailure yaml, duplicate-key */
export function dataBase(text: string): Base {
  return { origin: 'data', documents: parseText(text) };
}

function applied(config: Config, patch: Patch, behaviour: Behaviour): Config {
  if (patch.kind === 'operations') return patched(config, patch.operations);
  const documents = patch.changes.reduce(
    (current, change) => changed(current, change, behaviour),
    readForm(config, behaviour),
  );
  return { form: 'read', documents };
}

function patched(config: Config, operations: readonly Operation[]): Config {
  const [only, ...others] = writtenForm(config);
  if (only === undefined || others.length > 0) throw new ReplayFailure('multi-document');
  return { form: 'written', documents: [applyOperations(only, operations)] };
}

function changed(
  documents: readonly (ConfigDocument | StrayDelete)[],
  change: Change,
  behaviour: Behaviour,
): readonly (ConfigDocument | StrayDelete)[] {
  const id = change.kind === 'merge' ? change.document : change.id;
  const at = documents.findIndex(({ kind, name }) => kind === id.kind && name === id.name);
  const current = documents[at];
  if (current === undefined || !('value' in current)) {
    if (change.kind === 'merge') return [...documents, change.document];
    return behaviour.missingDocument === 'skipped'
      ? documents
      : [...documents, { kind: '$patch', name: id.name }];
  }
  if (change.kind === 'delete' && change.selector.path.length === 0) {
    if (id.kind === '') throw new ReplayFailure('bad-selector');
    return documents.toSpliced(at, 1);
  }
  const value =
    change.kind === 'merge'
      ? merge(current.type, current.value, change.document.value)
      : applySelector(current.type, current.value, change.selector, behaviour);
  return documents.with(at, { ...current, value: isRawMap(value) ? value : new Map() });
}

function rewritten(config: Config, behaviour: Behaviour): Config {
  const documents = readForm(config, behaviour);
  if (documents.length === 0) throw new ReplayFailure('no-document');
  return { form: 'written', documents: writtenForm({ form: 'read', documents }) };
}

function readForm(config: Config, behaviour: Behaviour): readonly (ConfigDocument | StrayDelete)[] {
  return config.form === 'read' ? config.documents : readDocuments(config.documents, behaviour);
}

/** The legacy document first. */
function writtenForm(config: Config): readonly Raw[] {
  if (config.form === 'written') return config.documents;
  const legacyFirst = config.documents.toSorted((a, b) => Number(a.kind !== '') - Number(b.kind !== ''));
  return legacyFirst.map((document) => {
    if ('value' in document) return writeDocument(document);
    if (document.name !== '') throw new ReplayFailure('panic');
    return new Map();
  });
}

function loadedForm(written: readonly Raw[], behaviour: Behaviour): readonly ConfigDocument[] | FailureKind {
  try {
    return readDocuments(written, behaviour);
  } catch (cause) {
    if (!(cause instanceof ReplayFailure)) throw cause;
    return cause.kind;
  }
}
