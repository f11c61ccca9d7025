/**
 * Reads a holder's `strategicPatches`: strings that hold one mapping, several Talos documents, or a JSON 6902 list.
 * A string is parsed only when its text can reach what we own.
 */
import type { Scalar } from 'yaml';
import { error, type Location, Refusal } from '../diagnostic.ts';
import { HOST_ENTRIES, type OwnedLeaf, REGISTRIES, relateToOwned } from '../machine-config/owned-path.ts';
import { type RegistryHost, sameHostName, sameRegistry } from '../trust/registry-host.ts';
import {
  descend,
  isMap,
  isNull,
  isScalar,
  isSeq,
  memberOf,
  type Node,
  parseYaml,
  refuseIndirection,
  startOf,
  textOf,
  type YAMLMap,
  type YamlDocument,
} from '../yaml/document.ts';
import { splitDocuments } from '../yaml/split-documents.ts';
import { type Holder, locateIn } from './holders.ts';
import { hostEntriesMention, type Place, refuseDirective, registriesMention } from './host-settings.ts';
import { type FoundPlaceholder, listItems } from './patch-list.ts';
import { placeholderHost } from './placeholder.ts';

/** A strategic patch in legacy form that has a setting for the host. */
export interface StrategicSite {
  readonly index: number;
  readonly scalar: Scalar<string>;
  /** The patch's document inside the string; its offsets count from the string's first character. */
  readonly document: YamlDocument;
  /** The value of the leaf. */
  readonly value: Node;
  readonly place: Place;
}

export interface StrategicPatches {
  readonly placeholders: readonly FoundPlaceholder[];
  readonly sites: Readonly<Record<OwnedLeaf, readonly StrategicSite[]>>;
}

/** What a text must contain to reach what we own; escapes can spell any key, and a list may be JSON 6902. */
const MAY_REACH =
  /registries|extraHostEntries|\$patch|Registry|StaticHost|\\[ux]|(?:^\s*|\n|--- *)(?:\[|-[ \t\r\n])/;

/** @throws Refusal PATCH_INVALID, PATCH_FORM_CONFLICT, PATCH_ORDER_DEPENDENT, PLACEHOLDER_INVALID, YAML_INVALID … */
export function readStrategicPatches(holder: Holder, host: RegistryHost): StrategicPatches {
  const placeholders: FoundPlaceholder[] = [];
  const sites: Record<OwnedLeaf, StrategicSite[]> = { registries: [], hostEntries: [] };
  for (const [index, item] of listItems(holder, 'strategicPatches').entries()) {
    const at = (): Location => locateIn(holder.object, item, `${holder.pointer}/strategicPatches/${index}`);
    refuseIndirection(holder.object.document, item);
    const placeholder = placeholderHost(item, at);
    if (placeholder !== undefined) {
      placeholders.push({ index, item, host: placeholder, at });
      continue;
    }
    if (!isText(item))
      throw new Refusal(
        error(
          'PATCH_INVALID',
          'An entry of strategicPatches is not a string.',
          'Write the patch as a block literal.',
          at(),
        ),
      );
    if (!MAY_REACH.test(item.value)) continue;
    for (const [leaf, site] of readPatch(item, index, at, host)) sites[leaf].push(site);
  }
  return { placeholders, sites };
}

function readPatch(scalar: Scalar<string>, index: number, at: () => Location, host: RegistryHost) {
  return splitDocuments(scalar.value).flatMap((segment) => {
    const document = parseEmbedded(scalar.value, segment.start, segment.end, at);
    const place: Place = { document, at };
    if (isSeq(document.root)) refuseOwnedOperations(document.root.items as readonly Node[], at);
    if (!isMap(document.root)) return [];
    refuseIndirection(document, document.root);
    if (memberOf(document.root, 'kind') !== undefined) {
      refuseOwnDocument(place, document.root, host);
      return [];
    }
    return sitesIn(document.root, place, host).map(
      ([leaf, value]) => [leaf, { index, scalar, document, value, place }] as const,
    );
  });
}

function parseEmbedded(text: string, start: number, end: number, at: () => Location): YamlDocument {
  try {
    return { ...parseYaml({ text: text.slice(start, end), offset: start, whole: text }), locate: at };
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    const inner = cause.diagnostics[0]?.at;
    const where = inner?.line === undefined ? '' : ` (line ${inner.line} of the patch)`;
    throw new Refusal(
      error(
        'PATCH_INVALID',
        `A strategic patch is not valid YAML${where}.`,
        'Correct the patch; Talos refuses it too.',
        at(),
      ),
    );
  }
}

function sitesIn(root: YAMLMap, place: Place, host: RegistryHost): readonly (readonly [OwnedLeaf, Node])[] {
  refuseDirectives(place, root, [...REGISTRIES, 'config', host.key, 'tls']);
  refuseDirectives(place, root, HOST_ENTRIES);
  const registries = descend(place.document, root, REGISTRIES);
  const hostEntries = descend(place.document, root, HOST_ENTRIES);
  const found: (readonly [OwnedLeaf, Node])[] = [];
  if (registries !== undefined && registriesMention(place, registries, host) === 'present')
    found.push(['registries', registries]);
  if (hostEntries !== undefined && hostEntriesMention(place, hostEntries, host) === 'present')
    found.push(['hostEntries', hostEntries]);
  return found;
}

function refuseDirectives(place: Place, root: YAMLMap, path: readonly string[]): void {
  let node: Node | undefined = root;
  for (const key of [...path, undefined]) {
    if (!isMap(node)) return;
    if (memberOf(node, '$patch') !== undefined) refuseDirective(place, node);
    node = key === undefined ? undefined : memberOf(node, key);
  }
}

function refuseOwnedOperations(items: readonly Node[], at: () => Location): void {
  for (const item of items) {
    if (!isMap(item)) continue;
    // Here `from` exists: a move or copy works, other than in configPatches (test/vectors, `op-copy*`).
    const paths = [textOf(memberOf(item, 'path')), textOf(memberOf(item, 'from'))];
    if (!paths.some((path) => path !== undefined && relateToOwned(path).kind !== 'unrelated')) continue;
    throw new Refusal(
      error(
        'PATCH_ORDER_DEPENDENT',
        'A JSON 6902 list inside strategicPatches reaches machine.registries or extraHostEntries.',
        'Write it as a strategic patch: a mapping under machine.',
        at(),
      ),
    );
  }
}

/** Documents of Talos ≥ 1.12 that set the same for our host would override or double what we write. */
function refuseOwnDocument(place: Place, root: YAMLMap, host: RegistryHost): void {
  const kind = textOf(memberOf(root, 'kind'));
  const isOurs =
    (kind === 'RegistryTLSConfig' && sameRegistry(textOf(memberOf(root, 'name')) ?? '', host) !== 'other') ||
    (kind === 'StaticHostConfig' && namesOf(root).some((name) => sameHostName(name, host) !== 'other'));
  if (!isOurs) return;
  throw new Refusal(
    error(
      'PATCH_FORM_CONFLICT',
      `A ${kind} document already sets this host; it would override or double what is written here.`,
      'Remove the document.',
      place.at(startOf(root)),
    ),
  );
}

function namesOf(root: YAMLMap): readonly string[] {
  const hostnames = memberOf(root, 'hostnames');
  return isSeq(hostnames) ? hostnames.items.flatMap((item) => textOf(item as Node) ?? []) : [];
}

function isText(node: Node): node is Scalar<string> {
  return isScalar(node) && typeof node.value === 'string' && !isNull(node);
}
