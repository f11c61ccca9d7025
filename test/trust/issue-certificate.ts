/**
 * Certificates for the tests of this room, good ones and such as no proper library writes: hence DER by hand. Without a
 * signer each is signed by a throw-away key, whatever its own key is: nobody verifies the signature of what is trusted by
 * itself.
 */
import { constants, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { bitString, integer, oid, sequence, tlv } from './write-der.ts';

export interface Wish {
  /** Common name; empty for a certificate without any subject. */
  readonly name?: string;
  /** `ok` without it. */
  readonly organization?: string;
  /** String type of the common name; without it UTF8String. */
  readonly nameType?: keyof typeof NAME_TAGS;
  readonly issuerType?: keyof typeof NAME_TAGS;
  /** Another name than the subject's makes the certificate look issued by another CA. */
  readonly issuer?: string;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
  readonly basicConstraints?: 'ca' | 'not-a-ca' | 'absent';
  readonly keyUsage?: 'digitalSignature' | 'keyCertSign';
  /** OIDs. */
  readonly extendedKeyUsage?: readonly string[];
  readonly dnsNames?: readonly string[];
  /** Four or sixteen bytes each. */
  readonly ips?: readonly (readonly number[])[];
  readonly pathLength?: number;
  /** More extensions, as DER: see `extension`. */
  readonly extensions?: readonly Buffer[];
  readonly publicKey?: KeyObject;
  readonly signer?: Signer;
  readonly serial?: 'positive' | 'negative';
}

export interface Signer {
  /** DER of its name, which becomes the issuer's. */
  readonly subject: Buffer;
  readonly privateKey: KeyObject;
  readonly algorithm: keyof typeof ALGORITHMS;
}

/** The time of all tests here. */
export const NOW = new Date('2026-06-01T12:00:00Z');
export const DAY = 24 * 60 * 60 * 1000;
export const daysFromNow = (days: number): Date => new Date(NOW.getTime() + days * DAY);

/** DER of a certificate; without wishes that of a CA that is valid from the day before NOW for a year. */
export function issueDer(wish: Wish = {}): Buffer {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = subjectOf(wish);
  const { signer = { subject, privateKey, algorithm: 'ecdsa-sha256' } } = wish;
  const issuer = wish.issuer === undefined ? signer.subject : nameOf(wish.issuer, 'ok', wish.issuerType);
  const { identifier, hash, padding } = ALGORITHMS[signer.algorithm];
  const body = sequence(
    tlv(0xa0, integer(2)),
    tlv(0x02, Buffer.from([wish.serial === 'negative' ? 0xfa : 0x7a, 1, 2, 3])),
    identifier,
    issuer,
    sequence(time(wish.notBefore ?? daysFromNow(-1)), time(wish.notAfter ?? daysFromNow(365))),
    subject,
    (wish.publicKey ?? publicKey).export({ type: 'spki', format: 'der' }),
    ...extensionsOf(wish),
  );
  const signature = sign(hash, body, { key: signer.privateKey, ...padding });
  return sequence(body, identifier, bitString(signature));
}

/** DER of the name that a certificate with this wish has. */
export function subjectOf(wish: Wish): Buffer {
  return nameOf(wish.name ?? 'ok test CA', wish.organization ?? 'ok', wish.nameType);
}

/** The same as PEM. */
export function issuePem(wish: Wish = {}): string {
  return toPem('CERTIFICATE', issueDer(wish));
}

/** PEM of 64 columns. */
export function toPem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

/** A private key as PEM. */
export function makeKey(type: 'pkcs8' | 'sec1' | 'encrypted'): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  if (type !== 'encrypted') return privateKey.export({ type, format: 'pem' }).toString();
  const lock = { cipher: 'aes-256-cbc', passphrase: 'test' };
  return privateKey.export({ type: 'pkcs8', format: 'pem', ...lock }).toString();
}

const NULL = tlv(0x05);
const SHA256 = sequence(oid('2.16.840.1.101.3.4.2.1'), NULL);
const MGF1 = sequence(oid('1.2.840.113549.1.1.8'), SHA256);
const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 };

function pss(salt: number): Buffer {
  return sequence(
    oid('1.2.840.113549.1.1.10'),
    sequence(tlv(0xa0, SHA256), tlv(0xa1, MGF1), tlv(0xa2, integer(salt))),
  );
}

/** `hash` null is that of Ed25519, which takes no other. */
const ALGORITHMS = {
  'ecdsa-sha256': { identifier: sequence(oid('1.2.840.10045.4.3.2')), hash: 'sha256', padding: {} },
  'ecdsa-sha1': { identifier: sequence(oid('1.2.840.10045.4.1')), hash: 'sha1', padding: {} },
  'rsa-sha256': { identifier: sequence(oid('1.2.840.113549.1.1.11'), NULL), hash: 'sha256', padding: {} },
  'rsa-sha1': { identifier: sequence(oid('1.2.840.113549.1.1.5'), NULL), hash: 'sha1', padding: {} },
  'rsa-md5': { identifier: sequence(oid('1.2.840.113549.1.1.4'), NULL), hash: 'md5', padding: {} },
  'rsa-pss': { identifier: pss(32), hash: 'sha256', padding: PSS },
  'rsa-pss-short-salt': { identifier: pss(20), hash: 'sha256', padding: { ...PSS, saltLength: 20 } },
  ed25519: { identifier: sequence(oid('1.3.101.112')), hash: null, padding: {} },
} as const;
const KEY_USAGE_BITS = { digitalSignature: [7, 0x80], keyCertSign: [2, 0x04] } as const;

function extensionsOf(wish: Wish): readonly Buffer[] {
  const { basicConstraints = 'ca', keyUsage, extendedKeyUsage, dnsNames, ips, pathLength } = wish;
  const extensions: Buffer[] = [];
  if (basicConstraints !== 'absent') {
    const ca = basicConstraints === 'ca' ? [TRUE] : [];
    const length = pathLength === undefined ? [] : [integer(pathLength)];
    extensions.push(extension('2.5.29.19', sequence(...ca, ...length)));
  }
  if (keyUsage !== undefined)
    extensions.push(extension('2.5.29.15', tlv(0x03, Buffer.from(KEY_USAGE_BITS[keyUsage]))));
  if (extendedKeyUsage !== undefined)
    extensions.push(extension('2.5.29.37', sequence(...extendedKeyUsage.map(oid))));
  if (dnsNames !== undefined || ips !== undefined) {
    const names = (dnsNames ?? []).map((name) => tlv(0x82, Buffer.from(name)));
    const addresses = (ips ?? []).map((ip) => tlv(0x87, Buffer.from(ip)));
    extensions.push(extension('2.5.29.17', sequence(...names, ...addresses)));
  }
  extensions.push(...(wish.extensions ?? []));
  return extensions.length === 0 ? [] : [tlv(0xa3, sequence(...extensions))];
}

const TRUE = tlv(0x01, Buffer.from([0xff]));

export function extension(id: string, value: Buffer, critical?: 'critical'): Buffer {
  return sequence(oid(id), ...(critical === undefined ? [] : [TRUE]), tlv(0x04, value));
}

const NAME_TAGS = {
  utf8: 0x0c,
  numeric: 0x12,
  printable: 0x13,
  t61: 0x14,
  ia5: 0x16,
  universal: 0x1c,
} as const;

function nameOf(commonName: string, organization: string, type: keyof typeof NAME_TAGS = 'utf8'): Buffer {
  return commonName === ''
    ? sequence()
    : sequence(attribute('2.5.4.3', commonName, type), attribute('2.5.4.10', organization, 'utf8'));
}

/** Other texts than UTF-8 have a byte for each character. */
function attribute(id: string, value: string, type: keyof typeof NAME_TAGS): Buffer {
  const bytes = Buffer.from(value, type === 'utf8' ? 'utf8' : 'latin1');
  return tlv(0x31, sequence(oid(id), tlv(NAME_TAGS[type], bytes)));
}

/** UTCTime up to 2049, then GeneralizedTime (RFC 5280, 4.1.2.5). */
function time(date: Date): Buffer {
  const text = date.toISOString().replace(/\.\d+|[-:T]/g, '');
  return date.getUTCFullYear() < 2050 ? tlv(0x17, Buffer.from(text.slice(2))) : tlv(0x18, Buffer.from(text));
}
