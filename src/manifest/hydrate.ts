/**
 * Hydrate: placeholders and existing patches in, patches with the wanted CA and alias out. Everything is planned before
 * anything is changed, so an input is either hydrated whole or refused with every reason at once.
 */
import { type Diagnostic, error, hasErrors, type Location, Refusal } from '../diagnostic.ts';
import { type LazyDocument, lazyDocument, rangeOf, type YamlDocument } from '../yaml/document.ts';
import { splitDocuments } from '../yaml/split-documents.ts';
import { applyEdits, shiftEdits, type TextEdit } from '../yaml/text-edit.ts';
import { type Holder, holdersOf, mayHold } from './holders.ts';
import type { TrustIntent } from './intent.ts';
import { type KubernetesObject, objectsOf } from './objects.ts';
import { PLACEHOLDER_KEY, placeholdersLeft } from './placeholder.ts';
import { planHolder } from './plan-holder.ts';
import { isTargeted } from './targets.ts';

/**
 * What a placeholder that this intent doesn't replace means: an error where the output goes to the API server next, a
 * warning where another function may follow.
 */
export type Leftovers = 'error' | 'warning';

export interface DocumentPlan {
  /** In offsets of the whole input. */
  readonly edits: readonly TextEdit[];
  readonly diagnostics: readonly Diagnostic[];
  /** Holders that the intent is for. */
  readonly holders: number;
}

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
  intents: readonly TrustIntent[],
  leftovers: Leftovers = 'error',
): Hydrated<string> {
  const { output, ...rest } = hydrateAll([{ text }], intents, leftovers);
  return { ...rest, output: output[0] ?? text };
}

/** The same for several texts that belong together: a holder in one of them is enough. */
export function hydrateAll(
  manifests: readonly Manifest[],
  intents: readonly TrustIntent[],
  leftovers: Leftovers = 'error',
): Hydrated<readonly string[]> {
  const diagnostics: Diagnostic[] = [];
  let current = manifests;
  let holders = 0;
  for (const [i, intent] of intents.entries()) {
    const isLast = i === intents.length - 1;
    const plans = current.map((manifest) => planAll(manifest, intent, isLast ? leftovers : 'warning'));
    const found = concludePlans(plans.flat(), intent);
    diagnostics.push(...(isLast ? found : found.filter((d) => d.code !== 'PLACEHOLDER_LEFT')));
    holders = plans.flat().reduce((sum, plan) => sum + plan.holders, 0);
    current = current.map((manifest, m) => ({
      ...manifest,
      text: edited(manifest.text, plans[m] ?? []),
    }));
  }
  return { output: current.map(({ text }) => text), diagnostics, holders };
}

/** A text without a final newline keeps having none, also when its last lines were taken out. */
function edited(text: string, plans: readonly DocumentPlan[]): string {
  const edits = plans.flatMap((plan) => plan.edits);
  const output = applyEdits(text, edits);
  return edits.length === 0 || text.endsWith('\n') ? output : output.replace(/\r?\n$/, '');
}

function planAll(manifest: Manifest, intent: TrustIntent, leftovers: Leftovers): readonly DocumentPlan[] {
  return documentsOf(manifest).map((document) => planDocument(document, intent, leftovers));
}

/** The documents of a YAML stream, unparsed. */
export function documentsOf({ text: whole, ...file }: Manifest): readonly LazyDocument[] {
  return splitDocuments(whole).map(({ start, end }) =>
    lazyDocument({ text: whole.slice(start, end), offset: start, whole, ...file }),
  );
}

/** Plans one document without throwing: what is wrong is in `diagnostics`. Documents without a holder aren't parsed. */
export function planDocument(
  document: LazyDocument,
  intent: TrustIntent,
  leftovers: Leftovers,
): DocumentPlan {
  if (!mayHold(document.text) && !document.text.includes(PLACEHOLDER_KEY)) return NOTHING;
  try {
    return planParsed(document.parse(), intent, leftovers);
  } catch (cause) {
    return { ...NOTHING, diagnostics: refusalDiagnostics(cause) };
  }
}

/**
 * Diagnostics of all plans of an input.
 * @throws Refusal when one is an error, or when no document has a holder (HOLDER_NOT_FOUND)
 */
export function concludePlans(plans: readonly DocumentPlan[], intent: TrustIntent): readonly Diagnostic[] {
  const diagnostics = plans.flatMap((plan) => plan.diagnostics);
  const isEmpty = plans.every((plan) => plan.holders === 0);
  const all = isEmpty && !hasErrors(diagnostics) ? [...diagnostics, noHolder(intent)] : diagnostics;
  const [first, ...rest] = [...all].sort(
    (a, b) => Number(b.severity === 'error') - Number(a.severity === 'error'),
  );
  if (first !== undefined && hasErrors(all)) throw new Refusal(first, ...rest);
  return all;
}

function planParsed(document: YamlDocument, intent: TrustIntent, leftovers: Leftovers): DocumentPlan {
  const objects = objectsOf(document);
  const diagnostics: Diagnostic[] = [];
  const edits: TextEdit[] = [];
  const all: Holder[] = [];
  const handled = new Set<number>();
  let holders = 0;
  for (const object of objects) {
    try {
      const found = holdersOf(object);
      all.push(...found);
      if (!isTargeted(object, intent.targets)) continue;
      for (const holder of found) {
        holders++;
        const plan = planHolder(holder, intent);
        edits.push(...plan.edits);
        diagnostics.push(...plan.diagnostics);
        if (plan.placeholder !== undefined) handled.add(plan.placeholder);
      }
    } catch (cause) {
      diagnostics.push(...refusalDiagnostics(cause));
    }
  }
  if (!hasErrors(diagnostics))
    diagnostics.push(
      ...placeholdersLeft(document, handled).map((offset) =>
        placeholderLeft(document, objects, all, offset, leftovers),
      ),
    );
  return { edits: shiftEdits(edits, document.offset), diagnostics, holders };
}

function placeholderLeft(
  document: YamlDocument,
  objects: readonly KubernetesObject[],
  holders: readonly Holder[],
  offset: number,
  leftovers: Leftovers,
): Diagnostic {
  const isInside = (node: Holder['node']): boolean =>
    rangeOf(node)[0] <= offset && offset <= rangeOf(node)[2];
  const object = objects.find((one) => isInside(one.node));
  const at: Location = { ...object?.at(), ...document.locate(offset) };
  if (!holders.some((holder) => isInside(holder.node))) {
    return error(
      'PLACEHOLDER_LEFT',
      'A placeholder stands outside every place where Talos patches live, so nothing replaces it.',
      'Move it into configPatches or strategicPatches of a TalosControlPlane, TalosConfigTemplate or TalosConfig.',
      at,
    );
  }
  return {
    code: 'PLACEHOLDER_LEFT',
    severity: leftovers,
    message:
      'A placeholder for another registry or an untargeted object is left; the API server will refuse it.',
    hint: 'Run registry-trust for that registry too, or widen targets.',
    at,
  };
}

function noHolder(intent: TrustIntent): Diagnostic {
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

/** Refusals are results here; anything else is a bug and goes on its way. */
function refusalDiagnostics(cause: unknown): readonly Diagnostic[] {
  if (cause instanceof Refusal) return cause.diagnostics;
  throw cause;
}
