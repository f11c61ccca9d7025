/**
 * What a node will say of the certificates that a registry serves: the judgement of a TLS client in Go (containerd on
 * Talos) whose only roots are our bundle. Written after Go 1.26, crypto/x509 `Certificate.Verify` and crypto/tls; a test
 * asks Go itself about the same chains.
 *
 * When several things are wrong, the kind is the one that Go reports, for that is what stands in the node's log: first a
 * certificate that can't be read, then the leaf by itself (critical extension, validity), its names, the path to the
 * bundle (the last candidate that failed; of validity before an unknown authority where both are on one path), at last
 * the rules about a whole path. There is one difference: Go says "signed by unknown authority (possibly because of …)"
 * when an issuer is there and its key fits, but its signature does not count (SHA-1, no CA, no keyCertSign). Here that is
 * `not-allowed`, with the rule that is broken.
 */
import type { X509Certificate } from 'node:crypto';
import type { CaBundle } from './ca-bundle.ts';
import { decodeCertificate, describeCertificate } from './ca-certificate.ts';
import { coverHost, ipBytes, ipText } from './chain/alternative-names.ts';
import { type Certificate, readCertificate } from './chain/certificate.ts';
import { brokenRule } from './chain/path-rules.ts';
import { certificateFailure, findPaths, type Path, type PathFailure, type Pools } from './chain/paths.ts';
import { isSame, makePool } from './chain/pool.ts';
import { explainNoIssuer } from './chain/unknown-authority.ts';
import type {
  Anchor,
  ChainRefused,
  ChainRule,
  ChainVerdict,
  LeafFacts,
  NameMismatch,
} from './chain/verdict.ts';
import { readPem } from './pem.ts';
import { publicKeyFlaw, publicKeyOf } from './public-key.ts';
import type { RegistryHost } from './registry-host.ts';

export type * from './chain/verdict.ts';

export interface ServedChain {
  /** As the server sent them, the leaf first; at least one. */
  readonly served: readonly X509Certificate[];
  readonly ca: CaBundle;
  readonly host: RegistryHost;
  readonly now: Date;
}

/** The judgement of a node. Never throws, whatever the server sent. */
export function judgeChain({ served, ca, host, now }: ServedChain): ChainVerdict {
  const [first] = served;
  if (first === undefined) throw new TypeError('no certificate was served');
  const facts = describeCertificate(first);
  const certificates: Certificate[] = [];
  for (const x509 of served) {
    const certificate = readCertificate(x509);
    if (certificate === undefined) return notAllowed('unreadable', x509, facts);
    if (rsaBits(x509) > MAX_RSA_BITS) return notAllowed('key', x509, facts);
    certificates.push(certificate);
  }
  const [leaf, ...others] = certificates;
  if (leaf === undefined) throw new TypeError('unreachable');
  const pools: Pools = { anchors: makePool(readBundle(ca)), intermediates: makePool(others) };
  const context: Context = { leaf, facts, pools };

  const failure = certificateFailure(leaf, 'leaf', [], now);
  if (failure !== undefined) return refuse(failure, context);
  if (leaf.alternativeNames === undefined || !coverHost(leaf.alternativeNames, host.name))
    return nameMismatch(leaf, host.name, facts);
  if (pools.anchors.some((anchor) => isSame(anchor, leaf))) return judgePaths([[leaf]], context);
  const paths = findPaths(leaf, pools, now);
  return paths.failure === undefined ? judgePaths(paths.found, context) : refuse(paths.failure, context);
}

interface Context {
  readonly leaf: Certificate;
  readonly facts: LeafFacts;
  readonly pools: Pools;
}

/** Go's crypto/tls refuses longer keys anywhere in what is served. */
const MAX_RSA_BITS = 8192;

function rsaBits(x509: X509Certificate): number {
  const key = publicKeyOf(x509);
  return key?.asymmetricKeyType === 'rsa' ? (key.asymmetricKeyDetails?.modulusLength ?? 0) : 0;
}

/** Every certificate of the bundle is an anchor, be it a root, an intermediate or the leaf. What Go can't read, it skips. */
function readBundle(ca: CaBundle): readonly Certificate[] {
  return readPem(ca.pem.reveal()).blocks.flatMap((block) => {
    const x509 = decodeCertificate(block.der.reveal());
    return (x509 === undefined ? undefined : readCertificate(x509)) ?? [];
  });
}

function judgePaths(found: readonly Path[], { leaf, facts }: Context): ChainVerdict {
  const broken = found.map(brokenRule);
  const [path, ...more] = found.filter((_, index) => broken[index] === undefined);
  if (path === undefined) {
    // Go prefers to report name constraints.
    const worst = broken.find((one) => one?.rule === 'name-constraints') ?? broken[0];
    return notAllowed(worst?.rule ?? 'unreadable', (worst?.certificate ?? leaf).x509, facts);
  }
  if (publicKeyFlaw(leaf.x509) !== undefined) return notAllowed('key', leaf.x509, facts);
  const ends = makePool([path, ...more].flatMap((one) => one.at(-1) ?? []));
  const [anchor = facts, ...anchors] = ends.map(({ x509 }) => anchorOf(x509));
  return { kind: 'trusted', anchor, anchors: [anchor, ...anchors], leaf: facts };
}

function refuse(failure: PathFailure, { leaf, facts, pools }: Context): ChainRefused {
  const { kind, certificate } = failure;
  switch (kind) {
    case 'expired':
    case 'not-yet-valid': {
      const { subject } = describeCertificate(certificate.x509);
      const at = kind === 'expired' ? certificate.notAfter : certificate.notBefore;
      return { kind, which: failure.role, subject, at, leaf: facts };
    }
    case 'no-issuer': {
      const explained = explainNoIssuer(certificate, leaf, pools);
      if (explained.kind === 'not-allowed')
        return notAllowed(explained.rule, explained.certificate.x509, facts);
      const { reason, evidence } = explained;
      return { kind: 'unknown-authority', issuer: issuerOf(certificate.x509), reason, evidence, leaf: facts };
    }
    default:
      return notAllowed(kind, certificate.x509, facts);
  }
}

function nameMismatch({ alternativeNames }: Certificate, wanted: string, leaf: LeafFacts): NameMismatch {
  const { dns = [], ips = [] } = alternativeNames ?? {};
  const names = [...dns, ...ips.map(ipText)];
  const otherNames = ipBytes(wanted) !== undefined && ips.length === 0 ? 'ip-without-ip-san' : 'other-names';
  const reason = alternativeNames === undefined ? 'no-san' : otherNames;
  return { kind: 'name-mismatch', wanted, names, reason, leaf };
}

function notAllowed(rule: ChainRule, x509: X509Certificate, leaf: LeafFacts): ChainRefused {
  return { kind: 'not-allowed', rule, subject: describeCertificate(x509).subject, leaf };
}

function anchorOf(x509: X509Certificate): Anchor {
  const { subject, fingerprint, notAfter } = describeCertificate(x509);
  return { subject, fingerprint, notAfter };
}

function issuerOf(x509: X509Certificate): string {
  return String(x509.issuer ?? '')
    .split('\n')
    .join(', ');
}
