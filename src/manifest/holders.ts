/**
 * Finds holders: the places in objects where Talos patches live. By API group and kind, never by kind alone; what looks
 * like a holder but is spelled wrong is refused, because the provider would ignore it in silence.
 */
import { error, type Location, Refusal } from '../diagnostic.ts';
import { type Contract, parseContract } from '../machine-config/contract.ts';
import {
  descend,
  isMap,
  keyOf,
  memberOf,
  type Node,
  rangeOf,
  textOf,
  type YAMLMap,
} from '../yaml/document.ts';
import { groupOf, type KubernetesObject, versionOf } from './objects.ts';

export interface Holder {
  readonly object: KubernetesObject;
  readonly node: YAMLMap;
  /** JSON pointer of the holder inside its object. */
  readonly pointer: string;
  readonly contract: Contract;
  /** `controlplane`, `worker`, `join`, `init`, `none`; empty when absent. */
  readonly generateType: string;
  /** The author's own machine configuration (`generateType: none`). */
  readonly data: string | undefined;
}

export type PatchList = 'configPatches' | 'strategicPatches';

export const PATCH_LISTS: readonly PatchList[] = ['configPatches', 'strategicPatches'];

interface HolderKind {
  readonly group: string;
  readonly paths: readonly (readonly string[])[];
}

const BOOTSTRAP = 'bootstrap.cluster.x-k8s.io';
const CONTROL_PLANE = 'controlplane.cluster.x-k8s.io';

/** Versions whose schema has patches; v1alpha2 of the bootstrap group has none. */
const VERSIONS = ['v1alpha3', 'v1beta1'];

const HOLDER_KINDS: Readonly<Record<string, HolderKind>> = {
  TalosControlPlane: {
    group: CONTROL_PLANE,
    paths: [
      ['spec', 'controlPlaneConfig', 'init'],
      ['spec', 'controlPlaneConfig', 'controlplane'],
    ],
  },
  TalosControlPlaneTemplate: {
    group: CONTROL_PLANE,
    paths: [
      ['spec', 'template', 'spec', 'controlPlaneConfig', 'init'],
      ['spec', 'template', 'spec', 'controlPlaneConfig', 'controlplane'],
    ],
  },
  TalosConfigTemplate: { group: BOOTSTRAP, paths: [['spec', 'template', 'spec']] },
  TalosConfig: { group: BOOTSTRAP, paths: [['spec']] },
};

/** Whether a text can have a holder: a cheap test before parsing. Escapes can spell a kind, too. */
export function mayHold(text: string): boolean {
  return text.includes('Talos') || text.includes('\\u') || text.includes('\\x');
}

/** Keys that occur on the way to and in a holder, by their small letters; another capitalisation is a mistake. */
const EXPECTED_KEYS: ReadonlyMap<string, string> = new Map(
  ['spec', 'template', 'controlPlaneConfig', 'controlplane', 'init', 'configPatches', 'strategicPatches'].map(
    (key) => [key.toLowerCase(), key],
  ),
);

/** Misspellings seen in the wild that are more than capitals. */
const KNOWN_MISTAKES: Readonly<Record<string, string>> = {
  controlPlaneSpec: 'controlPlaneConfig',
  configPatch: 'configPatches',
  strategicPatch: 'strategicPatches',
};

/**
 * The holders of an object: none for other kinds, and none for a partial object (a kustomize patch) without one.
 * @throws Refusal HOLDER_MISSPELLED, HOLDER_INVALID, CONTRACT_INVALID, YAML_ALIAS
 */
export function holdersOf(object: KubernetesObject): readonly Holder[] {
  const known = HOLDER_KINDS[object.kind];
  if (known === undefined || groupOf(object.apiVersion) !== known.group) return [];
  if (!VERSIONS.includes(versionOf(object.apiVersion))) {
    throw new Refusal(
      error(
        'HOLDER_INVALID',
        `${object.kind} is read in versions ${VERSIONS.join(' and ')}, not in this one.`,
        'Write the object in a version that the provider serves and that has patches.',
        object.at(),
      ),
    );
  }
  return known.paths.flatMap((path) => holderAt(object, path));
}

/** Where in the document an offset is, with the object's identity and the pointer inside the object. */
export function locateIn(object: KubernetesObject, node: Node, pointer: string): Location {
  return { ...object.at(), ...object.document.locate(rangeOf(node)[0]), pointer };
}

function holderAt(object: KubernetesObject, path: readonly string[]): readonly Holder[] {
  for (let depth = 0; depth < path.length; depth++) {
    const parent = descend(object.document, object.node, path.slice(0, depth));
    if (isMap(parent)) refuseMisspelled(object, parent, path.slice(0, depth));
  }
  const node = descend(object.document, object.node, path);
  if (node === undefined) return [];
  const pointer = `/${path.join('/')}`;
  if (!isMap(node)) {
    throw new Refusal(
      error(
        'HOLDER_INVALID',
        'A mapping belongs here.',
        'Compare with the provider’s CRD.',
        locateIn(object, node, pointer),
      ),
    );
  }
  refuseMisspelled(object, node, path);
  const version = descend(object.document, node, ['talosVersion']);
  const contract = parseContract(textOf(version));
  if (contract === undefined || (version !== undefined && textOf(version) === undefined)) {
    throw new Refusal(
      error(
        'CONTRACT_INVALID',
        'talosVersion is not a Talos version.',
        'Write it like v1.11 or v1.9.5, or leave it out.',
        locateIn(object, version ?? node, `${pointer}/talosVersion`),
      ),
    );
  }
  const generateType = textOf(memberOf(node, 'generateType')) ?? '';
  return [{ object, node, pointer, contract, generateType, data: textOf(memberOf(node, 'data')) }];
}

function refuseMisspelled(object: KubernetesObject, map: YAMLMap, path: readonly string[]): void {
  for (const pair of map.items) {
    const key = keyOf(pair);
    const meant = key === undefined ? undefined : meantKey(key);
    if (key === undefined || meant === undefined) continue;
    throw new Refusal(
      error(
        'HOLDER_MISSPELLED',
        `The key ${key} is not known to the Talos providers, which ignore it in silence.`,
        `Write ${meant}.`,
        locateIn(object, pair.key, `/${[...path, key].join('/')}`),
      ),
    );
  }
}

function meantKey(key: string): string | undefined {
  const mistake = Object.hasOwn(KNOWN_MISTAKES, key) ? KNOWN_MISTAKES[key] : undefined;
  if (mistake !== undefined) return mistake;
  const meant = EXPECTED_KEYS.get(key.toLowerCase());
  return meant === key ? undefined : meant;
}
