/**
 * Why the bundle does not lead to the last certificate of a served path.
 *
 * Go says "signed by unknown authority" of them all. What can be proven comes first; what the server does not send can
 * only be guessed.
 */
import { MalformedDer, readElements, readInside, SEQUENCE, sameBytes } from '../der.ts';
import type { Certificate } from './certificate.ts';
import type { Pools } from './paths.ts';
import { isSame, type Pool, parentsIn } from './pool.ts';
import { isSignedBy, type SignatureFlaw, signatureFlaw } from './signature.ts';
import type { UnknownAuthorityEvidence, UnknownAuthorityReason } from './verdict.ts';

export type Explanation =
  | {
      readonly kind: 'unknown-authority';
      readonly reason: UnknownAuthorityReason;
      readonly evidence: UnknownAuthorityEvidence;
    }
  /** The issuer is known and its key fits, but the signature doesn't count. */
  | {
      readonly kind: 'not-allowed';
      readonly rule: Exclude<SignatureFlaw, 'mismatch'>;
      readonly certificate: Certificate;
    };

/** `last` is the leaf when nothing above it was found. */
export function explainNoIssuer(last: Certificate, leaf: Certificate, pools: Pools): Explanation {
  const { anchors, intermediates } = pools;
  for (const parent of [...parentsIn(anchors, last), ...parentsIn(intermediates, last)]) {
    const rule = signatureFlaw(last, parent);
    if (rule === undefined || rule === 'mismatch' || isSame(last, parent) || !isSignedBy(last, parent))
      continue;
    const isOfChild = rule === 'weak-signature' || rule === 'signature-algorithm';
    return { kind: 'not-allowed', rule, certificate: isOfChild ? last : parent };
  }
  const [reason, evidence] = reasonOf(last, leaf, pools);
  return { kind: 'unknown-authority', reason, evidence };
}

function reasonOf(
  last: Certificate,
  leaf: Certificate,
  { anchors, intermediates }: Pools,
): readonly [UnknownAuthorityReason, UnknownAuthorityEvidence] {
  if (parentsIn(anchors, last).length > 0) return ['same-name-other-key', 'bundle-has-name'];
  if (sameBytes(last.subject, last.issuer) && isSignedBy(last, last))
    return last === leaf ? ['self-signed', 'signed-by-itself'] : ['foreign-authority', 'root-served'];
  if (anchors.every(({ basicConstraints }) => basicConstraints?.pathLength === 0))
    return ['foreign-authority', 'no-intermediate-allowed'];
  const { issuerOfIssuer } = last;
  if (issuerOfIssuer !== undefined && hasSubject(anchors, issuerOfIssuer))
    return ['missing-intermediate', 'issuer-of-issuer'];
  if (issuerOfIssuer !== undefined && sameBytes(issuerOfIssuer, last.issuer))
    return ['foreign-authority', 'issuer-of-issuer'];
  const organizations = organizationsIn(last.issuer);
  if (anchors.some(({ subject }) => organizationsIn(subject).some((name) => organizations.includes(name))))
    return ['missing-intermediate', 'shared-organization'];
  return [intermediates.length === 0 ? 'missing-intermediate' : 'foreign-authority', 'issuer-not-served'];
}

function hasSubject(pool: Pool, name: Uint8Array): boolean {
  return pool.some(({ subject }) => sameBytes(subject, name));
}

/** organizationName, 2.5.4.10, as DER. */
const ORGANIZATION = Uint8Array.from([0x55, 0x04, 0x0a]);

/** Organizations in a name, as texts in one spelling. */
function organizationsIn(name: Uint8Array): readonly string[] {
  try {
    return readInside(readElements(name)[0], SEQUENCE)
      .flatMap((set) => readElements(set.body))
      .map((attribute) => readInside(attribute, SEQUENCE))
      .filter(([type]) => type !== undefined && sameBytes(type.body, ORGANIZATION))
      .map(([, value]) =>
        Buffer.from(value?.body ?? [])
          .toString('utf8')
          .trim()
          .toLowerCase(),
      );
  } catch (thrown) {
    if (thrown instanceof MalformedDer) return [];
    throw thrown;
  }
}
