/** Why a node would not trust what a registry serves. */
import { type Diagnostic, error } from '../../diagnostic.ts';
import type {
  ChainRefused,
  ChainRule,
  LeafFacts,
  NameMismatch,
  OutOfValidity,
  UnknownAuthority,
} from '../../trust/chain.ts';
import type { RegistryHost } from '../../trust/registry-host.ts';

/** Codes: PROBE_UNKNOWN_AUTHORITY, PROBE_NAME_MISMATCH, PROBE_EXPIRED, PROBE_NOT_YET_VALID, PROBE_NOT_ALLOWED. */
export function describeChain(verdict: ChainRefused, place: string, host: RegistryHost): Diagnostic {
  const served = `${place} serves a certificate (${named(verdict.leaf)})`;
  switch (verdict.kind) {
    case 'unknown-authority':
      return error(
        'PROBE_UNKNOWN_AUTHORITY',
        `${served} that nodes would not trust: ${authorityProblem(verdict)}.`,
        defaultCertificateHint(verdict, host) ?? authorityHint(verdict),
      );
    case 'name-mismatch':
      return error(
        'PROBE_NAME_MISMATCH',
        `${served} that ${nameProblem(verdict)}.`,
        defaultCertificateHint(verdict, host) ??
          `Have the certificate issued with ${host.name} among its DNS names (in cert-manager: spec.dnsNames), or check that the front serves the right one for this name.`,
      );
    case 'expired':
      return error(
        'PROBE_EXPIRED',
        `${place} serves a chain whose ${partOf(verdict)} expired on ${verdict.at.toISOString()}.`,
        'Have it renewed (cert-manager: kubectl get certificate -A) and check that the front has loaded the new one; if it should still be valid, compare this machine’s clock.',
      );
    case 'not-yet-valid':
      return error(
        'PROBE_NOT_YET_VALID',
        `${place} serves a chain whose ${partOf(verdict)} is not valid before ${verdict.at.toISOString()}.`,
        'Compare the clocks of this machine, of the issuer and of the nodes, or wait.',
      );
    case 'not-allowed':
      return error(
        'PROBE_NOT_ALLOWED',
        `${served} that nodes would not accept: ${RULES[verdict.rule]} (${subjectText(verdict.subject)}).`,
        'Have that certificate issued anew without it.',
      );
  }
}

function named({ subject, fingerprint }: LeafFacts): string {
  return `${subjectText(subject)}, ${fingerprint}`;
}

const MAX_SUBJECT = 120;

/** Whoever answers at the address has written it. Control characters come escaped already. */
function subjectText(subject: string): string {
  if (subject === '') return 'no subject';
  return subject.length <= MAX_SUBJECT ? subject : `${subject.slice(0, MAX_SUBJECT)}…`;
}

function partOf({ which, subject }: OutOfValidity): string {
  const part = which === 'leaf' ? 'server certificate' : which === 'intermediate' ? 'intermediate' : 'CA';
  return `${part} (${subjectText(subject)})`;
}

function authorityProblem({ reason, issuer }: UnknownAuthority): string {
  switch (reason) {
    case 'missing-intermediate':
      return `its issuer, ${subjectText(issuer)}, is neither sent along nor in the CA bundle`;
    case 'foreign-authority':
      return `it leads to ${subjectText(issuer)}, which is not in the CA bundle`;
    case 'same-name-other-key':
      return `its issuer has the name of a CA in the bundle, ${subjectText(issuer)}, but another key`;
    case 'self-signed':
      return 'it is self-signed';
  }
}

const SEND_CHAIN =
  'have the front send the whole chain (tls.crt: server certificate, then intermediates), or add the issuer to the bundle; browsers fetch or remember it, nodes do not';
const COMPARE_CA =
  'compare the CA in caSecret with the one that issues the registry’s certificate; the address may be another server’s, or something on the way intercepts TLS';

/** What the server doesn't send can't be seen from here, so of a guess both ways are told. */
function authorityHint({ reason, evidence }: UnknownAuthority): string {
  if (evidence === 'shared-organization' || evidence === 'issuer-not-served')
    return `If that is an intermediate of your CA: ${SEND_CHAIN}. If it is another CA: ${COMPARE_CA}.`;
  switch (reason) {
    case 'missing-intermediate':
      return `${capital(SEND_CHAIN)}.`;
    case 'foreign-authority':
      return `${capital(COMPARE_CA)}.`;
    case 'same-name-other-key':
      return 'The CA was issued anew. Give the bundle with old and new certificate, or wait until the registry has one of the CA that is given.';
    case 'self-signed':
      return 'The front has no certificate of your CA for this name: issue one, and check the secretName of its tls section.';
  }
}

const RULES: Readonly<Record<ChainRule, string>> = {
  unreadable: 'Go can not read a certificate',
  'critical-extension': 'a critical extension that Go does not know',
  'not-a-ca': 'a certificate without CA:TRUE has signed another',
  'key-usage': 'a certificate whose key usage lacks keyCertSign has signed another',
  'path-length': 'more intermediates than a CA allows (path length)',
  'extended-key-usage': 'an extended key usage without serverAuth',
  'name-constraints': 'the name constraints of a CA exclude its names',
  policies: 'certificate policies that a CA requires are missing',
  'weak-signature': 'a signature with MD5 or SHA-1',
  'signature-algorithm': 'a signature that Go can not verify',
  key: 'a key that is too short, too long, or of a kind that Go’s TLS does not take',
  'too-many-signatures': 'more than 100 signatures to check',
};

/** What fronts serve that have no certificate for a name. */
const DEFAULT_CERTIFICATES = /Kubernetes Ingress Controller Fake Certificate|TRAEFIK DEFAULT CERT/;

function defaultCertificateHint({ leaf }: ChainRefused, { name }: RegistryHost): string | undefined {
  if (!DEFAULT_CERTIFICATES.test(leaf.subject)) return undefined;
  return `This is what the ingress serves when it has no certificate for a name: check that an ingress for ${name} is there, and that the Secret of its tls section exists and is valid.`;
}

const MAX_NAMES = 5;

function nameProblem({ reason, wanted, names }: NameMismatch): string {
  switch (reason) {
    case 'other-names': {
      const clean = names.filter((name) => /^[\w*.:-]{1,253}$/.test(name));
      const shown = clean.slice(0, MAX_NAMES).join(', ') || 'none that can be shown';
      return `is not for ${wanted} but for ${shown}${names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : ''}`;
    }
    case 'no-san':
      return `has no name in its subjectAltName; nodes ignore the common name`;
    case 'ip-without-ip-san':
      return `is not for the IP address ${wanted}`;
  }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
