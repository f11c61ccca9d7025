/**
 * The function on a ResourceList. On an error the input items are echoed with results: an orchestrator that saw nothing,
 * or an empty list, would lose the reason or delete a package (facts: "Failure matrix").
 */
import { type Diagnostic, Refusal } from '../diagnostic.ts';
import { concludePlans, type DocumentPlan, NOTHING, planDocument, standing } from '../manifest/hydrate.ts';
import { type Intent, offlineIntent } from '../manifest/intent.ts';
import { type KubernetesObject, rootObject } from '../manifest/objects.ts';
import type { Config } from '../spec/config.ts';
import { type ConfigResult, NO_CONFIG, readConfig } from '../spec/config-source.ts';
import { applyEdits, type TextEdit } from '../yaml/text-edit.ts';
import { refuseCrossingAliases } from './crossing-aliases.ts';
import { fileOf, guardEdits, isPackageFile, isRendered, MAY_MATTER } from './package-file.ts';
import { type Outcome, type Ports, persistDiagnostics } from './ports.ts';
import { type Item, type ResourceList, readResourceList } from './resource-list.ts';
import { resultEdits } from './results.ts';

export async function runList(list: ResourceList, ports: Ports): Promise<Outcome> {
  try {
    const { configs, diagnostics } = functionConfig(list);
    return configs.length === 0
      ? committed(list, diagnostics)
      : await runConfigs(list, configs, diagnostics, ports);
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    return { ...committed(list, cause.diagnostics), status: 'refused' };
  }
}

function functionConfig(list: ResourceList): ConfigResult {
  return list.functionConfig === undefined ? NO_CONFIG : readConfig(list.functionConfig.text);
}

/** The manifest is judged before a cluster is asked: what is wrong in Git needs no credentials to be said. */
async function runConfigs(
  list: ResourceList,
  configs: readonly Config[],
  warnings: readonly Diagnostic[],
  ports: Ports,
): Promise<Outcome> {
  refuseCrossingAliases(list);
  const offline = configs.map(offlineIntent);
  const judged = planIntents(list, offline);
  const hydrating = configs.filter(({ mode }) => mode === 'Hydrate');
  const isSecret = offline.some(({ values }) => values === 'unknown');
  // Under `kpt fn render` the output always goes back to the package.
  if (hydrating.length === 0 || (isSecret && list.items.some(isUnderRender)))
    return committed(list, [...warnings, ...judged.diagnostics]);
  const rendering = {
    documents: () => list.items.filter((item) => !isDropped(item)).map(({ document }) => document),
  };
  const resolved = await Promise.all(hydrating.map((config) => ports.resolve(config, rendering)));
  const planned = planIntents(
    list,
    resolved.map(({ intent }) => intent),
  );
  const own = [...warnings, ...planned.diagnostics, ...resolved.flatMap(({ diagnostics }) => diagnostics)];
  return isSecret ? hydrated(planned, own, ports) : changed(planned, own);
}

/** Nothing of it was read from a cluster: it may go where it came from. */
function changed({ list, plans }: PlannedList, diagnostics: readonly Diagnostic[]): Outcome {
  const edits = plans.flatMap((plan) => plan.edits);
  return {
    output: applyEdits(list.text, [...edits, ...resultEdits(list, diagnostics)]),
    diagnostics,
    status: 'done',
    content: 'committed',
  };
}

function hydrated({ list, plans, holding }: PlannedList, own: readonly Diagnostic[], ports: Ports): Outcome {
  const diagnostics = [...own, ...persistDiagnostics(ports)];
  const firstKept = list.items.findIndex((item) => !isDropped(item));
  const edits = list.items.flatMap((item, i) => {
    if (isDropped(item)) return item.drop(firstKept);
    const guard = holding.has(i) && ports.persist === 'refuse' ? guardOf(item) : [];
    return [...(plans[i]?.edits ?? []), ...guard];
  });
  return {
    output: applyEdits(list.text, [...edits, ...resultEdits(list, diagnostics)]),
    diagnostics,
    status: 'done',
    content: 'hydrated',
  };
}

interface PlannedList {
  /** With all intents but the last applied. */
  readonly list: ResourceList;
  /** Of the last intent, one for each item. */
  readonly plans: readonly DocumentPlan[];
  /** Items with a holder for any of the intents. */
  readonly holding: ReadonlySet<number>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Intents one after the other. @throws Refusal of the first that can't be applied */
function planIntents(list: ResourceList, intents: readonly Intent[]): PlannedList {
  const holding = new Set<number>();
  const diagnostics: Diagnostic[] = [];
  let current = list;
  let plans: readonly DocumentPlan[] = [];
  for (const [i, intent] of intents.entries()) {
    if (i > 0) current = applied(current, plans);
    plans = planItems(current, intent, standing(intents, i));
    const found = concludePlans(plans, intent);
    const isLast = i === intents.length - 1;
    diagnostics.push(...found.filter(({ code }) => isLast || code !== 'PLACEHOLDER_LEFT'));
    for (const [item, plan] of plans.entries()) if (plan.holders > 0) holding.add(item);
  }
  return { list: current, plans, holding, diagnostics };
}

function applied(list: ResourceList, plans: readonly DocumentPlan[]): ResourceList {
  const edits = plans.flatMap((plan) => plan.edits);
  const next = readResourceList(applyEdits(list.text, edits));
  if (next === undefined) throw new Error('a ResourceList is none any more after an edit');
  return next;
}

function planItems(list: ResourceList, intent: Intent, before: readonly Intent[]): readonly DocumentPlan[] {
  return list.items.map((item) =>
    isDropped(item) ? NOTHING : withFiles(item, planDocument(item.document, intent, 'warning', before)),
  );
}

/** Lines of a ResourceList mean nothing to anyone; the file that an item came from does. */
function withFiles(item: Item, plan: DocumentPlan): DocumentPlan {
  if (plan.diagnostics.length === 0) return plan;
  const object = objectWhen(item, /./);
  const file = object === undefined ? {} : fileOf(object);
  if (file.file === undefined) return plan;
  return { ...plan, diagnostics: plan.diagnostics.map((diagnostic) => inFile(diagnostic, file)) };
}

function inFile(diagnostic: Diagnostic, file: ReturnType<typeof fileOf>): Diagnostic {
  const { line: _line, column: _column, ...at } = diagnostic.at ?? {};
  return { ...diagnostic, at: { ...at, ...file } };
}

/**
 * Package files are no holders: what isn't applied needs no trust, and a list that only they are left of must be refused,
 * since an orchestrator would delete a package whose items are all gone.
 */
function isDropped(item: Item): boolean {
  const object = objectWhen(item, MAY_MATTER);
  return object !== undefined && isPackageFile(object);
}

function isUnderRender(item: Item): boolean {
  const object = objectWhen(item, MAY_MATTER);
  return object !== undefined && isRendered(object);
}

function guardOf(item: Item): readonly TextEdit[] {
  const object = objectWhen(item, /./);
  return object === undefined ? [] : guardEdits(object);
}

/** What an item is (a `List` as a whole, for that has the path), if its text passes the test and is YAML. */
function objectWhen(item: Item, test: RegExp): KubernetesObject | undefined {
  if (!test.test(item.document.text)) return undefined;
  try {
    return rootObject(item.document.parse());
  } catch (cause) {
    if (cause instanceof Refusal) return undefined;
    throw cause;
  }
}

function committed(list: ResourceList, diagnostics: readonly Diagnostic[]): Outcome {
  return {
    output: applyEdits(list.text, resultEdits(list, diagnostics)),
    diagnostics,
    status: 'done',
    content: 'committed',
  };
}
