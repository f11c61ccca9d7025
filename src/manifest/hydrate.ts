/**
 * Hydrate: placeholders and existing patches in, patches with the wanted CA and alias out. Everything is planned before
 * anything is changed, so an input is either hydrated whole or refused with every reason at once.
 */
import { type Diagnostic, error, hasErrors, Refusal } from '../diagnostic.ts';
import { type LazyDocument, lazyDocument } from '../yaml/document.ts';
import { splitDocuments } from '../yaml/split-documents.ts';
import { applyEdits, shiftEdits } from '../yaml/text-edit.ts';
import { mayHold } from './holders.ts';
import type { Intent } from './intent.ts';
import { type Change, originalPlaces } from './original-place.ts';
import { mayHavePlaceholder } from './placeholder.ts';
import { type Leftovers, type PlannedDocument, planParsed, refusalDiagnostics } from './plan-document.ts';

export type { Leftovers };

/** In offsets of the whole input. */
export type DocumentPlan = PlannedDocument;

/** A text with YAML documents; `file` is its name in diagnostics. */
export interface Manifest {
  readonly text: string;
  readonly file?: string;
}

export interface Hydrated<Output> {
  readonly output: Output;
  readonly diagnostics: readonly Diagnostic[];
  /** Holders that the last intent is for. */
  readonly holders: number;
}

/** The plan of a document that isn't meant. */
export const NOTHING: DocumentPlan = { edits: [], diagnostics: [], holders: 0 };

/**
 * Applies intents, one after the other, to a stream of YAML documents.
 * @throws Refusal with all errors (and warnings) of the first intent that can't be applied
 */
export function hydrate(
  text: string,
  intents: readonly Intent[],
  leftovers: Leftovers = 'error',
): Hydrated<string> {
  const { output, ...rest } = hydrateAll([{ text }], intents, leftovers);
  return { ...rest, output: output[0] ?? text };
}

/** The same for several texts that belong together: a holder in one of them is enough. */
export function hydrateAll(
  manifests: readonly Manifest[],
  intents: readonly Intent[],
  leftovers: Leftovers = 'error',
): Hydrated<readonly string[]> {
  const diagnostics: Diagnostic[] = [];
  const changes: (readonly Change[])[] = manifests.map(() => []);
  let current = manifests;
  let holders = 0;
  for (const [i, intent] of intents.entries()) {
    const isLast = i === intents.length - 1;
    const plans = current.map((manifest, m) =>
      planAll(manifest, intent, isLast ? leftovers : 'warning', standing(intents, i)).map((plan) => ({
        ...plan,
        diagnostics: originalPlaces(plan.diagnostics, manifest.text, changes[m] ?? []),
      })),
    );
    const found = concludePlans(plans.flat(), intent);
    diagnostics.push(...(isLast ? found : found.filter((d) => d.code !== 'PLACEHOLDER_LEFT')));
    holders = plans.flat().reduce((sum, plan) => sum + plan.holders, 0);
    for (const [m, { text }] of current.entries())
      changes[m] = [...(changes[m] ?? []), { text, edits: (plans[m] ?? []).flatMap(({ edits }) => edits) }];
    current = current.map((manifest, m) => ({
      ...manifest,
      text: edited(manifest.text, plans[m] ?? []),
    }));
  }
  return { output: current.map(({ text }) => text), diagnostics, holders };
}

/** Intents before the one at `index` whose placeholders stay, since their values are unknown. */
export function standing(intents: readonly Intent[], index: number): readonly Intent[] {
  return intents.slice(0, index).filter(({ values }) => values === 'unknown');
}

/** A text without a final newline keeps having none, also when its last lines were taken out. */
function edited(text: string, plans: readonly DocumentPlan[]): string {
  const edits = plans.flatMap((plan) => plan.edits);
  const output = applyEdits(text, edits);
  return edits.length === 0 || text.endsWith('\n') ? output : output.replace(/\r?\n$/, '');
}

function planAll(
  manifest: Manifest,
  intent: Intent,
  leftovers: Leftovers,
  before: readonly Intent[],
): readonly DocumentPlan[] {
  return documentsOf(manifest).map((document) => planDocument(document, intent, leftovers, before));
}

/** The documents of a YAML stream, unparsed. */
export function documentsOf({ text: whole, ...file }: Manifest): readonly LazyDocument[] {
  return splitDocuments(whole).map(({ start, end }) =>
    lazyDocument({ text: whole.slice(start, end), offset: start, whole, ...file }),
  );
}

/**
 * Plans one document without throwing: what is wrong is in `diagnostics`. Documents without a holder aren't parsed.
 * Placeholders of the intents `before` are not left over.
 */
export function planDocument(
  document: LazyDocument,
  intent: Intent,
  leftovers: Leftovers,
  before: readonly Intent[] = [],
): DocumentPlan {
  if (!mayHold(document.text) && !mayHavePlaceholder(document.text)) return NOTHING;
  try {
    const parsed = document.parse();
    const plan = planParsed(parsed, intent, leftovers, before);
    return { ...plan, edits: shiftEdits(plan.edits, parsed.offset) };
  } catch (cause) {
    return { ...NOTHING, diagnostics: refusalDiagnostics(cause) };
  }
}

/**
 * Diagnostics of all plans of an input.
 * @throws Refusal when one is an error, or when no document has a holder (HOLDER_NOT_FOUND)
 */
export function concludePlans(plans: readonly DocumentPlan[], intent: Intent): readonly Diagnostic[] {
  const diagnostics = plans.flatMap((plan) => plan.diagnostics);
  const isEmpty = plans.every((plan) => plan.holders === 0);
  const all = isEmpty && !hasErrors(diagnostics) ? [...diagnostics, noHolder(intent)] : diagnostics;
  const [first, ...rest] = [...all].sort(
    (a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'),
  );
  if (first !== undefined && hasErrors(all)) throw new Refusal(first, ...rest);
  return all;
}

function noHolder(intent: Intent): Diagnostic {
  return error(
    'HOLDER_NOT_FOUND',
    intent.targets === undefined
      ? 'No TalosControlPlane, TalosConfigTemplate or TalosConfig with a place for patches was found.'
      : 'No holder of Talos patches matches targets.',
    intent.targets === undefined
      ? 'Check apiVersion and kind, and that the right files were passed.'
      : 'Check the kinds, names and labels under targets.',
  );
}
