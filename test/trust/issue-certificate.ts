/**
 * Certificates for the tests of this room, good ones and such as no proper library writes: hence DER by hand. Each is
 * signed by a throw-away key, whatever its own key is: nobody verifies the signature of what is trusted by itself.
 */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export interface Wish {
  /** Common name; empty for a certificate without any subject. */
  readonly name?: string;
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
  readonly publicKey?: KeyObject;
  readonly serial?: 'positive' | 'negative';
}

/** The time of all tests here. */
export const NOW = new Date('2026-06-01T12:00:00Z');
export const DAY = 24 * 60 * 60 * 1000;
export const daysFromNow = (days: number): Date => new Date(NOW.getTime() + days * DAY);

/** DER of a certificate; without wishes that of a CA that is valid from the day before NOW for a year. */
export function issueDer(wish: Wish = {}): Buffer {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = nameOf(wish.name ?? 'ok test CA', wish.nameType);
  const body = sequence(
    tlv(0xa0, integer(2)),
    tlv(0x02, Buffer.from([wish.serial === 'negative' ? 0xfa : 0x7a, 1, 2, 3])),
    SIGNATURE_ALGORITHM,
    wish.issuer === undefined ? subject : nameOf(wish.issuer, wish.issuerType),
    sequence(time(wish.notBefore ?? daysFromNow(-1)), time(wish.notAfter ?? daysFromNow(365))),
    subject,
    (wish.publicKey ?? keys.publicKey).export({ type: 'spki', format: 'der' }),
    ...extensionsOf(wish),
  );
  return sequence(body, SIGNATURE_ALGORITHM, bitString(sign('sha256', body, keys.privateKey)));
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

/** ecdsa-with-SHA256 */
const SIGNATURE_ALGORITHM = sequence(oid('1.2.840.10045.4.3.2'));
const KEY_USAGE_BITS = { digitalSignature: [7, 0x80], keyCertSign: [2, 0x04] } as const;

function extensionsOf(wish: Wish): readonly Buffer[] {
  const { basicConstraints = 'ca', keyUsage, extendedKeyUsage, dnsNames } = wish;
  const extensions: Buffer[] = [];
  if (basicConstraints !== 'absent') {
    extensions.push(
      extension(
        '2.5.29.19',
        basicConstraints === 'ca' ? sequence(tlv(0x01, Buffer.from([0xff]))) : sequence(),
      ),
    );
  }
  if (keyUsage !== undefined)
    extensions.push(extension('2.5.29.15', tlv(0x03, Buffer.from(KEY_USAGE_BITS[keyUsage]))));
  if (extendedKeyUsage !== undefined)
    extensions.push(extension('2.5.29.37', sequence(...extendedKeyUsage.map(oid))));
  if (dnsNames !== undefined) {
    extensions.push(
      extension('2.5.29.17', sequence(...dnsNames.map((name) => tlv(0x82, Buffer.from(name))))),
    );
  }
  return extensions.length === 0 ? [] : [tlv(0xa3, sequence(...extensions))];
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(oid(id), tlv(0x04, value));
}

const NAME_TAGS = {
  utf8: 0x0c,
  numeric: 0x12,
  printable: 0x13,
  t61: 0x14,
  ia5: 0x16,
  universal: 0x1c,
} as const;

function nameOf(commonName: string, type: keyof typeof NAME_TAGS = 'utf8'): Buffer {
  return commonName === ''
    ? sequence()
    : sequence(attribute('2.5.4.3', commonName, type), attribute('2.5.4.10', 'ok', 'utf8'));
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

function bitString(bytes: Buffer): Buffer {
  return tlv(0x03, Buffer.from([0]), bytes);
}

function integer(value: number): Buffer {
  return tlv(0x02, Buffer.from([value]));
}

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return tlv(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): readonly number[] {
  const digits = [value & 0x7f];
  for (let left = value >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return tlv(0x30, ...parts);
}

function tlv(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}
