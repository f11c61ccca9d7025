/**
 * The function on a plain stream of YAML documents (`kpt fn source -o unwrap | registry-trust | kubectl apply`). The
 * configs are the objects of our kinds in the stream; they and other package files are dropped from hydrated output.
 * Without one the stream passes byte for byte.
 */
import type { Diagnostic } from '../diagnostic.ts';
import { documentsOf, hydrate } from '../manifest/hydrate.ts';
import { offlineIntent } from '../manifest/intent.ts';
import { objectsOf, rootObject } from '../manifest/objects.ts';
import type { Config } from '../spec/config.ts';
import { OUR_GROUP, readConfig } from '../spec/config-source.ts';
import type { LazyDocument } from '../yaml/document.ts';
import { splitDocuments } from '../yaml/split-documents.ts';
import { applyEdits, type TextEdit } from '../yaml/text-edit.ts';
import { isPackageFile, MAY_MATTER } from './package-file.ts';
import { type Outcome, type Ports, persistDiagnostics } from './ports.ts';

/** @throws Refusal: a plain stream has no place for results, so a refused one gives no output */
export async function runStream(text: string, ports: Ports): Promise<Outcome> {
  const { configs, diagnostics } = configsIn(text);
  const hydrating = configs.filter(({ mode }) => mode === 'Hydrate');
  const offline = configs.map(offlineIntent);
  const judged = hydrate(text, offline, 'warning').diagnostics;
  if (hydrating.length === 0)
    return { output: text, diagnostics: [...diagnostics, ...judged], status: 'done', content: 'committed' };
  const rendering = { documents: () => documentsOf({ text }).filter((document) => !isDropped(document)) };
  const resolved = await Promise.all(hydrating.map((config) => ports.resolve(config, rendering)));
  const hydrated = hydrate(
    text,
    resolved.map(({ intent }) => intent),
    'warning',
  );
  const isSecret = offline.some(({ values }) => values === 'unknown');
  const all = [
    ...diagnostics,
    ...hydrated.diagnostics,
    ...resolved.flatMap((one) => one.diagnostics),
    ...(isSecret ? persistDiagnostics(ports) : []),
  ];
  return {
    output: withoutPackageFiles(hydrated.output),
    diagnostics: all,
    status: 'done',
    content: isSecret ? 'hydrated' : 'committed',
  };
}

function configsIn(text: string): {
  readonly configs: readonly Config[];
  readonly diagnostics: readonly Diagnostic[];
} {
  const configs: Config[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const document of documentsOf({ text })) {
    if (!document.text.includes(OUR_GROUP)) continue;
    if (!objectsOf(document.parse()).some((object) => object.apiVersion.startsWith(OUR_GROUP))) continue;
    const config = readConfig(document.text);
    configs.push(...config.configs);
    diagnostics.push(...config.diagnostics);
  }
  return { configs, diagnostics };
}

/** Cuts whole documents, each with the marker before it (the first: with the marker behind it). */
function withoutPackageFiles(text: string): string {
  const segments = splitDocuments(text);
  const documents = documentsOf({ text });
  const edits: TextEdit[] = [];
  for (const [i, segment] of segments.entries()) {
    const document = documents[i];
    if (document === undefined || !isDropped(document)) continue;
    const previousEnd = segments[i - 1]?.end ?? 0;
    edits.push({ start: previousEnd, end: segment.end, text: '' });
  }
  return applyEdits(text, edits);
}

function isDropped(document: LazyDocument): boolean {
  if (!MAY_MATTER.test(document.text) && !document.text.includes(OUR_GROUP)) return false;
  const object = rootObject(document.parse());
  return object !== undefined && (isPackageFile(object) || object.apiVersion.startsWith(OUR_GROUP));
}
