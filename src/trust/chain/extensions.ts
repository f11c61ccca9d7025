/** The extensions of a certificate that Go's crypto/x509 heeds (`processExtensions`), with what it refuses in them. */
import {
  BIT_STRING,
  BOOLEAN,
  type Element,
  expectBody,
  INTEGER,
  MalformedDer,
  OBJECT_IDENTIFIER,
  OCTET_STRING,
  readBoolean,
  readCount,
  readElements,
  readInside,
  readObjectIdentifier,
  SEQUENCE,
} from '../der.ts';
import { type AlternativeNames, readAlternativeNames } from './alternative-names.ts';
import { type NameConstraints, readNameConstraints } from './name-constraints.ts';
import { type Policies, readPolicies } from './policies.ts';

export interface Extensions {
  /** Whether there is a critical one that Go does not know. */
  readonly critical: 'known' | 'unknown';
  /** Absent without basicConstraints. */
  readonly basicConstraints?: { readonly ca: boolean; readonly pathLength?: number };
  /** Absent without the extension, and when it says nothing. */
  readonly keyUsage?: 'may-sign' | 'must-not-sign';
  /** OIDs; empty when unlimited. */
  readonly extendedKeyUsage: readonly string[];
  readonly alternativeNames?: AlternativeNames;
  readonly nameConstraints?: NameConstraints;
  readonly subjectKeyId: Uint8Array;
  readonly authorityKeyId: Uint8Array;
  /** The name (DER) of who issued the issuer's certificate, where the authority key identifier has it. */
  readonly issuerOfIssuer?: Uint8Array;
  readonly policies: Policies;
}

const AUTHORITY_INFO_ACCESS = '1.3.6.1.5.5.7.1.1';
/** Known to Go under 2.5.29: whatever is critical among them is handled, mostly. */
const KNOWN: ReadonlySet<string> = new Set(
  [14, 15, 17, 19, 30, 31, 32, 33, 35, 36, 37, 54].map((number) => `2.5.29.${number}`),
);
/** These must not be critical. */
const NEVER_CRITICAL: readonly string[] = ['2.5.29.14', '2.5.29.35', AUTHORITY_INFO_ACCESS];

/** @throws MalformedDer where Go refuses the certificate */
export function readExtensions(field: Element | undefined): Extensions {
  const found = new Map<string, Uint8Array>();
  const critical = new Set<string>();
  const list = field === undefined ? [] : readInside(readElements(field.body)[0], SEQUENCE);
  for (const element of list) {
    const [id, ...rest] = readInside(element, SEQUENCE);
    const oid = readObjectIdentifier(expectBody(id, OBJECT_IDENTIFIER));
    const flag = rest[0]?.tag === BOOLEAN ? rest.shift() : undefined;
    if (found.has(oid)) throw new MalformedDer();
    found.set(oid, expectBody(rest[0], OCTET_STRING));
    if (flag !== undefined && readBoolean(flag.body)) critical.add(oid);
  }
  if (NEVER_CRITICAL.some((oid) => critical.has(oid))) throw new MalformedDer();

  const alternativeNames = optional(found.get('2.5.29.17'), readAlternativeNames);
  const nameConstraints = optional(found.get('2.5.29.30'), readNameConstraints);
  const unknown =
    [...critical].some((oid) => !KNOWN.has(oid)) ||
    (critical.has('2.5.29.17') && alternativeNames?.isEmpty === true) ||
    (critical.has('2.5.29.30') && nameConstraints?.hasOtherKinds === true);
  return {
    critical: unknown ? 'unknown' : 'known',
    ...present('basicConstraints', optional(found.get('2.5.29.19'), readBasicConstraints)),
    ...present('keyUsage', optional(found.get('2.5.29.15'), readKeyUsage)),
    extendedKeyUsage: optional(found.get('2.5.29.37'), readExtendedKeyUsage) ?? [],
    ...present('alternativeNames', alternativeNames),
    ...present('nameConstraints', nameConstraints),
    subjectKeyId: optional(found.get('2.5.29.14'), readSubjectKeyId) ?? new Uint8Array(),
    authorityKeyId: new Uint8Array(),
    ...optional(found.get('2.5.29.35'), readAuthorityKeyId),
    policies: readPolicies((number) => found.get(`2.5.29.${number}`)),
  };
}

function optional<T>(value: Uint8Array | undefined, read: (value: Uint8Array) => T): T | undefined {
  return value === undefined ? undefined : read(value);
}

function present<K extends string, T>(key: K, value: T | undefined): { readonly [P in K]?: T } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]: T });
}

function readBasicConstraints(value: Uint8Array): NonNullable<Extensions['basicConstraints']> {
  const fields = [...readInside(readElements(value)[0], SEQUENCE)];
  const flag = fields[0]?.tag === BOOLEAN ? fields.shift() : undefined;
  const ca = flag !== undefined && readBoolean(flag.body);
  const [length] = fields;
  return length?.tag === INTEGER ? { ca, pathLength: readCount(length.body) } : { ca };
}

const KEY_CERT_SIGN = 0x04;

function readKeyUsage(value: Uint8Array): 'may-sign' | 'must-not-sign' | undefined {
  const [unused = 0, first = 0, second = 0] = expectBody(readElements(value)[0], BIT_STRING);
  if (unused > 7) throw new MalformedDer();
  // Go reads nine bits, and takes a usage without any of them for an absent one.
  if (first === 0 && (second & 0x80) === 0) return undefined;
  return (first & KEY_CERT_SIGN) === 0 ? 'must-not-sign' : 'may-sign';
}

function readExtendedKeyUsage(value: Uint8Array): readonly string[] {
  return readInside(readElements(value)[0], SEQUENCE).map((id) =>
    readObjectIdentifier(expectBody(id, OBJECT_IDENTIFIER)),
  );
}

function readSubjectKeyId(value: Uint8Array): Uint8Array {
  return expectBody(readElements(value)[0], OCTET_STRING);
}

/** keyIdentifier [0], authorityCertIssuer [1] (RFC 5280, 4.2.1.1). */
function readAuthorityKeyId(value: Uint8Array): Pick<Extensions, 'authorityKeyId' | 'issuerOfIssuer'> {
  const fields = readInside(readElements(value)[0], SEQUENCE);
  const id = fields[0]?.tag === 0x80 ? fields[0].body : new Uint8Array();
  const names = fields.find(({ tag }) => tag === 0xa1)?.body ?? new Uint8Array();
  const directoryName = readElements(names).find(({ tag }) => tag === 0xa4)?.body;
  return { authorityKeyId: id, ...present('issuerOfIssuer', directoryName) };
}
