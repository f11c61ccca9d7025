/**
 * The three shapes of a config: an object of one of our kinds, a ConfigMap with flat data, and a cluster-config file with
 * a block for each. Absent or not enabled is a result, not an error: the manifest then passes byte for byte.
 */
import { type Diagnostic, error, type Location, Refusal, warning } from '../diagnostic.ts';
import {
  isMap,
  isNull,
  isSeq,
  keyOf,
  memberOf,
  type Node,
  parseYaml,
  textOf,
  type YAMLMap,
  type YamlDocument,
} from '../yaml/document.ts';
import { type PlainData, plainData } from '../yaml/plain-data.ts';
import { splitDocuments } from '../yaml/split-documents.ts';
import { parseClusterNetwork } from './cluster-network.ts';
import type { Config } from './config.ts';
import { nestFlatData } from './flat-data.ts';
import { keyDiagnostic, nearestKey } from './known-keys.ts';
import type { SpecPlace } from './place.ts';
import { parseRegistryMirror } from './registry-mirror.ts';
import { parseRegistryTrust } from './registry-trust.ts';

export interface ConfigResult {
  /** In the order in which they are applied; empty when nothing is there, or enabled. */
  readonly configs: readonly Config[];
  /** Warnings, of what is there and not enabled. */
  readonly diagnostics: readonly Diagnostic[];
}

/** API group of our kinds, with the slash that ends it. */
export const OUR_GROUP = 'fn.openkubes.io/';

const API_VERSION = `${OUR_GROUP}v1alpha1`;
const BLOCK = 'registryTrust';
const MIRRORS_BLOCK = 'registryMirrors';
const NETWORK_BLOCK = 'clusterNetwork';

const PARSERS: Readonly<Record<Config['kind'], (value: unknown, place: SpecPlace) => Config>> = {
  RegistryTrust: parseRegistryTrust,
  RegistryMirror: parseRegistryMirror,
  ClusterNetwork: parseClusterNetwork,
};
const KINDS = Object.keys(PARSERS) as readonly Config['kind'][];
const OBJECT_KEYS = ['apiVersion', 'kind', 'metadata', 'spec'];

export const NO_CONFIG: ConfigResult = { configs: [], diagnostics: [] };

/** A mapping at the root of a document, and what is known of its place. */
interface Root {
  readonly document: YamlDocument;
  readonly map: YAMLMap;
  readonly at: Location;
}

type Shape = 'object' | 'configMap' | 'clusterConfig';

/**
 * Reads a config file or a functionConfig.
 * @throws Refusal YAML_INVALID, YAML_AMBIGUOUS, YAML_ALIAS, CONFIG_NOT_FOUND, CONFIG_UNKNOWN_KIND, CONFIG_* and HOST_INVALID
 */
export function readConfig(text: string, at: Location = {}): ConfigResult {
  const documents = splitDocuments(text)
    .map(({ start, end }) =>
      parseYaml({ text: text.slice(start, end), offset: start, whole: text, ...fileOf(at) }),
    )
    .filter(({ root }) => !isNull(root));
  if (documents.length === 0) return NO_CONFIG;
  const [first, second] = documents.flatMap((document) =>
    isMap(document.root) && shapeOf(document.root) !== undefined ? { document, map: document.root, at } : [],
  );
  if (first === undefined) {
    throw new Refusal(
      error(
        'CONFIG_NOT_FOUND',
        'There is no config here that is known.',
        `Pass a ${KINDS.join(', ')} object, a ConfigMap, or a cluster-config file with a ${BLOCK} block.`,
        at,
      ),
    );
  }
  if (second !== undefined) {
    throw new Refusal(
      error(
        'CONFIG_INVALID',
        'There are several configs here.',
        'Give each a file of its own and run one after the other.',
        at,
      ),
    );
  }
  return readRoot(first);
}

function shapeOf(map: YAMLMap): Shape | undefined {
  const apiVersion = textOf(memberOf(map, 'apiVersion'));
  const kind = textOf(memberOf(map, 'kind'));
  if (apiVersion?.startsWith(OUR_GROUP) === true) return 'object';
  if (apiVersion === 'v1' && kind === 'ConfigMap') return 'configMap';
  return apiVersion === undefined && kind === undefined ? 'clusterConfig' : undefined;
}

function readRoot(root: Root): ConfigResult {
  switch (shapeOf(root.map)) {
    case 'object':
      return { configs: [readObject(root)], diagnostics: [] };
    case 'configMap':
      return readConfigMap(root);
    default:
      return readClusterConfig(root);
  }
}

function readObject({ document, map, at }: Root): Config {
  const kind = knownKind(textOf(memberOf(map, 'kind')));
  if (textOf(memberOf(map, 'apiVersion')) !== API_VERSION || kind === undefined) {
    throw new Refusal(
      error(
        'CONFIG_UNKNOWN_KIND',
        'The config is of a kind or version that is not known here.',
        `Use apiVersion: ${API_VERSION} and kind: ${KINDS.join(', ')}.`,
        at,
      ),
    );
  }
  const [unknown, ...others] = keysOf(map).filter((key) => !OBJECT_KEYS.includes(key));
  const refused = (key: string): Diagnostic => keyDiagnostic(key, OBJECT_KEYS, at);
  if (unknown !== undefined) throw new Refusal(refused(unknown), ...others.map(refused));
  return PARSERS[kind](plainData(document, memberOf(map, 'spec')) ?? {}, {
    at: { ...at, kind },
    pointer: '/spec',
    keys: 'nested',
  });
}

function knownKind(text: string | undefined): Config['kind'] | undefined {
  return KINDS.find((kind) => kind === text);
}

/** kpt sends an empty ConfigMap named `function-input` when no config is given. Without `kind` it is a RegistryTrust. */
function readConfigMap({ document, map, at }: Root): ConfigResult {
  const data = plainData(document, memberOf(map, 'data'));
  if (!isMapping(data) || Object.keys(data).length === 0) return NO_CONFIG;
  const { kind: named = 'RegistryTrust', ...fields } = data;
  const kind = knownKind(typeof named === 'string' ? named : undefined);
  const place: SpecPlace = { at: { ...at, kind: 'ConfigMap' }, pointer: '/data', keys: 'flat' };
  if (kind === undefined) {
    throw new Refusal(
      error('CONFIG_UNKNOWN_KIND', 'The kind in data is not known here.', `Use ${KINDS.join(', ')}.`, {
        ...place.at,
        pointer: '/data/kind',
      }),
    );
  }
  return { configs: [PARSERS[kind](nestFlatData(fields), place)], diagnostics: [] };
}

/** Problems of all blocks are reported at once. */
function readClusterConfig(root: Root): ConfigResult {
  const { document, map, at } = root;
  if (textOf(memberOf(map, 'type')) !== 'talos') return readTrustBlock(root, 'other');
  const inBlock = (kind: Config['kind'], node: Node, pointer: string): ConfigResult => ({
    configs: [PARSERS[kind](plainData(document, node), { at, pointer, keys: 'nested' })],
    diagnostics: [],
  });
  const mirrors = memberOf(map, MIRRORS_BLOCK);
  const network = memberOf(map, NETWORK_BLOCK);
  const results = allOf([
    () => readTrustBlock(root, 'talos'),
    ...(isSeq(mirrors) ? (mirrors.items as readonly Node[]) : []).map(
      (node, i) => () => inBlock('RegistryMirror', node, `/${MIRRORS_BLOCK}/${i}`),
    ),
    ...(isSeq(mirrors) ? [] : [() => absentBlock(map, MIRRORS_BLOCK, 'a list', at)]),
    isMap(network)
      ? () => inBlock('ClusterNetwork', network, `/${NETWORK_BLOCK}`)
      : () => absentBlock(map, NETWORK_BLOCK, 'a mapping', at),
  ]);
  return {
    configs: results.flatMap(({ configs }) => configs),
    diagnostics: results.flatMap(({ diagnostics }) => diagnostics),
  };
}

/** All problems of all blocks in one refusal. */
function allOf(reads: readonly (() => ConfigResult)[]): readonly ConfigResult[] {
  const results: ConfigResult[] = [];
  const problems: Diagnostic[] = [];
  for (const read of reads) {
    try {
      results.push(read());
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause;
      problems.push(...cause.diagnostics);
    }
  }
  const [first, ...rest] = problems;
  if (first !== undefined) throw new Refusal(first, ...rest);
  return results;
}

/** A block that isn't there, or is something else than it must be. */
function absentBlock(map: YAMLMap, key: string, expected: string, at: Location): ConfigResult {
  if (isNull(memberOf(map, key))) return { configs: [], diagnostics: misspelledBlock(map, key, at) };
  return refuseBlock(key, expected, at);
}

function refuseBlock(key: string, expected: string, at: Location): never {
  throw new Refusal(
    error('CONFIG_INVALID', `${key} must be ${expected}.`, 'function-config/README.md shows it.', {
      ...at,
      pointer: `/${key}`,
    }),
  );
}

function readTrustBlock({ document, map, at }: Root, type: 'talos' | 'other'): ConfigResult {
  const node = memberOf(map, BLOCK);
  if (isNull(node)) return { configs: [], diagnostics: misspelledBlock(map, BLOCK, at) };
  if (type !== 'talos') return NO_CONFIG;
  const block = isMap(node) ? enabledOf(document, node) : 'unclear';
  if (block === false) return NO_CONFIG;
  if (block !== true) return { configs: [], diagnostics: [notEnabled(at)] };
  const { enabled: _enabled, ...spec } = plainData(document, node) as Readonly<Record<string, PlainData>>;
  const trust = parseRegistryTrust(spec, { at, pointer: `/${BLOCK}`, keys: 'nested' });
  return { configs: [trust], diagnostics: [] };
}

function enabledOf(document: YamlDocument, block: YAMLMap): PlainData {
  return plainData(document, memberOf(block, 'enabled'));
}

function notEnabled(at: Location): Diagnostic {
  return warning(
    'CONFIG_NOT_ENABLED',
    `${BLOCK}.enabled is not the boolean true; the manifest passes unchanged.`,
    'Write enabled: true, or enabled: false to silence this.',
    {
      ...at,
      pointer: `/${BLOCK}/enabled`,
    },
  );
}

function misspelledBlock(map: YAMLMap, block: string, at: Location): readonly Diagnostic[] {
  const isSimilar = keysOf(map).some((key) => key !== block && nearestKey(key, [block]) !== undefined);
  if (!isSimilar) return [];
  return [
    warning(
      'CONFIG_NOT_ENABLED',
      `There is no ${block} block, but a key that looks like it; the manifest passes unchanged.`,
      `Write ${block}.`,
      at,
    ),
  ];
}

function keysOf(map: YAMLMap): readonly string[] {
  return map.items.map((pair) => keyOf(pair) ?? '');
}

function isMapping(value: PlainData): value is Readonly<Record<string, PlainData>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fileOf({ file }: Location): { readonly file?: string } {
  return file === undefined ? {} : { file };
}
