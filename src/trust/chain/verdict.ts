/** What a node will say of the certificates that a registry serves. */

export type ChainVerdict = Trusted | ChainRefused;

/** Every verdict but `trusted`. */
export type ChainRefused = UnknownAuthority | NameMismatch | OutOfValidity | NotAllowed;

export interface Trusted {
  readonly kind: 'trusted';
  /** The certificate of the bundle in the path that a node finds first. */
  readonly anchor: Anchor;
  /** Every certificate of the bundle that verifies the leaf, `anchor` first: while a CA is replaced there may be two. */
  readonly anchors: readonly Anchor[];
  readonly leaf: LeafFacts;
}

export interface UnknownAuthority {
  readonly kind: 'unknown-authority';
  /** The name in the last certificate of the served path for the one that signed it; empty where it has none. */
  readonly issuer: string;
  readonly reason: UnknownAuthorityReason;
  readonly evidence: UnknownAuthorityEvidence;
  readonly leaf: LeafFacts;
}

export type UnknownAuthorityReason =
  /** The server does not send the certificate between its own and the bundle. */
  | 'missing-intermediate'
  /** Another CA than those of the bundle has issued the served certificate. */
  | 'foreign-authority'
  /** The bundle has a CA of the issuer's name, but with another key: it was issued anew. */
  | 'same-name-other-key'
  /** The leaf signed itself: often the default certificate of an ingress. */
  | 'self-signed';

/**
 * What the reason was read from. All but the last two are proof. What the server doesn't send can't be seen from the
 * outside, so a message about one of those two has to name both, the missing intermediate and the foreign CA.
 */
export type UnknownAuthorityEvidence =
  /** The bundle has the issuer's name, and none of its keys verifies the signature. */
  | 'bundle-has-name'
  /** The leaf's own key verifies its signature. */
  | 'signed-by-itself'
  /** The served path ends in a self-signed certificate. */
  | 'root-served'
  /** The authority key identifier names who issued the issuer's certificate. */
  | 'issuer-of-issuer'
  /** No CA of the bundle may have an intermediate (path length 0). */
  | 'no-intermediate-allowed'
  /** The issuer's name has an organization in common with a CA of the bundle. A guess. */
  | 'shared-organization'
  /**
   * The issuer is neither served nor in the bundle, and nothing else tells. A guess: `missing-intermediate` when the leaf
   * came alone, `foreign-authority` when the server does send intermediates.
   */
  | 'issuer-not-served';

export interface NameMismatch {
  readonly kind: 'name-mismatch';
  /** The name without port. */
  readonly wanted: string;
  /** DNS names and IP addresses in the certificate, in this order. They are foreign text, possibly with control characters. */
  readonly names: readonly string[];
  readonly reason: 'other-names' | 'no-san' | 'ip-without-ip-san';
  readonly leaf: LeafFacts;
}

export interface OutOfValidity {
  readonly kind: 'expired' | 'not-yet-valid';
  readonly which: 'leaf' | 'intermediate' | 'anchor';
  readonly subject: string;
  /** The end of its validity, or the start. */
  readonly at: Date;
  readonly leaf: LeafFacts;
}

export interface NotAllowed {
  readonly kind: 'not-allowed';
  readonly rule: ChainRule;
  /** Subject of the certificate that breaks the rule or, for name constraints and path length, that sets it. */
  readonly subject: string;
  readonly leaf: LeafFacts;
}

export type ChainRule =
  /** Go can't parse the certificate; one such among the served is enough to end the handshake. */
  | 'unreadable'
  /** A critical extension that Go does not know. */
  | 'critical-extension'
  /** It signed another certificate without basicConstraints CA:TRUE. */
  | 'not-a-ca'
  /** It signed another certificate without keyCertSign in its key usage. */
  | 'key-usage'
  | 'path-length'
  /** An extended key usage without serverAuth, in the leaf or in a CA above it. */
  | 'extended-key-usage'
  | 'name-constraints'
  /** Policies that the certificate or a CA above it requires are missing. */
  | 'policies'
  /** It is signed with MD5 or SHA-1. */
  | 'weak-signature'
  /** It is signed in a way that Go can't verify. */
  | 'signature-algorithm'
  /** Its key is too short, too long, or of a kind that Go's TLS does not take. */
  | 'key'
  /** More than 100 signatures would have to be checked. */
  | 'too-many-signatures';

/** A certificate of the bundle. */
export interface Anchor {
  readonly subject: string;
  /** SHA-256 over the DER: `sha256:` and 64 lower-case hex digits. */
  readonly fingerprint: string;
  readonly notAfter: Date;
}

/** The certificate that the server sent first. */
export interface LeafFacts extends Anchor {
  readonly notBefore: Date;
}
