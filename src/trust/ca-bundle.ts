/**
 * The CA bundle of a registry: PEM text from a cluster, parsed once into what nodes get.
 *
 * Invariant: a `CaBundle` holds CA certificates only, each one valid now and of use to containerd, each once, in their
 * order in the text, and nothing else: no key, no comment. Diagnostics name certificates by number and fingerprint; they
 * hold nothing of the text.
 */
import { type Diagnostic, error, hasErrors, info, Refusal, refuse, warning } from '../diagnostic.ts';
import { Secret } from '../secret.ts';
import {
  type CaCertificate,
  decodeCertificate,
  describeCertificate,
  judgeCertificate,
} from './ca-certificate.ts';
import { type PemBlock, type PemText, readPem, searchPrivateKey, writePem } from './pem.ts';

export type { CaCertificate } from './ca-certificate.ts';

export interface CaBundle {
  /** Canonical PEM: LF, 64 columns, a final newline. The form of Talos' documents. */
  readonly pem: Secret;
  /** Standard, padded base64 of `pem` in one line. Talos' legacy form. */
  readonly base64: Secret;
  /** At least one. */
  readonly certificates: readonly CaCertificate[];
}

export interface ParsedCaBundle {
  readonly bundle: CaBundle;
  /** Warnings and infos. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The bundle that `text` is at the time `now`.
 * Warnings: CA_TEXT_IGNORED, CA_EXPIRES_SOON. Infos: CA_DUPLICATE, CA_BUNDLE, CA_LINE_ENDS, CA_NO_FINAL_NEWLINE.
 * One bad certificate refuses the bundle: containerd would drop it silently or fail only when it is needed.
 * @throws Refusal CA_EMPTY, CA_PRIVATE_KEY, CA_INVALID, CA_NOT_A_CA, CA_EXPIRED, CA_NOT_YET_VALID; those that are about
 *   single certificates all together
 */
export function parseCaBundle(text: Secret, now: Date): ParsedCaBundle {
  const content = text.reveal();
  // A byte order mark is white space to trim().
  if (content.trim() === '') {
    refuse(
      'CA_EMPTY',
      'The CA is empty.',
      'Check that the issuer has filled the entry; cert-manager does so once it is ready.',
    );
  }
  if (searchPrivateKey(content) === 'found') refusePrivateKey();
  const pem = readPem(content);
  for (const block of pem.blocks) refuseOtherLabel(block);
  const entries = pem.blocks.map((block, index) => readEntry(block, index, pem.blocks.length, now));
  const distinct = entries.filter((entry, index) => firstLike(entries, entry) === index);
  const diagnostics = [...distinct.flatMap((entry) => entry.diagnostics), ...reportText(pem)];
  if (hasErrors(diagnostics)) refuseAll(diagnostics);
  return {
    bundle: buildBundle(distinct),
    diagnostics: [...diagnostics, ...reportDuplicates(entries), ...reportCount(distinct)],
  };
}

interface Entry {
  readonly certificate: CaCertificate | undefined;
  readonly der: Uint8Array;
  readonly diagnostics: readonly Diagnostic[];
}

function readEntry(block: PemBlock, index: number, count: number, now: Date): Entry {
  const der = block.der.reveal();
  const decoded = decodeCertificate(der);
  const number = count === 1 ? 'The certificate' : `Certificate ${index + 1} of ${count}`;
  if (decoded === undefined) {
    const message = `${number} (line ${block.line} of the CA text) is not an X.509 certificate, or has bytes behind it.`;
    const hint = 'The text was damaged on its way: take the whole certificate again.';
    return { certificate: undefined, der, diagnostics: [error('CA_INVALID', message, hint)] };
  }
  const certificate = describeCertificate(decoded);
  return {
    certificate,
    der,
    diagnostics: judgeCertificate(decoded, `${number} (${certificate.fingerprint})`, now),
  };
}

/** Index of the first entry with the same certificate. What isn't a certificate is like nothing else. */
function firstLike(entries: readonly Entry[], entry: Entry): number {
  const fingerprint = entry.certificate?.fingerprint;
  return entries.findIndex(
    (other) =>
      other === entry || (fingerprint !== undefined && other.certificate?.fingerprint === fingerprint),
  );
}

function buildBundle(entries: readonly Entry[]): CaBundle {
  const pem = entries.map((entry) => writePem('CERTIFICATE', entry.der)).join('');
  return {
    pem: new Secret(pem),
    base64: new Secret(Buffer.from(pem, 'latin1').toString('base64')),
    certificates: entries.flatMap((entry) => entry.certificate ?? []),
  };
}

function reportText(pem: PemText): readonly Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const [line] = pem.linesOutside;
  if (line !== undefined) {
    const message = `The CA text has ${pem.linesOutside.length} lines outside of its certificates, the first is line ${line}.`;
    diagnostics.push(
      warning(
        'CA_TEXT_IGNORED',
        message,
        'Nodes get the certificates only. Remove the rest where it is stored.',
      ),
    );
  }
  if (pem.lineEnds === 'carriage-return') {
    const message = 'The CA text has carriage returns in its line ends.';
    diagnostics.push(info('CA_LINE_ENDS', message, 'Nothing to do: nodes get plain line feeds.'));
  }
  if (pem.finalNewline === 'absent') {
    const message = 'The CA text has no final newline.';
    diagnostics.push(
      info(
        'CA_NO_FINAL_NEWLINE',
        message,
        'Nothing to do: nodes get one. Mind it when you append to the file.',
      ),
    );
  }
  return diagnostics;
}

function reportDuplicates(entries: readonly Entry[]): readonly Diagnostic[] {
  return entries.flatMap((entry, index) => {
    const first = firstLike(entries, entry);
    if (first === index) return [];
    const message = `Certificate ${index + 1} of ${entries.length} is the same as certificate ${first + 1}.`;
    return [info('CA_DUPLICATE', message, 'Nothing to do: nodes get it once.')];
  });
}

function reportCount(distinct: readonly Entry[]): readonly Diagnostic[] {
  if (distinct.length === 1) return [];
  const message = `The CA is a bundle of ${distinct.length} certificates; nodes will trust each of them for the registry.`;
  return [info('CA_BUNDLE', message, 'Right while a CA is being replaced. Afterwards take the old one out.')];
}

/** Labels that get a better hint than most, by what is commonly stored in place of a CA. */
const LABEL_HINTS: Readonly<Record<string, string>> = {
  'CERTIFICATE REQUEST': 'This is a request for a certificate: take the certificate of the CA.',
  'NEW CERTIFICATE REQUEST': 'This is a request for a certificate: take the certificate of the CA.',
  'TRUSTED CERTIFICATE':
    'This is OpenSSL\'s own format: convert it by "openssl x509 -in … -out …" without -trustout.',
  'X509 CERTIFICATE': 'Go reads the label CERTIFICATE only: convert it by "openssl x509".',
  PKCS7: 'Convert it by "openssl pkcs7 -print_certs".',
};

function refuseOtherLabel(block: PemBlock): void {
  if (block.label === 'CERTIFICATE') return;
  const message = `The PEM block in line ${block.line} of the CA text is not a CERTIFICATE.`;
  refuse(
    'CA_INVALID',
    message,
    LABEL_HINTS[block.label] ?? 'Point caSecret.key (or caConfigMap.key) at the CA alone, mostly ca.crt.',
  );
}

function refusePrivateKey(): never {
  const hint =
    'Point caSecret.key at ca.crt. The key was read into memory and is shown and written nowhere. If a ConfigMap holds it, move it and have the key replaced.';
  refuse('CA_PRIVATE_KEY', 'There is a private key where the CA should be.', hint);
}

function refuseAll(diagnostics: readonly Diagnostic[]): never {
  const errors = diagnostics.filter((d) => d.severity === 'error');
  const [first, ...more] = [...errors, ...diagnostics.filter((d) => d.severity !== 'error')];
  if (first === undefined) throw new TypeError('nothing to refuse');
  throw new Refusal(first, ...more);
}
