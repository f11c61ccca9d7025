/**
 * What applying a manifest would do to objects that are there: replace control-plane machines, or be refused because a
 * template is immutable (facts: "From a committed manifest to a node's configuration"). Objects are compared as the API
 * server stores them; differences are told by pointer, never by value.
 */
import { type Diagnostic, error, warning } from '../diagnostic.ts';
import { type Json, jsonOfRaw, rawOfNode } from '../machine-config/replay/raw.ts';
import { descend } from '../yaml/document.ts';
import { asKubernetesReads } from './holder-config.ts';
import { documentsOf, type Manifest } from './hydrate.ts';
import { groupOf, type KubernetesObject, objectsOf } from './objects.ts';

interface Comparison {
  readonly group: string;
  /** Parts whose change matters. */
  readonly paths: readonly (readonly string[])[];
  judge(next: KubernetesObject, pointers: readonly string[]): Diagnostic;
}

const CONTROL_PLANE = 'controlplane.cluster.x-k8s.io';
const BOOTSTRAP = 'bootstrap.cluster.x-k8s.io';

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  TalosControlPlane: {
    group: CONTROL_PLANE,
    // `init` is used for the first machine only; scaling and its strategy replace nothing.
    paths: [
      ['spec', 'controlPlaneConfig', 'controlplane'],
      ['spec', 'version'],
      ['spec', 'infrastructureTemplate'],
    ],
    judge: rollout,
  },
  TalosControlPlaneTemplate: { group: CONTROL_PLANE, paths: [['spec']], judge: immutable },
  TalosConfigTemplate: { group: BOOTSTRAP, paths: [['spec']], judge: immutable },
  TalosConfig: { group: BOOTSTRAP, paths: [['spec']], judge: immutable },
  MachineDeployment: {
    group: 'cluster.x-k8s.io',
    paths: [['spec', 'template', 'spec', 'bootstrap', 'configRef']],
    judge: workerRollout,
  },
};

/**
 * Compares what would be applied with what is there (`kubectl get -o yaml`, or an earlier rendering). Objects that are
 * only on one side say nothing. Codes: ROLLOUT_REQUIRED, TEMPLATE_IMMUTABLE.
 * @throws Refusal YAML_INVALID, YAML_AMBIGUOUS
 */
export function rolloutDiagnostics(args: {
  readonly next: readonly Manifest[];
  readonly live: readonly Manifest[];
}): readonly Diagnostic[] {
  const live = comparedObjects(args.live);
  return comparedObjects(args.next).flatMap(({ object, comparison }) => {
    const twin = live.find((one) => isSame(one.object, object))?.object;
    if (twin === undefined) return [];
    const pointers = comparison.paths.flatMap((path) =>
      differences(partOf(twin, path), partOf(object, path), `/${path.join('/')}`),
    );
    return pointers.length === 0 ? [] : [comparison.judge(object, pointers)];
  });
}

function comparedObjects(
  manifests: readonly Manifest[],
): readonly { readonly object: KubernetesObject; readonly comparison: Comparison }[] {
  return manifests.flatMap((manifest) =>
    documentsOf(manifest).flatMap((document) =>
      objectsOf(document.parse()).flatMap((object) => {
        const comparison = Object.hasOwn(COMPARISONS, object.kind) ? COMPARISONS[object.kind] : undefined;
        return comparison?.group === groupOf(object.apiVersion) ? [{ object, comparison }] : [];
      }),
    ),
  );
}

/** The version of the API says nothing about the object; a namespace may come from kubectl's context. */
function isSame(a: KubernetesObject, b: KubernetesObject): boolean {
  const [one, other] = [a.at().namespace, b.at().namespace];
  const isNear = one === undefined || other === undefined || one === other;
  return a.kind === b.kind && groupOf(a.apiVersion) === groupOf(b.apiVersion) && a.name === b.name && isNear;
}

function partOf({ document, node }: KubernetesObject, path: readonly string[]): Json {
  const part = descend(document, node, path);
  return part === undefined ? null : stored(jsonOfRaw(asKubernetesReads(rawOfNode(part, document.root))));
}

/**
 * As the API server stores it: without nulls, and without the field `from` of patches, which the schema prunes. An empty
 * list stays, and counts: the provider compares deeply, and to it an empty list is another value than none.
 */
function stored(json: Json): Json {
  if (Array.isArray(json)) return (json as readonly Json[]).map(stored);
  if (typeof json !== 'object' || json === null) return json;
  const isPatch = 'op' in json && 'path' in json;
  return Object.fromEntries(
    Object.entries(json)
      .filter(([key, value]) => value !== null && !(isPatch && key === 'from'))
      .map(([key, value]) => [key, stored(value)]),
  );
}

/** Pointers at which two values differ. */
function differences(live: Json, next: Json, pointer: string): readonly string[] {
  if (Array.isArray(live) && Array.isArray(next)) {
    const length = Math.max(live.length, next.length);
    return Array.from({ length }, (_, i) => i).flatMap((i) =>
      differences((live[i] as Json) ?? null, (next[i] as Json) ?? null, `${pointer}/${i}`),
    );
  }
  if (isObject(live) && isObject(next)) {
    const keys = [...new Set([...Object.keys(live), ...Object.keys(next)])];
    return keys.flatMap((key) =>
      differences(live[key] ?? null, next[key] ?? null, `${pointer}/${escapeSegment(key)}`),
    );
  }
  return live === next ? [] : [pointer];
}

function isObject(json: Json): json is { readonly [key: string]: Json } {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

/** RFC 6901. */
function escapeSegment(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

const SHOWN = 5;

function shown(pointers: readonly string[]): string {
  const more = pointers.length > SHOWN ? ` and ${pointers.length - SHOWN} more` : '';
  return pointers.slice(0, SHOWN).join(', ') + more;
}

function rollout(next: KubernetesObject, pointers: readonly string[]): Diagnostic {
  return error(
    'ROLLOUT_REQUIRED',
    `Applying this would replace all control-plane machines: it differs from the live object at ${shown(pointers)}.`,
    'Bring the trust to running nodes without a rollout (registry-trust apply), or apply this when a rollout is wanted.',
    next.at(),
  );
}

function immutable(next: KubernetesObject, pointers: readonly string[]): Diagnostic {
  return error(
    'TEMPLATE_IMMUTABLE',
    `The API server will refuse this: the spec is immutable and differs from the live object at ${shown(pointers)}.`,
    `Give the object a new name (${next.name ?? 'name'}-2, or a hash of its content) and let spec.template.spec.bootstrap.configRef of its MachineDeployments name it; that replaces their machines.`,
    next.at(),
  );
}

function workerRollout(next: KubernetesObject, pointers: readonly string[]): Diagnostic {
  return warning(
    'ROLLOUT_REQUIRED',
    `Applying this would replace the machines of this MachineDeployment: it differs from the live object at ${shown(pointers)}.`,
    'That is how workers get a new template; nothing to do when it is wanted.',
    next.at(),
  );
}
