/**
 * Strict reading and writing of a configuration, as Talos' YAML decoder and encoder do it (test/vectors, `emp-*`,
 * `txt-*`, `ca-*`). A value that is read is normalised: unset fields are absent, texts are texts, base64 is canonical.
 */
import { ReplayFailure } from './failure.ts';
import { isNullWord, isRawList, isRawMap, NULL, Plain, type Raw } from './raw.ts';
import type { Field, Type } from './schema.ts';

const TRUE = new Plain('true');
const FALSE = new Plain('false');

/**
 * The value of a type; `undefined` when it is null.
 * @throws ReplayFailure type, base64, url, unknown-key
 */
export function decode(type: Type, raw: Raw): Raw | undefined {
  const problems: ReplayFailure[] = [];
  const value = read(type, raw, problems);
  // Unknown keys are looked for when everything else has been read.
  const first = problems.find(({ kind }) => kind !== 'unknown-key') ?? problems[0];
  if (first !== undefined) throw first;
  return value;
}

/** What is written: as `decode` gives it, without what `omit` leaves out. */
export function encode(type: Type, value: Raw): Raw {
  switch (type.kind) {
    case 'list':
      return isRawList(value) ? value.map((item) => encode(type.of, item)) : value;
    case 'map':
      return isRawMap(value) ? new Map([...value].map(([key, item]) => [key, encode(type.of, item)])) : value;
    case 'struct':
      return isRawMap(value) ? encodeStruct(type.fields, value) : value;
    default:
      return value;
  }
}

function encodeStruct(fields: Readonly<Record<string, Field>>, value: ReadonlyMap<string, Raw>): Raw {
  const written = new Map<string, Raw>();
  for (const [key, { type, empty }] of Object.entries(fields)) {
    const member = value.get(key);
    if (member === undefined ? empty === 'keep' : empty !== 'omit' || !isZero(type, member))
      written.set(key, member === undefined ? zeroOf(type) : encode(type, member));
  }
  return written;
}

/** As `omitempty` sees it: empty collections and structs of nothing but zeros. */
function isZero(type: Type, value: Raw): boolean {
  if (isRawList(value)) return value.length === 0;
  if (isRawMap(value))
    return type.kind === 'struct'
      ? Object.entries(type.fields).every(([key, field]) => {
          const member = value.get(key);
          return member === undefined || (field.empty !== 'pointer' && isZero(field.type, member));
        })
      : value.size === 0;
  return value === '';
}

function zeroOf(type: Type): Raw {
  return type.kind === 'list' ? [] : '';
}

function read(type: Type, raw: Raw, problems: ReplayFailure[]): Raw | undefined {
  if (isNullWord(raw)) return undefined;
  switch (type.kind) {
    case 'any':
      return raw;
    case 'string':
      return textOf(raw) ?? fail('type', problems);
    case 'bool':
      return readBool(raw) ?? fail('type', problems);
    case 'base64':
      return readBase64(raw, problems);
    case 'url':
      return readUrl(raw, problems);
    case 'list':
      if (!isRawList(raw)) return fail('type', problems);
      return raw.flatMap(
        (item) => read(type.of, item, problems) ?? (type.of.kind === 'string' ? [] : [NULL]),
      );
    case 'map':
      if (!isRawMap(raw)) return fail('type', problems);
      return new Map([...raw].map(([key, item]) => [key, read(type.of, item, problems) ?? NULL]));
    case 'struct':
      return isRawMap(raw) ? readStruct(type.fields, raw, problems) : fail('type', problems);
  }
}

function readStruct(
  fields: Readonly<Record<string, Field>>,
  raw: ReadonlyMap<string, Raw>,
  problems: ReplayFailure[],
): Raw {
  const value = new Map<string, Raw>();
  for (const [key, item] of raw) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (field === undefined) {
      fail('unknown-key', problems);
      continue;
    }
    const member = read(field.type, item, problems);
    if (member !== undefined) value.set(key, member);
  }
  return value;
}

function textOf(raw: Raw): string | undefined {
  if (typeof raw === 'string') return raw;
  return raw instanceof Plain ? raw.text : undefined;
}

/** Unquoted true and false in three spellings; besides, any text that YAML 1.1 knew, in its three spellings. */
function readBool(raw: Raw): Plain | undefined {
  if (raw instanceof Plain && /^(?:true|True|TRUE)$/.test(raw.text)) return TRUE;
  if (raw instanceof Plain && /^(?:false|False|FALSE)$/.test(raw.text)) return FALSE;
  const text = textOf(raw);
  if (text !== undefined && /^(?:y|Y|yes|Yes|YES|on|On|ON)$/.test(text)) return TRUE;
  return text !== undefined && /^(?:n|N|no|No|NO|off|Off|OFF)$/.test(text) ? FALSE : undefined;
}

/** Line breaks are passed over; blanks, other alphabets and missing padding are not. */
function readBase64(raw: Raw, problems: ReplayFailure[]): string | undefined {
  const text = textOf(raw);
  if (text === undefined) return fail('type', problems);
  const joined = text.replace(/[\r\n]/g, '');
  if (joined.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(joined)) return fail('base64', problems);
  return Buffer.from(joined, 'base64').toString('base64');
}

function readUrl(raw: Raw, problems: ReplayFailure[]): string | undefined {
  const text = textOf(raw);
  if (text === undefined) return fail('type', problems);
  return isUrl(text) ? text : fail('url', problems);
}

/** As Go's url.Parse sees it; anything may lack a scheme. */
function isUrl(text: string): boolean {
  const [beforeFragment = '', fragment = ''] = text.split(/#(.*)/s);
  if (/[\x00-\x1f\x7f]|^:/.test(beforeFragment) || !isEscaped(fragment)) return false;
  const [scheme = ''] = /^[a-zA-Z][a-zA-Z0-9+.-]*:/.exec(beforeFragment) ?? [];
  const [path = ''] = beforeFragment.slice(scheme.length).split('?');
  // What follows a scheme without a slash is taken as it is.
  if (scheme !== '' && !path.startsWith('/')) return true;
  if (!isEscaped(path) || /^[^/]*:/.test(path)) return false;
  const [, authority] = /^\/\/(?!\/)([^/]*)/.exec(path) ?? [];
  return authority === undefined || isAuthority(authority);
}

function isEscaped(text: string): boolean {
  return !/%(?![0-9a-fA-F]{2})/.test(text);
}

function isAuthority(authority: string): boolean {
  const at = authority.lastIndexOf('@');
  if (!/^[\w.:~!$&'()*+,;=%@-]*$/.test(authority.slice(0, Math.max(at, 0)))) return false;
  const host = authority.slice(at + 1);
  const [, port] = /^(?:\[[^[\]]*\]|[^[]*?)(:[^:]*|)$/.exec(host) ?? [];
  return port !== undefined && /^:?\d*$/.test(port) && !/[ \\^`{|}]|%[0-7]/.test(host);
}

function fail(kind: ReplayFailure['kind'], problems: ReplayFailure[]): undefined {
  problems.push(new ReplayFailure(kind));
  return undefined;
}
