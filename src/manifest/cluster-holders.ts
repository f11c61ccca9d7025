/** Which of several clusters the holders of a manifest belong to, by the labels and references of Cluster API. */
import type { Targets } from '../spec/registry-trust.ts';
import { type ClusterName, clusterNameIn, isSameCluster, refersTo } from './cluster-name.ts';
import { holdersOf } from './holders.ts';
import type { KubernetesObject } from './objects.ts';
import { isTargeted } from './targets.ts';

/** The clusters of the holders that are targeted. A holder that no cluster refers to may belong to any. */
export function targetedClusters<Cluster extends ClusterName>(args: {
  readonly clusters: readonly Cluster[];
  readonly objects: readonly KubernetesObject[];
  readonly targets: Targets | undefined;
}): readonly Cluster[] {
  const { clusters, objects, targets } = args;
  const referring = objects.filter((object) => clusterNameIn(object) !== undefined);
  const owners = objects
    .filter((object) => isTargeted(object, targets) && holdersOf(object).length > 0)
    .map((holder) => ownersOf(holder, referring));
  return clusters.filter((cluster) =>
    owners.some((names) => names.length === 0 || names.some((name) => isSameCluster(name, cluster))),
  );
}

/** In a Cluster, in a Machine, and in what makes Machines. */
const REFERENCES: readonly (readonly string[])[] = [
  ['spec', 'controlPlaneRef'],
  ['spec', 'bootstrap', 'configRef'],
  ['spec', 'template', 'spec', 'bootstrap', 'configRef'],
];

function ownersOf(holder: KubernetesObject, referring: readonly KubernetesObject[]): readonly ClusterName[] {
  const isOwner = (object: KubernetesObject): boolean =>
    object === holder || REFERENCES.some((path) => refersTo(object, path, holder));
  return referring.filter(isOwner).map(nameOfCluster);
}

function nameOfCluster(object: KubernetesObject): ClusterName {
  const { namespace } = object;
  return { name: clusterNameIn(object) ?? '', ...(namespace === undefined ? {} : { namespace }) };
}
