/**
 * A certificate as Go's crypto/x509 sees it (`parseCertificate`), with what Node does not tell: raw names, critical
 * extensions, path length, name constraints.
 */
import type { X509Certificate } from 'node:crypto';
import {
  BIT_STRING,
  expectBody,
  INTEGER,
  MalformedDer,
  readCount,
  readElements,
  readInside,
  SEQUENCE,
  sameBytes,
} from '../der.ts';
import { hasReadableNames } from '../name-strings.ts';
import { publicKeyFlaw } from '../public-key.ts';
import { type Extensions, readExtensions } from './extensions.ts';
import { readSignatureAlgorithm, type SignatureAlgorithm } from './signature-algorithm.ts';

export interface Certificate extends Extensions {
  readonly x509: X509Certificate;
  /** 1, 2 or 3. */
  readonly version: number;
  /** Names and key as DER, which Go compares byte by byte. */
  readonly subject: Uint8Array;
  readonly issuer: Uint8Array;
  readonly publicKey: Uint8Array;
  readonly signatureAlgorithm: SignatureAlgorithm;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/** Undefined where Go can't parse the certificate, though OpenSSL did. */
export function readCertificate(x509: X509Certificate): Certificate | undefined {
  try {
    return read(x509);
  } catch (thrown) {
    if (thrown instanceof MalformedDer) return undefined;
    throw thrown;
  }
}

const VERSION = 0xa0;
const EXTENSIONS = 0xa3;

function read(x509: X509Certificate): Certificate {
  const [certificate, ...more] = readElements(x509.raw);
  const [body, outerAlgorithm, signature] = readInside(certificate, SEQUENCE);
  const fields = [...readInside(body, SEQUENCE)];
  const version = fields[0]?.tag === VERSION ? readVersion(fields.shift()?.body) : 1;
  const [serial, algorithm, issuer, , subject, publicKey, ...optional] = fields;
  expectBody(signature, BIT_STRING);
  readCount(expectBody(serial, INTEGER).subarray(0, 1));
  if (more.length > 0 || !sameBytes(expectBody(outerAlgorithm, SEQUENCE), expectBody(algorithm, SEQUENCE)))
    throw new MalformedDer();
  const [notBefore, notAfter] = [x509.validFromDate, x509.validToDate];
  if (Number.isNaN(notBefore.getTime()) || Number.isNaN(notAfter.getTime())) throw new MalformedDer();
  if (!hasReadableNames(x509.raw) || publicKeyFlaw(x509)?.go === 'unreadable') throw new MalformedDer();
  for (const name of [issuer, subject, publicKey]) expectBody(name, SEQUENCE);
  const extensions = version === 3 ? optional.find(({ tag }) => tag === EXTENSIONS) : undefined;
  return {
    x509,
    version,
    subject: subject?.whole ?? new Uint8Array(),
    issuer: issuer?.whole ?? new Uint8Array(),
    publicKey: publicKey?.whole ?? new Uint8Array(),
    signatureAlgorithm: readSignatureAlgorithm(algorithm),
    notBefore,
    notAfter,
    ...readExtensions(extensions),
  };
}

function readVersion(body: Uint8Array = new Uint8Array()): number {
  const [number] = readElements(body);
  const version = readCount(expectBody(number, INTEGER)) + 1;
  if (version > 3) throw new MalformedDer();
  return version;
}
