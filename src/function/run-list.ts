/**
 * The function on a ResourceList. On an error the input items are echoed with results: an orchestrator that saw nothing,
 * or an empty list, would lose the reason or delete a package (facts: "Failure matrix").
 */
import { type Diagnostic, Refusal } from '../diagnostic.ts';
import { concludePlans, type DocumentPlan, NOTHING, planDocument } from '../manifest/hydrate.ts';
import { intentOf, type TrustIntent } from '../manifest/intent.ts';
import { type KubernetesObject, objectsOf } from '../manifest/objects.ts';
import { type ConfigResult, readConfig } from '../spec/config-source.ts';
import type { RegistryTrust } from '../spec/registry-trust.ts';
import { applyEdits, type TextEdit } from '../yaml/text-edit.ts';
import { fileOf, guardEdits, isPackageFile, isRendered, MAY_MATTER } from './package-file.ts';
import { type Outcome, type Ports, persistDiagnostics } from './ports.ts';
import type { Item, ResourceList } from './resource-list.ts';
import { resultEdits } from './results.ts';

export async function runList(list: ResourceList, ports: Ports): Promise<Outcome> {
  try {
    const config = functionConfig(list);
    return config.kind === 'none'
      ? committed(list, config.diagnostics)
      : await runTrust(list, config.trust, ports);
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    return { ...committed(list, cause.diagnostics), status: 'refused' };
  }
}

function functionConfig(list: ResourceList): ConfigResult {
  return list.functionConfig === undefined
    ? { kind: 'none', diagnostics: [] }
    : readConfig(list.functionConfig.text);
}

/** The manifest is judged before a cluster is asked: what is wrong in Git needs no credentials to be said. */
async function runTrust(list: ResourceList, trust: RegistryTrust, ports: Ports): Promise<Outcome> {
  const judged = planItems(list, intentOf(trust, 'unknown'));
  if (trust.mode === 'Check' || list.items.some(isUnderRender)) return committed(list, judged.diagnostics);
  const resolved = await ports.resolve(trust);
  const { plans, diagnostics } = planItems(list, intentOf(trust, resolved.values));
  const all = [...diagnostics, ...resolved.diagnostics, ...persistDiagnostics(ports)];
  const edits = list.items.flatMap((item, i) => itemEdits(item, plans[i], ports));
  return {
    output: applyEdits(list.text, [...edits, ...resultEdits(list, all)]),
    diagnostics: all,
    status: 'done',
    content: 'hydrated',
  };
}

function planItems(list: ResourceList, intent: TrustIntent) {
  const plans = list.items.map((item) =>
    isDropped(item) ? NOTHING : withFiles(item, planDocument(item.document, intent, 'warning')),
  );
  return { plans, diagnostics: concludePlans(plans, intent) };
}

/** Lines of a ResourceList mean nothing to anyone; the file that an item came from does. */
function withFiles(item: Item, plan: DocumentPlan): DocumentPlan {
  if (plan.diagnostics.length === 0) return plan;
  const [object] = objectsWhen(item, /./);
  const file = object === undefined ? {} : fileOf(object);
  if (file.file === undefined) return plan;
  return { ...plan, diagnostics: plan.diagnostics.map((diagnostic) => inFile(diagnostic, file)) };
}

function inFile(diagnostic: Diagnostic, file: ReturnType<typeof fileOf>): Diagnostic {
  const { line: _line, column: _column, ...at } = diagnostic.at ?? {};
  return { ...diagnostic, at: { ...at, ...file } };
}

function itemEdits(item: Item, plan: DocumentPlan | undefined, ports: Ports): readonly TextEdit[] {
  if (isDropped(item)) return item.drop();
  if (plan === undefined || plan.holders === 0) return [];
  const guard = ports.persist === 'allow' ? [] : objectsWhen(item, /./).flatMap(guardEdits);
  return [...plan.edits, ...guard];
}

/**
 * Package files are no holders: what isn't applied needs no trust, and a list that only they are left of must be refused,
 * since an orchestrator would delete a package whose items are all gone.
 */
function isDropped(item: Item): boolean {
  return objectsWhen(item, MAY_MATTER).some(isPackageFile);
}

function isUnderRender(item: Item): boolean {
  return objectsWhen(item, MAY_MATTER).some(isRendered);
}

/** The objects of an item, parsed only when its text passes the test; none when it isn't YAML. */
function objectsWhen(item: Item, test: RegExp): readonly KubernetesObject[] {
  if (!test.test(item.document.text)) return [];
  try {
    return objectsOf(item.document.parse());
  } catch (cause) {
    if (cause instanceof Refusal) return [];
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
