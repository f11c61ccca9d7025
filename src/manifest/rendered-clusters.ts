/**
 * The clusters that a manifest is of, and where their API servers are going to be. Nothing is read before this is called,
 * and only documents whose text may name a cluster are parsed; what can't be read says nothing.
 */
import { Refusal } from '../diagnostic.ts';
import type { Targets } from '../spec/registry-trust.ts';
import { serverPlace } from '../trust/server-place.ts';
import { type LazyDocument, textOf } from '../yaml/document.ts';
import { targetedClusters } from './cluster-holders.ts';
import {
  CLUSTER_API,
  type ClusterName,
  clusterNameIn,
  isCluster,
  isName,
  isSameCluster,
  refersTo,
  valueAt,
} from './cluster-name.ts';
import { groupOf, type KubernetesObject, objectsOf } from './objects.ts';

export interface RenderedCluster extends ClusterName {
  /** Each controlPlaneEndpoint as `host:port`, in the spelling of `serverPlace`. */
  readonly endpoints: readonly string[];
}

/** What a run renders, for whoever has to know of which clusters it is. */
export interface Rendering {
  readonly documents: () => readonly LazyDocument[];
  /** What the cluster is called when no object names one. */
  readonly folder?: string;
  /** Words fit for a shell: the arguments of `render` and `check`, and the manifest's files. Absent when not known. */
  readonly pasteable?: { readonly arguments: string; readonly files: readonly string[] };
}

/** The clusters of the holders that `targets` selects; without targets of all holders. */
export function renderedClusters(
  { documents, folder }: Pick<Rendering, 'documents' | 'folder'>,
  targets: Targets | undefined,
): readonly RenderedCluster[] {
  const all = documents();
  const objects = all.filter(({ text }) => MAY_NAME_A_CLUSTER.test(text)).flatMap(objectsIn);
  const clusters = merged(objects.flatMap((object) => mentionsIn(object, objects)));
  if (clusters.length > 1) return targetedClusters({ clusters, objects: all.flatMap(objectsIn), targets });
  return clusters.length === 0 && isName(folder) ? [{ name: folder, endpoints: [] }] : clusters;
}

/** Escapes can spell a key, too. */
const MAY_NAME_A_CLUSTER = /Cluster|clusterName|cluster-name|\\[ux]/;

function objectsIn(document: LazyDocument): readonly KubernetesObject[] {
  try {
    return objectsOf(document.parse());
  } catch (cause) {
    if (cause instanceof Refusal) return [];
    throw cause;
  }
}

function mentionsIn(
  object: KubernetesObject,
  objects: readonly KubernetesObject[],
): readonly RenderedCluster[] {
  const group = groupOf(object.apiVersion);
  if (group !== CLUSTER_API && !group.endsWith(`.${CLUSTER_API}`)) return [];
  const endpoint = endpointIn(object);
  const isInfrastructure = group === INFRASTRUCTURE && endpoint !== undefined;
  const name = clusterNameIn(object) ?? (isInfrastructure ? infrastructureOf(object, objects) : undefined);
  if (!isName(name)) return [];
  const namespace = isName(object.namespace) ? { namespace: object.namespace } : {};
  return [{ name, ...namespace, endpoints: endpoint === undefined ? [] : [endpoint] }];
}

const INFRASTRUCTURE = `infrastructure.${CLUSTER_API}`;

/** By convention the infrastructure's object is named like its cluster. */
function infrastructureOf(
  object: KubernetesObject,
  objects: readonly KubernetesObject[],
): string | undefined {
  const cluster = objects.find(
    (one) => isCluster(one) && refersTo(one, ['spec', 'infrastructureRef'], object),
  );
  return (cluster ?? object).name;
}

/** What Cluster API takes when nothing is said. */
const API_SERVER_PORT = '6443';

/** `{host: "", port: 0}` is how it stands until a provider fills it. */
function endpointIn({ node }: KubernetesObject): string | undefined {
  const endpoint = valueAt(node, 'spec', 'controlPlaneEndpoint');
  const ports = [valueAt(endpoint, 'port'), valueAt(node, 'spec', 'clusterNetwork', 'apiServerPort')].map(
    textOf,
  );
  const port = ports.find((text) => /^[1-9][0-9]{0,4}$/.test(text ?? '')) ?? API_SERVER_PORT;
  return serverPlace(textOf(valueAt(endpoint, 'host')) ?? '', port);
}

/** One for each cluster; a namespace that one mention lacks is that of the other. */
function merged(mentions: readonly RenderedCluster[]): readonly RenderedCluster[] {
  const clusters: RenderedCluster[] = [];
  for (const mention of mentions) {
    const index = clusters.findIndex((one) => isSameCluster(one, mention));
    const same = clusters[index];
    if (same === undefined) clusters.push(mention);
    else
      clusters[index] = {
        ...mention,
        ...same,
        endpoints: [...new Set([...same.endpoints, ...mention.endpoints])],
      };
  }
  return clusters;
}
