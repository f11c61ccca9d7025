/** The cluster of Cluster API that an object is, or says that it is of. */
import { isMap, memberOf, type Node, textOf } from '../yaml/document.ts';
import { groupOf, isSameNamespace, type KubernetesObject } from './objects.ts';

export interface ClusterName {
  readonly name: string;
  /** Absent when the manifest leaves it to kubectl. */
  readonly namespace?: string;
}

export const CLUSTER_API = 'cluster.x-k8s.io';
const CLUSTER_NAME_LABEL = `${CLUSTER_API}/cluster-name`;

/** What Kubernetes takes for a name; a variable that wasn't expanded names no cluster. */
const NAME = /^[a-z0-9](?:[-.a-z0-9]{0,251}[a-z0-9])?$/;

export function isName(text: string | undefined): text is string {
  return text !== undefined && NAME.test(text);
}

/** Other groups have a kind Cluster, too. */
export function isCluster(object: KubernetesObject): boolean {
  return object.kind === 'Cluster' && groupOf(object.apiVersion) === CLUSTER_API;
}

export function clusterNameIn(object: KubernetesObject): string | undefined {
  if (isCluster(object)) return object.name;
  return object.labels[CLUSTER_NAME_LABEL] ?? textOf(valueAt(object.node, 'spec', 'clusterName'));
}

export function isSameCluster(one: ClusterName, other: ClusterName): boolean {
  return one.name === other.name && isSameNamespace(one.namespace, other.namespace);
}

/** What stands at `path`; nothing where an alias or another kind of value is on the way. */
export function valueAt(from: Node | undefined, ...path: readonly string[]): Node | undefined {
  return path.reduce<Node | undefined>((node, key) => (isMap(node) ? memberOf(node, key) : undefined), from);
}

/** Whether a reference of Cluster API (`{kind, name}`) inside `object` means the other one. */
export function refersTo(
  object: KubernetesObject,
  path: readonly string[],
  other: KubernetesObject,
): boolean {
  const reference = valueAt(object.node, ...path);
  return (
    textOf(valueAt(reference, 'kind')) === other.kind &&
    textOf(valueAt(reference, 'name')) === other.name &&
    isSameNamespace(object.namespace, other.namespace)
  );
}
