/**
 * What a node says of the settings that are owned here when it validates a configuration that it could read: what it
 * refuses (test/vectors, `validate_error`). Of legacy fields only missing entries are looked at; Talos
 * checks neither CA nor address there.
 */
import ipaddr from 'ipaddr.js';
import { decodeCertificate } from '../../trust/ca-certificate.ts';
import { readPem } from '../../trust/pem.ts';
import type { ConfigDocument } from './documents.ts';
import type { FailureKind } from './failure.ts';
import { isNullWord, isRawList, isRawMap, type Raw, type RawMap } from './raw.ts';

export interface InvalidSetting {
  readonly failure: FailureKind;
  /** Of the document; empty for legacy fields. */
  readonly name: string;
}

/** In the order of the documents. */
export function invalidSettings(documents: readonly ConfigDocument[]): readonly InvalidSetting[] {
  return documents.flatMap(({ kind, name, value }) => {
    const failure = kind === '' ? legacyProblem(value) : problemOf(kind, name, value);
    return failure === undefined ? [] : [{ failure, name }];
  });
}

function legacyProblem(value: RawMap): FailureKind | undefined {
  const registries = at(at(value, 'machine'), 'registries');
  const entries = ['config', 'mirrors'].flatMap((section) => {
    const map = at(registries, section);
    return isRawMap(map) ? [...map.values()] : [];
  });
  return entries.some(isNullWord) ? 'null-entry' : undefined;
}

function problemOf(kind: string, name: string, value: RawMap): FailureKind | undefined {
  switch (kind) {
    case 'RegistryTLSConfig':
      if (name === '') return 'no-name';
      return isCa(textAt(value, 'ca')) ? undefined : 'not-a-certificate';
    case 'RegistryAuthConfig':
      return hasOneWay(value) ? undefined : 'credentials';
    case 'RegistryMirrorConfig':
      return endpointsOf(value).every((url) => /^https?:/i.test(url)) ? undefined : 'url';
    case 'StaticHostConfig':
      if (!isAddress(name)) return 'not-an-address';
      return listAt(value, 'hostnames').length > 0 ? undefined : 'no-hostname';
    default:
      return undefined;
  }
}

/** One good certificate anywhere in the text is enough, and so is no text. */
function isCa(text: string): boolean {
  if (text === '') return true;
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  return blocks.some((block) => {
    try {
      return readPem(block).blocks.some(({ der }) => decodeCertificate(der.reveal()) !== undefined);
    } catch {
      // Not PEM after all: another block may be.
      return false;
    }
  });
}

/** Whether credentials say no more than one way to log in; in documents Talos refuses more, in legacy fields one wins. */
export function hasOneWay(value: RawMap): boolean {
  const basic = textAt(value, 'username') !== '' || textAt(value, 'password') !== '';
  const ways = [basic, textAt(value, 'auth') !== '', textAt(value, 'identityToken') !== ''];
  return ways.filter((way) => way).length <= 1;
}

/** As Go's netip reads addresses: four parts without leading zeros, or IPv6, with a zone as it may be. */
function isAddress(text: string): boolean {
  if (/^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){3}$/.test(text)) return ipaddr.IPv4.isValid(text);
  return text.includes(':') && !/[[\]/\s]/.test(text) && ipaddr.IPv6.isValid(text);
}

function endpointsOf(value: RawMap): readonly string[] {
  return listAt(value, 'endpoints')
    .filter(isRawMap)
    .map((endpoint) => textAt(endpoint, 'url'));
}

function at(value: Raw | undefined, key: string): Raw | undefined {
  return isRawMap(value) ? value.get(key) : undefined;
}

function listAt(value: RawMap, key: string): readonly Raw[] {
  const list = value.get(key);
  return isRawList(list) ? list : [];
}

function textAt(value: RawMap, key: string): string {
  const text = value.get(key);
  return typeof text === 'string' ? text : '';
}
