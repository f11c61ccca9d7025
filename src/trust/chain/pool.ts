/** A set of certificates, from which come those that may have signed one (Go's `CertPool`). */
import { sameBytes } from '../der.ts';
import type { Certificate } from './certificate.ts';

/** Without doubles, in their order. */
export type Pool = readonly Certificate[];

export function makePool(certificates: readonly Certificate[]): Pool {
  return certificates.filter(
    (certificate, index) => certificates.findIndex((other) => isSame(other, certificate)) === index,
  );
}

/** Those named like the issuer, those first whose key identifier fits too. */
export function parentsIn(pool: Pool, child: Certificate): readonly Certificate[] {
  return pool
    .filter(({ subject }) => sameBytes(subject, child.issuer))
    .map((parent) => ({ parent, rank: rankKeyId(parent.subjectKeyId, child.authorityKeyId) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ parent }) => parent);
}

export function isSame(a: Certificate, b: Certificate): boolean {
  return sameBytes(a.x509.raw, b.x509.raw);
}

function rankKeyId(subject: Uint8Array, authority: Uint8Array): number {
  if (sameBytes(subject, authority)) return 0;
  return subject.length === 0 || authority.length === 0 ? 1 : 2;
}
