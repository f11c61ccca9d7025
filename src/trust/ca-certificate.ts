/**
 * One CA certificate, judged by what containerd (Go's crypto/x509) will make of it on a node.
 *
 * Invariant: what passes here can be loaded by Go and can sign the certificate of a TLS server. Go drops a
 * certificate of a bundle that it can't read without a word, so it has to be said here.
 */
import type { X509Certificate } from 'node:crypto';
import { type Diagnostic, error, warning } from '../diagnostic.ts';
import { hasReadableNames } from './name-strings.ts';
import { publicKeyFlaw } from './public-key.ts';

export interface CaCertificate {
  /** The subject as in `CN=…, O=…`; empty where the certificate has none. */
  readonly subject: string;
  /** SHA-256 over the DER: `sha256:` and 64 lower-case hex digits. */
  readonly fingerprint: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/**
 * The certificate in `der`, or undefined where that is anything else, has bytes behind it, or isn't DER at all.
 */
export function decodeCertificate(der: Uint8Array): X509Certificate | undefined {
  try {
    const certificate = new (crypto().X509Certificate)(der);
    // OpenSSL ignores what follows the certificate, and reads PEM here too; Go does neither.
    return certificate.raw.equals(der) ? certificate : undefined;
  } catch {
    return undefined;
  }
}

/** What is worth to know of a certificate. */
export function describeCertificate(certificate: X509Certificate): CaCertificate {
  return {
    // No subject at all reads as undefined, whatever the types say. Control characters come escaped.
    subject: String(certificate.subject ?? '')
      .split('\n')
      .join(', '),
    fingerprint: `sha256:${certificate.fingerprint256.replaceAll(':', '').toLowerCase()}`,
    notBefore: certificate.validFromDate,
    notAfter: certificate.validToDate,
  };
}

/**
 * What is wrong with a certificate as a registry's CA at `now`. `which` names it in messages: `Certificate 2 of 3 (…)`.
 * Codes: CA_INVALID, CA_NOT_A_CA, CA_EXPIRED, CA_NOT_YET_VALID (errors), CA_EXPIRES_SOON (a warning).
 */
export function judgeCertificate(
  certificate: X509Certificate,
  which: string,
  now: Date,
): readonly Diagnostic[] {
  return [
    ...judgeEncoding(certificate, which),
    ...judgePurpose(certificate, which),
    ...judgeValidity(certificate, which, now),
  ];
}

const DAY = 24 * 60 * 60 * 1000;
const SOON_DAYS = 30;

function judgeValidity(certificate: X509Certificate, which: string, now: Date): readonly Diagnostic[] {
  const notBefore = certificate.validFromDate.getTime();
  const notAfter = certificate.validToDate.getTime();
  if (Number.isNaN(notBefore) || Number.isNaN(notAfter)) {
    return [error('CA_INVALID', `${which} has no readable validity.`, 'Have the CA issued anew.')];
  }
  const left = notAfter - now.getTime();
  if (left <= 0) {
    const message = `${which} expired on ${day(notAfter)}.`;
    return [error('CA_EXPIRED', message, 'Renew the CA, or take the expired certificate out of the bundle.')];
  }
  if (notBefore > now.getTime()) {
    const message = `${which} is not valid before ${new Date(notBefore).toISOString()}.`;
    return [
      error('CA_NOT_YET_VALID', message, 'Compare the clocks of this machine and of the issuer, or wait.'),
    ];
  }
  if (left >= SOON_DAYS * DAY) return [];
  const days = Math.floor(left / DAY);
  const message = `${which} expires on ${day(notAfter)}, in ${days} ${days === 1 ? 'day' : 'days'}.`;
  return [
    warning('CA_EXPIRES_SOON', message, 'Renew the CA and roll out old and new together before that day.'),
  ];
}

const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const ANY_USAGE = '2.5.29.37.0';

function judgePurpose(certificate: X509Certificate, which: string): readonly Diagnostic[] {
  const usages: readonly string[] = certificate.keyUsage ?? [];
  if (!certificate.ca) return [notACa(certificate, which, usages)];
  // Go asks every certificate of a chain that limits its extended key usage, the root too.
  if (usages.length === 0 || usages.includes(SERVER_AUTH) || usages.includes(ANY_USAGE)) return [];
  const message = `${which} is a CA for other purposes than TLS servers (extended key usage).`;
  return [error('CA_NOT_A_CA', message, 'Use a CA without extended key usage, or with serverAuth in it.')];
}

function notACa(certificate: X509Certificate, which: string, usages: readonly string[]): Diagnostic {
  const forServer = certificate.subjectAltName !== undefined || usages.includes(SERVER_AUTH);
  if (!forServer) {
    const hint =
      'A CA has basicConstraints CA:TRUE and, where it states its key usage, keyCertSign: take the certificate of the CA.';
    return error('CA_NOT_A_CA', `${which} is not a CA.`, hint);
  }
  if (certificate.subject === certificate.issuer) {
    const hint =
      'Have the server certificate issued by a CA (CA:TRUE), and give the certificate of that CA here.';
    return error('CA_NOT_A_CA', `${which} is a self-signed server certificate, not a CA.`, hint);
  }
  const hint =
    "This is the server's certificate; the CA that signed it is needed. In cert-manager it is ca.crt, not tls.crt.";
  return error('CA_NOT_A_CA', `${which} is not a CA.`, hint);
}

function judgeEncoding(certificate: X509Certificate, which: string): readonly Diagnostic[] {
  const flaw = certificate.serialNumber.startsWith('-')
    ? 'has a negative serial number'
    : (publicKeyFlaw(certificate)?.text ?? nameFlaw(certificate));
  if (flaw === undefined) return [];
  const hint = 'Have the CA issued anew: ECDSA P-256, Ed25519, or RSA of 2048 bits and more.';
  return [error('CA_INVALID', `${which} ${flaw}, which containerd does not accept.`, hint)];
}

function nameFlaw(certificate: X509Certificate): string | undefined {
  return hasReadableNames(certificate.raw)
    ? undefined
    : 'has a name with characters that its string type does not allow';
}

function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/**
 * Loaded at the first certificate: it takes a fifth of the start-up time of Node, and checks, placeholders and
 * pass-through never need it.
 */
function crypto(): typeof import('node:crypto') {
  return process.getBuiltinModule('node:crypto');
}
