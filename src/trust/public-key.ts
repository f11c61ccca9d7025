/** Public keys that OpenSSL takes and Go doesn't (crypto/x509 and crypto/tls, 1.24 on). */
import type { KeyObject, X509Certificate } from 'node:crypto';

export interface KeyFlaw {
  /** A predicate for a message: "has a key …". */
  readonly text: string;
  /** Whether Go refuses the whole certificate, or reads it and can't verify anything by its key. */
  readonly go: 'unreadable' | 'unusable';
}

/** Named curves that Go knows, with the length of a public key (SPKI in DER) whose point is not compressed. */
const CURVES: Readonly<Record<string, number>> = {
  secp224r1: 80,
  prime256v1: 91,
  secp384r1: 120,
  secp521r1: 158,
};
const MAX_RSA_EXPONENT = 2n ** 31n - 1n;

export function publicKeyFlaw(certificate: X509Certificate): KeyFlaw | undefined {
  const key = publicKeyOf(certificate);
  const details = key?.asymmetricKeyDetails ?? {};
  switch (key?.asymmetricKeyType) {
    case 'ed25519':
      return undefined;
    case 'rsa':
      if ((details.modulusLength ?? 0) < 1024)
        return { text: 'has an RSA key of less than 1024 bits', go: 'unusable' };
      return (details.publicExponent ?? 0n) > MAX_RSA_EXPONENT
        ? { text: 'has an RSA key with an oversized exponent', go: 'unusable' }
        : undefined;
    case 'ec': {
      const expected = CURVES[details.namedCurve ?? ''];
      if (expected === undefined) return { text: 'has a key on a rare elliptic curve', go: 'unreadable' };
      const { length } = key.export({ type: 'spki', format: 'der' });
      return length === expected
        ? undefined
        : { text: 'has an elliptic curve key in a rare encoding', go: 'unreadable' };
    }
    default:
      return { text: 'has a key of a rare kind', go: 'unusable' };
  }
}

/** Undefined where OpenSSL can't read it. */
export function publicKeyOf(certificate: X509Certificate): KeyObject | undefined {
  try {
    return certificate.publicKey;
  } catch {
    return undefined;
  }
}
