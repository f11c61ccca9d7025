/** Whether one certificate signed another, as Go decides (`CheckSignatureFrom`). */
import { publicKeyFlaw, publicKeyOf } from '../public-key.ts';
import type { Certificate } from './certificate.ts';
import type { SignatureAlgorithm } from './signature-algorithm.ts';

/** What speaks against a signature; `mismatch` is that of another key. */
export type SignatureFlaw =
  | 'not-a-ca'
  | 'key-usage'
  | 'weak-signature'
  | 'signature-algorithm'
  | 'key'
  | 'mismatch';

const KEY_KINDS: Readonly<Record<string, SignatureAlgorithm>> = { rsa: 'rsa', ec: 'ec', ed25519: 'ed25519' };

/** The first flaw in Go's order, or undefined for a signature that counts. */
export function signatureFlaw(child: Certificate, parent: Certificate): SignatureFlaw | undefined {
  const { basicConstraints, keyUsage, version } = parent;
  if (basicConstraints === undefined ? version === 3 : !basicConstraints.ca) return 'not-a-ca';
  if (keyUsage === 'must-not-sign') return 'key-usage';
  const algorithm = child.signatureAlgorithm;
  if (algorithm === 'weak') return 'weak-signature';
  if (algorithm === 'unsupported') return 'signature-algorithm';
  if (publicKeyFlaw(parent.x509) !== undefined) return 'key';
  const kind = KEY_KINDS[publicKeyOf(parent.x509)?.asymmetricKeyType ?? ''];
  return kind === algorithm && isSignedBy(child, parent) ? undefined : 'mismatch';
}

/** Whether the key fits the signature, be the signature of use or not. */
export function isSignedBy(child: Certificate, parent: Certificate): boolean {
  const key = publicKeyOf(parent.x509);
  try {
    return key !== undefined && child.x509.verify(key);
  } catch {
    return false;
  }
}
