/**
 * Every path from the leaf to the bundle, found and bounded as in Go's `buildChains`.
 *
 * Where there is none, the failure is the one that Go reports: that of the last candidate which went wrong by more than
 * its signature, else that there is no issuer.
 */
import { sameBytes } from '../der.ts';
import type { Certificate } from './certificate.ts';
import { type Pool, parentsIn } from './pool.ts';
import { signatureFlaw } from './signature.ts';

/** Leaf first, a certificate of the bundle last. */
export type Path = readonly Certificate[];

export type Role = 'leaf' | 'intermediate' | 'anchor';

export type PathFailure =
  /** No issuer of `certificate`, the last of a path, was found. */
  | { readonly kind: 'no-issuer'; readonly certificate: Certificate }
  | { readonly kind: 'expired' | 'not-yet-valid'; readonly certificate: Certificate; readonly role: Role }
  | {
      readonly kind: 'critical-extension' | 'not-a-ca' | 'path-length' | 'too-many-signatures';
      readonly certificate: Certificate;
    };

export interface Paths {
  readonly found: readonly Path[];
  /** Why there is none; undefined when there is one. */
  readonly failure: PathFailure | undefined;
}

export interface Pools {
  readonly anchors: Pool;
  readonly intermediates: Pool;
}

const MAX_SIGNATURE_CHECKS = 100;

export function findPaths(leaf: Certificate, pools: Pools, now: Date): Paths {
  const search = { pools, now, signatureChecks: 0 };
  return extend([leaf], leaf, search);
}

/** What is wrong with `certificate` itself at the end of `path` (Go's `isValid`). */
export function certificateFailure(
  certificate: Certificate,
  role: Role,
  path: Path,
  now: Date,
): PathFailure | undefined {
  const { basicConstraints } = certificate;
  if (certificate.critical === 'unknown') return { kind: 'critical-extension', certificate };
  if (now < certificate.notBefore) return { kind: 'not-yet-valid', certificate, role };
  if (now > certificate.notAfter) return { kind: 'expired', certificate, role };
  if (role === 'intermediate' && basicConstraints?.ca !== true) return { kind: 'not-a-ca', certificate };
  const { pathLength } = basicConstraints ?? {};
  return pathLength !== undefined && path.length - 1 > pathLength
    ? { kind: 'path-length', certificate }
    : undefined;
}

interface Search {
  readonly pools: Pools;
  readonly now: Date;
  signatureChecks: number;
}

function extend(path: Path, child: Certificate, search: Search): Paths {
  const { anchors, intermediates } = search.pools;
  const candidates = [
    ...parentsIn(anchors, child).map((parent) => ({ parent, role: 'anchor' as const })),
    ...parentsIn(intermediates, child).map((parent) => ({ parent, role: 'intermediate' as const })),
  ];
  const found: Path[] = [];
  let failure: PathFailure | undefined;
  for (const { parent, role } of candidates) {
    search.signatureChecks += 1;
    if (search.signatureChecks > MAX_SIGNATURE_CHECKS) {
      failure = { kind: 'too-many-signatures', certificate: child };
      break;
    }
    if (isInPath(parent, path) || signatureFlaw(child, parent) !== undefined) continue;
    failure = certificateFailure(parent, role, path, search.now);
    if (failure !== undefined) continue;
    if (role === 'anchor') {
      found.push([...path, parent]);
      continue;
    }
    const below = extend([...path, parent], parent, search);
    found.push(...below.found);
    failure = below.failure;
    if (failure?.kind === 'too-many-signatures') break;
  }
  if (found.length > 0) return { found, failure: undefined };
  return { found, failure: failure ?? { kind: 'no-issuer', certificate: child } };
}

/** Go's `alreadyInChain`: the same subject, key and alternative names; cross-signed CAs would lead in a circle. */
function isInPath(candidate: Certificate, path: Path): boolean {
  const names = candidate.alternativeNames?.raw;
  for (const certificate of path) {
    if (!sameBytes(candidate.subject, certificate.subject)) continue;
    if (!sameBytes(candidate.publicKey, certificate.publicKey)) continue;
    const others = certificate.alternativeNames?.raw;
    if (names === undefined || others === undefined) return names === others;
    if (sameBytes(names, others)) return true;
  }
  return false;
}
