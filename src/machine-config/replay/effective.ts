/**
 * The settings that a node takes from a configuration, whichever form wrote them: a document replaces the legacy entry
 * of the same name wholesale, aliases of both forms are concatenated, the legacy ones first (test/vectors, `mix-*`).
 */
import type { ConfigDocument } from './documents.ts';
import type { Behaviour } from './machinery.ts';
import { isNullWord, isRawList, isRawMap, Plain, type Raw, type RawMap } from './raw.ts';

export interface TlsSettings {
  /** PEM, as base64 of its bytes; absent when none is set. */
  readonly caBase64?: string;
  readonly verification: 'verify' | 'skip';
  /** Certificate and key for the registry, as they are written. */
  readonly clientIdentity?: Raw;
}

export interface HostEntry {
  readonly ip: string;
  readonly aliases: readonly string[];
}

export interface MirrorSettings {
  readonly endpoints: readonly { readonly url: string; readonly overridePath: boolean }[];
  readonly fallback: 'use' | 'skip';
}

export interface Effective {
  readonly tls: ReadonlyMap<string, TlsSettings>;
  /** As they are written: never looked into here. */
  readonly auth: ReadonlyMap<string, RawMap>;
  readonly mirrors: ReadonlyMap<string, MirrorSettings>;
  readonly hosts: readonly HostEntry[];
  readonly podSubnets: readonly string[];
  readonly serviceSubnets: readonly string[];
}

/** `panic` where Talos' own accessors fail. */
export function effectiveOf(documents: readonly ConfigDocument[], behaviour: Behaviour): Effective | 'panic' {
  const legacy = documents.find(({ kind }) => kind === '')?.value;
  const machine = mapAt(legacy, 'machine');
  const registries = mapAt(machine, 'registries');
  const config = entriesAt(registries, 'config');
  const entries = listAt(mapAt(machine, 'network'), 'extraHostEntries');
  const named = (kind: string): readonly (readonly [string, RawMap])[] =>
    documents.filter((one) => one.kind === kind).map(({ name, value }) => [name, value]);
  const tlsDocuments = named('RegistryTLSConfig');
  const isBare = ([, document]: readonly [string, RawMap]): boolean => !document.has('clientIdentity');
  if (config.some(([, host]) => isNullWord(host)) || entries.some(isNullWord)) return 'panic';
  if (behaviour.bareTlsDocument === 'panic' && tlsDocuments.some(isBare)) return 'panic';
  const network = mapAt(mapAt(legacy, 'cluster'), 'network');
  return {
    tls: new Map([
      ...membersOf(config, 'tls').map(([host, tls]) => [host, legacyTls(tls)] as const),
      ...tlsDocuments.map(([host, tls]) => [host, documentTls(tls)] as const),
    ]),
    auth: new Map([
      ...membersOf(config, 'auth'),
      ...named('RegistryAuthConfig').map(([host, auth]) => [host, withoutMeta(auth)] as const),
    ]),
    mirrors: new Map([
      ...entriesAt(registries, 'mirrors').flatMap(([name, mirror]) =>
        isRawMap(mirror) ? [[name, legacyMirror(mirror)] as const] : [],
      ),
      ...named('RegistryMirrorConfig').map(([name, mirror]) => [name, documentMirror(mirror)] as const),
    ]),
    hosts: [
      ...entries
        .filter(isRawMap)
        .map((entry) => ({ ip: textAt(entry, 'ip'), aliases: textsAt(entry, 'aliases') })),
      ...named('StaticHostConfig').map(([ip, host]) => ({ ip, aliases: textsAt(host, 'hostnames') })),
    ],
    podSubnets: textsAt(network, 'podSubnets'),
    serviceSubnets: textsAt(network, 'serviceSubnets'),
  };
}

function legacyTls(tls: RawMap): TlsSettings {
  const ca = tls.get('ca');
  return { ...tlsOf(tls), ...(typeof ca === 'string' ? { caBase64: ca } : {}) };
}

function documentTls(tls: RawMap): TlsSettings {
  const ca = textAt(tls, 'ca');
  return { ...tlsOf(tls), ...(ca === '' ? {} : { caBase64: Buffer.from(ca).toString('base64') }) };
}

function tlsOf(tls: RawMap): TlsSettings {
  const clientIdentity = tls.get('clientIdentity');
  return {
    verification: isTrueAt(tls, 'insecureSkipVerify') ? 'skip' : 'verify',
    ...(clientIdentity === undefined ? {} : { clientIdentity }),
  };
}

function legacyMirror(mirror: RawMap): MirrorSettings {
  const overridePath = isTrueAt(mirror, 'overridePath');
  return {
    endpoints: textsAt(mirror, 'endpoints').map((url) => ({ url, overridePath })),
    fallback: isTrueAt(mirror, 'skipFallback') ? 'skip' : 'use',
  };
}

function documentMirror(mirror: RawMap): MirrorSettings {
  return {
    endpoints: listAt(mirror, 'endpoints')
      .filter(isRawMap)
      .map((endpoint) => ({
        url: textAt(endpoint, 'url'),
        overridePath: isTrueAt(endpoint, 'overridePath'),
      })),
    fallback: isTrueAt(mirror, 'skipFallback') ? 'skip' : 'use',
  };
}

function withoutMeta(document: RawMap): RawMap {
  return new Map([...document].filter(([key]) => !['apiVersion', 'kind', 'name'].includes(key)));
}

function membersOf(
  entries: readonly (readonly [string, Raw])[],
  key: string,
): readonly (readonly [string, RawMap])[] {
  return entries.flatMap(([name, entry]) => {
    const member = isRawMap(entry) ? entry.get(key) : undefined;
    return isRawMap(member) ? [[name, member] as const] : [];
  });
}

function mapAt(map: Raw | undefined, key: string): RawMap | undefined {
  const member = isRawMap(map) ? map.get(key) : undefined;
  return isRawMap(member) ? member : undefined;
}

function entriesAt(map: RawMap | undefined, key: string): readonly (readonly [string, Raw])[] {
  return [...(mapAt(map, key) ?? [])];
}

function listAt(map: RawMap | undefined, key: string): readonly Raw[] {
  const member = map?.get(key);
  return isRawList(member) ? member : [];
}

function textAt(map: RawMap, key: string): string {
  const member = map.get(key);
  return typeof member === 'string' ? member : '';
}

function textsAt(map: RawMap | undefined, key: string): readonly string[] {
  return listAt(map, key).filter((item) => typeof item === 'string');
}

function isTrueAt(map: RawMap, key: string): boolean {
  const member = map.get(key);
  return member instanceof Plain && member.text === 'true';
}
