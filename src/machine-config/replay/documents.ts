/** The documents of a configuration, read strictly: which kinds exist for a machinery, and what identifies a document. */
import { decode, encode } from './decode.ts';
import { ReplayFailure } from './failure.ts';
import type { Behaviour } from './machinery.ts';
import { isNullWord, isRawMap, Plain, type Raw, type RawMap } from './raw.ts';
import { LEGACY, OTHER_DOCUMENT, OWN_DOCUMENTS, type Type } from './schema.ts';

export interface ConfigDocument {
  /** Empty for the legacy document. */
  readonly kind: string;
  readonly name: string;
  readonly type: Type;
  readonly value: RawMap;
}

/** The same for documents that merge: kind and name. */
export interface DocumentId {
  readonly kind: string;
  readonly name: string;
}

const VERSION = 'v1alpha1';

/** Keys by which a document without kind is known as the legacy one. */
const LEGACY_KEYS = ['machine', 'cluster', 'debug', 'persist'];

/** Kinds that every machinery in the vectors knows. All others came with 1.12 or later. */
const EARLY_KINDS = [
  'EventSinkConfig',
  'ExtensionServiceConfig',
  'KmsgLogConfig',
  'KubespanEndpointsConfig',
  'NetworkDefaultActionConfig',
  'NetworkRuleConfig',
  'SideroLinkConfig',
  'TrustedRootsConfig',
  'VolumeConfig',
  'WatchdogTimerConfig',
];

/** Kinds that 1.12 knows, among those that configurations are generated with. */
const KINDS_OF_1_12 = [...EARLY_KINDS, ...Object.keys(OWN_DOCUMENTS), 'HostnameConfig', 'ResolverConfig'];

/** Empty ones among others are left out. @throws ReplayFailure no-document, not-a-document, duplicate-document, and more */
export function readDocuments(
  roots: readonly Raw[],
  behaviour: Behaviour,
  duplicates: Behaviour['duplicateDocument'] = 'refused',
): readonly ConfigDocument[] {
  const seen = new Set<string>();
  return roots.flatMap((root) => {
    if (isNullWord(root) && behaviour.emptyDocument === 'skipped') return [];
    if (!isRawMap(root)) throw new ReplayFailure('not-a-document');
    const id = JSON.stringify(['apiVersion', 'kind', 'name'].map((key) => wordAt(root, key)));
    if (duplicates === 'refused' && seen.has(id)) throw new ReplayFailure('duplicate-document');
    seen.add(id);
    return readDocument(root, behaviour);
  });
}

/** @throws ReplayFailure missing-kind, missing-version, not-registered, type, base64, url, unknown-key */
function readDocument(root: RawMap, behaviour: Behaviour): ConfigDocument {
  const kind = wordAt(root, 'kind');
  const version = LEGACY_KEYS.some((key) => root.has(key)) ? VERSION : wordAt(root, 'apiVersion');
  if (kind === '' && version !== VERSION) throw new ReplayFailure('missing-kind');
  if (version === '') throw new ReplayFailure(behaviour.missingVersion);
  if (version !== VERSION || !isRegistered(kind, behaviour)) throw new ReplayFailure('not-registered');
  const type = typeOf(kind);
  const value = decode(type, root);
  return { kind, name: wordAt(root, 'name'), type, value: isRawMap(value) ? value : new Map() };
}

export function writeDocument({ type, value }: ConfigDocument): Raw {
  return encode(type, value);
}

/** What a text says at a key of a document, empty when it says nothing or null. */
export function wordAt(root: RawMap, key: string): string {
  return isNullWord(root.get(key)) ? '' : spellingAt(root, key);
}

/** The same as it is spelled, null too: selectors are told apart by that. */
export function spellingAt(root: RawMap, key: string): string {
  const word = root.get(key);
  if (typeof word === 'string') return word;
  return word instanceof Plain ? word.text : '';
}

/** Configurations of contract 1.14 are generated with documents of many kinds, all named `…Config`. */
function isRegistered(kind: string, { documents }: Behaviour): boolean {
  if (kind === '' || EARLY_KINDS.includes(kind)) return true;
  return documents === 'known' && (KINDS_OF_1_12.includes(kind) || LATER_KINDS.test(kind));
}

/** Kinds of later machinery, known by their prefixes: they are carried along and never read. */
const LATER_KINDS = /^(?:Discovery|Filesystem|Security|Kube)[A-Za-z]*Config$/;

function typeOf(kind: string): Type {
  if (kind === '') return LEGACY;
  return (Object.hasOwn(OWN_DOCUMENTS, kind) ? OWN_DOCUMENTS[kind] : undefined) ?? OTHER_DOCUMENT;
}
