/**
 * What orchestrators say about an item by annotations, and the persist guard that uses it.
 *
 * The guard: kpt's writer refuses a path with `..` before it writes or deletes anything, while `-o unwrap`, stdout and
 * kustomize strip the annotation and work (facts: "Never persisting"). So a hydrated item gets such a path, and no
 * orchestrator can write a CA or an address into a package by accident.
 */
import type { KubernetesObject } from '../manifest/objects.ts';
import { groupOf } from '../manifest/objects.ts';
import { isMap, memberOf } from '../yaml/document.ts';
import { layoutOf } from '../yaml/layout.ts';
import { replaceScalar } from '../yaml/splice.ts';
import { shiftEdits, type TextEdit } from '../yaml/text-edit.ts';

const PATH = ['config.kubernetes.io/path', 'internal.config.kubernetes.io/path'];
const INDEX = ['config.kubernetes.io/index', 'internal.config.kubernetes.io/index'];
const PACKAGE_PATH = 'internal.config.kubernetes.io/package-path';
const LOCAL_CONFIG = 'config.kubernetes.io/local-config';

const GUARD = 'SECRETS-HYDRATED..not-written-to-disk--use--o-unwrap';

/** Texts that an item must have to be dropped or to be under `kpt fn render`: a cheap test before parsing. */
export const MAY_MATTER = /Kptfile|Kustomization|Component|local-config|package-path/;

/** True under `kpt fn render`, whose output always goes back to the package. */
export function isRendered(object: KubernetesObject): boolean {
  return object.annotations[PACKAGE_PATH] !== undefined;
}

/** True for what belongs to the package and not to a cluster: `kubectl apply` would choke on it. */
export function isPackageFile(object: KubernetesObject): boolean {
  const group = groupOf(object.apiVersion);
  if (group === 'kpt.dev' || group === 'kustomize.config.k8s.io') return true;
  const local = object.annotations[LOCAL_CONFIG];
  return local !== undefined && local !== 'false';
}

/** File and index that the orchestrator read the object from. */
export function fileOf(object: KubernetesObject): { readonly file?: string; readonly index?: number } {
  const file = firstOf(object, PATH);
  const index = Number(firstOf(object, INDEX));
  return file === undefined ? {} : { file, ...(Number.isInteger(index) ? { index } : {}) };
}

/** Edits, in offsets of the whole input, that make the object unwritable for kpt. */
export function guardEdits(object: KubernetesObject): readonly TextEdit[] {
  const metadata = memberOf(object.node, 'metadata');
  const annotations = isMap(metadata) ? memberOf(metadata, 'annotations') : undefined;
  if (!isMap(annotations)) return [];
  const target = { text: object.document.text, layout: layoutOf(object.document.text) };
  const edits = PATH.flatMap((key) => {
    const node = memberOf(annotations, key);
    const path = object.annotations[key] ?? '';
    if (node === undefined || path.startsWith(GUARD)) return [];
    return replaceScalar(target, node, `${GUARD}/${path}`);
  });
  return shiftEdits(edits, object.document.offset);
}

function firstOf(object: KubernetesObject, keys: readonly string[]): string | undefined {
  return keys.map((key) => object.annotations[key]).find((value) => value !== undefined);
}
