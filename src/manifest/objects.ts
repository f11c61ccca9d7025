/**
 * The Kubernetes objects of a document: the document itself, or the items of a `List`.
 */
import type { Location } from '../diagnostic.ts';
import {
  isMap,
  isSeq,
  keyOf,
  memberOf,
  startOf,
  textOf,
  type YAMLMap,
  type YamlDocument,
} from '../yaml/document.ts';

export interface KubernetesObject {
  readonly document: YamlDocument;
  readonly node: YAMLMap;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string | undefined;
  readonly namespace: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** JSON pointer of the object inside its document: empty, or `/items/3`. */
  readonly pointer: string;
  /** Worked out when asked for: counting lines costs more than all the rest. */
  at(): Location;
}

export function objectsOf(document: YamlDocument): readonly KubernetesObject[] {
  return isMap(document.root) ? objectsIn(document, document.root, '') : [];
}

/** The document as one object, be it a `List` or not: what orchestrators annotate. */
export function rootObject(document: YamlDocument): KubernetesObject | undefined {
  return isMap(document.root) ? describe(document, document.root, '') : undefined;
}

/** API group of an `apiVersion`; the core group is empty. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? '' : apiVersion.slice(0, slash);
}

export function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf('/') + 1);
}

/** Whether both may be one object of the API server: a namespace that one side lacks may come from kubectl's context. */
export function isSameObject(a: KubernetesObject, b: KubernetesObject): boolean {
  if (a.name === undefined || a.name !== b.name || a.kind !== b.kind) return false;
  if (groupOf(a.apiVersion) !== groupOf(b.apiVersion)) return false;
  return isSameNamespace(a.namespace, b.namespace);
}

/** The same for the namespaces alone. */
export function isSameNamespace(one: string | undefined, other: string | undefined): boolean {
  return one === other || one === undefined || other === undefined;
}

function objectsIn(document: YamlDocument, node: YAMLMap, pointer: string): readonly KubernetesObject[] {
  const object = describe(document, node, pointer);
  const items = memberOf(node, 'items');
  if (!object.kind.endsWith('List') || !isSeq(items)) return [object];
  return items.items.flatMap((item, i) =>
    isMap(item) ? objectsIn(document, item, `${pointer}/items/${i}`) : [],
  );
}

function describe(document: YamlDocument, node: YAMLMap, pointer: string): KubernetesObject {
  const metadata = memberOf(node, 'metadata');
  const metadataText = (key: string): string | undefined =>
    isMap(metadata) ? textOf(memberOf(metadata, key)) : undefined;
  const apiVersion = textOf(memberOf(node, 'apiVersion')) ?? '';
  const kind = textOf(memberOf(node, 'kind')) ?? '';
  const name = metadataText('name');
  const namespace = metadataText('namespace');
  return {
    document,
    node,
    apiVersion,
    kind,
    name,
    namespace,
    labels: textMap(metadata, 'labels'),
    annotations: textMap(metadata, 'annotations'),
    pointer,
    at: () => ({
      apiVersion,
      kind,
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...document.locate(startOf(node)),
    }),
  };
}

function textMap(metadata: unknown, key: string): Readonly<Record<string, string>> {
  const map = isMap(metadata) ? memberOf(metadata, key) : undefined;
  if (!isMap(map)) return {};
  const entries = map.items.map((pair) => [keyOf(pair), textOf(pair.value as never)] as const);
  return Object.fromEntries(
    entries.filter(
      (entry): entry is readonly [string, string] => entry[0] !== undefined && entry[1] !== undefined,
    ),
  );
}
