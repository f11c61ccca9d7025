/**
 * Plans one document, and judges the plan: the planned text is read again, and what Talos makes of each holder in it is
 * compared with what it made of it before. Where the first form doesn't have the wanted effect, another is tried.
 */
import { type Diagnostic, error, hasErrors, type Location, Refusal } from '../diagnostic.ts';
import type { Form } from '../machine-config/form.ts';
import { mayShareNodes, parseYaml, rangeOf, startOf, type YamlDocument } from '../yaml/document.ts';
import { applyEdits, lineStart, shiftEdits, type TextEdit } from '../yaml/text-edit.ts';
import { explain } from './explain.ts';
import { type Reading, readingsOf } from './holder-config.ts';
import { type Holder, holdersOf } from './holders.ts';
import type { Intent } from './intent.ts';
import { type KubernetesObject, objectsOf } from './objects.ts';
import { placeholdersLeft } from './placeholder.ts';
import { type HolderPlan, placeholderOf, planHolder, writesDocument } from './plan-holder.ts';
import { judge, type Verdict } from './postcondition.ts';
import { runtimeProblems } from './runtime-problems.ts';
import { readPatches } from './steps.ts';
import { isTargeted } from './targets.ts';

/**
 * What a placeholder that this intent doesn't replace means: an error where the output goes to the API server next, a
 * warning where another function may follow.
 */
export type Leftovers = 'error' | 'warning';

export interface PlannedDocument {
  /** In offsets of the document. */
  readonly edits: readonly TextEdit[];
  readonly diagnostics: readonly Diagnostic[];
  /** Holders that the intent is for. */
  readonly holders: number;
}

/** A holder that the intent is for. Its place among all holders of the document finds it again in the planned text. */
interface Entry {
  readonly holder: Holder;
  readonly place: number;
  readonly plan: HolderPlan;
}

/** Never throws a Refusal: what is wrong is in `diagnostics`. */
export function planParsed(
  document: YamlDocument,
  intent: Intent,
  leftovers: Leftovers,
  before: readonly Intent[] = [],
): PlannedDocument {
  const objects = objectsOf(document);
  const diagnostics: Diagnostic[] = [];
  const entries: Entry[] = [];
  const all: Holder[] = [];
  const standing: number[] = [];
  let holders = 0;
  for (const object of objects) {
    try {
      const found = holdersOf(object);
      const first = all.length;
      all.push(...found);
      standing.push(...found.flatMap((holder) => placeholdersOf(holder, before)));
      if (!isTargeted(object, intent.targets)) continue;
      holders += found.length;
      for (const [i, holder] of found.entries())
        entries.push({ holder, place: first + i, plan: planHolder(holder, intent) });
    } catch (cause) {
      diagnostics.push(...refusalDiagnostics(cause));
    }
  }
  const judged = hasErrors(diagnostics)
    ? { entries, diagnostics: [] }
    : judgeEntries(document, intent, entries);
  diagnostics.push(...judged.diagnostics);
  const handled = new Set([...standing, ...judged.entries.flatMap(({ plan }) => plan.placeholder ?? [])]);
  if (!hasErrors(diagnostics))
    diagnostics.push(
      ...placeholdersLeft(document, handled).map((offset) =>
        placeholderLeft(document, objects, all, offset, leftovers),
      ),
    );
  return { edits: judged.entries.flatMap(({ plan }) => plan.edits), diagnostics, holders };
}

/** Offsets of the placeholders in a holder that stand for intents. */
function placeholdersOf(holder: Holder, intents: readonly Intent[]): readonly number[] {
  return intents
    .filter(({ targets }) => isTargeted(holder.object, targets))
    .flatMap((intent) => placeholderOf(readPatches(holder), intent) ?? [])
    .map(({ item }) => startOf(item));
}

interface Judged {
  readonly entries: readonly Entry[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Two rounds: in the second, holders that didn't come out right are planned in the form that comes after all else. */
function judgeEntries(document: YamlDocument, intent: Intent, entries: readonly Entry[]): Judged {
  const first = judgementsOf(document, intent, entries);
  const retried = entries.map((entry, i) =>
    canRetry(entry, first[i]?.verdict) ? retry(entry, intent) : entry,
  );
  const isRetried = retried.some((entry, i) => entry !== entries[i]);
  const judgements = isRetried ? judgementsOf(document, intent, retried) : first;
  return {
    entries: retried,
    diagnostics: retried.flatMap(({ holder, plan }, i) => {
      const judgement = judgements[i];
      if (judgement === undefined) return [];
      const { verdict, before } = judgement;
      return verdict.kind === 'held'
        ? [...plan.diagnostics, ...runtimeProblems(holder, intent, before)]
        : [explain(plan.decided, verdict)];
    }),
  };
}

interface Judgement {
  readonly verdict: Verdict;
  readonly before: readonly Reading[];
}

/** What was judged for an intent, by the text of a holder before and after: pools are often the same but for their names. */
const JUDGEMENTS = new WeakMap<Intent, Map<string, Judgement>>();

function judgementsOf(
  document: YamlDocument,
  intent: Intent,
  entries: readonly Entry[],
): readonly Judgement[] {
  const known = JUDGEMENTS.get(intent) ?? new Map<string, Judgement>();
  JUDGEMENTS.set(intent, known);
  const keys = entries.map((entry) => textsOf(document, entry));
  const isNew = keys.some((key) => key === undefined || !known.has(key));
  const after = isNew ? plannedHolders(document, entries) : [];
  return entries.map((entry, i) => {
    const key = keys[i];
    const found = key === undefined ? undefined : known.get(key);
    if (found !== undefined) return found;
    const judgement = judgementOf(entry, after[entry.place], intent);
    if (key !== undefined) known.set(key, judgement);
    return judgement;
  });
}

/** A holder's lines before and after, which say all of it unless they may refer to others. */
function textsOf(document: YamlDocument, { holder, plan }: Entry): string | undefined {
  if (mayShareNodes(document)) return undefined;
  const [contentStart, , end] = rangeOf(holder.node);
  const start = lineStart(document.text, contentStart);
  const edits = plan.judged;
  if (edits.some((edit) => edit.start < start || edit.end > end)) return undefined;
  const before = document.text.slice(start, end);
  return JSON.stringify([before, applyEdits(before, shiftEdits(edits, -start))]);
}

function judgementOf({ holder, plan }: Entry, after: Holder | undefined, intent: Intent): Judgement {
  const before = readingsOf(holder, plan.decided.patches);
  const readings = after === undefined ? [] : readingsOf(after, readPatches(after));
  return { verdict: judge(before, readings, intent, excusedBy(plan)), before };
}

/** All holders of the text that the plans lead to, in order. */
function plannedHolders(document: YamlDocument, entries: readonly Entry[]): readonly Holder[] {
  const edits = entries.flatMap(({ plan }) => plan.judged);
  if (edits.length === 0) return objectsOf(document).flatMap(holdersOf);
  const text = applyEdits(document.text, edits);
  return objectsOf(parseYaml({ text, offset: 0, whole: text })).flatMap(holdersOf);
}

function excusedBy({ decided }: HolderPlan): (reading: Reading) => boolean {
  const usesDocuments = decided.decisions.some(writesDocument);
  const addsOperations = decided.decisions.some((one) => one.kind === 'add' && one.form === 'json6902');
  const isVariable = decided.holder.contract.kind === 'variable';
  return ({ machinery, contract }) =>
    (usesDocuments && (machinery === '1.9' || machinery === '1.12.0')) ||
    (addsOperations && isVariable && contract !== 'data' && contract.kind === 'unset');
}

/** What comes after all other patches isn't undone by them, so long as the author left the form open. */
const LAST_FORM: Form = 'strategic';

function canRetry({ plan }: Entry, verdict: Verdict | undefined): boolean {
  const { decisions, intent, placeholder } = plan.decided;
  return (
    verdict !== undefined &&
    (verdict.kind === 'broken' || verdict.kind === 'differs') &&
    intent.patchFormat === 'auto' &&
    placeholder === undefined &&
    decisions.some((one) => one.kind === 'fold' || (one.kind === 'add' && one.form === 'json6902'))
  );
}

function retry(entry: Entry, intent: Intent): Entry {
  try {
    return { ...entry, plan: planHolder(entry.holder, intent, LAST_FORM) };
  } catch (cause) {
    if (cause instanceof Refusal) return entry;
    throw cause;
  }
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

/** Refusals are results here; anything else is a bug and goes on its way. */
export function refusalDiagnostics(cause: unknown): readonly Diagnostic[] {
  if (cause instanceof Refusal) return cause.diagnostics;
  throw cause;
}
