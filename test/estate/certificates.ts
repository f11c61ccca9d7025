/**
 * X.509 certificates for tests, good and bad, made in memory. Every key here is made for the run that uses it.
 */

import 'reflect-metadata';
import { type KeyObject, KeyObject as Keys, webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

cryptoProvider.set(webcrypto as never);

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;

export interface Certificate {
  readonly commonName: string;
  readonly certificatePem: string;
  readonly privateKeyPem: string;
  readonly keys: webcrypto.CryptoKeyPair;
}

export interface Validity {
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

export interface CaOptions extends Validity {
  readonly commonName?: string;
  /** `true` as a CA is; `false` and `absent` give a self-signed certificate that is none. */
  readonly basicConstraints?: 'ca' | 'false' | 'absent';
  readonly keyUsage?: 'sign' | 'no-sign';
  /** Who signs it; without one it signs itself. */
  readonly issuer?: Certificate;
}

/** A root, or with an issuer an intermediate; without options a good CA, valid from yesterday for a year. */
export async function makeCa(options: CaOptions = {}): Promise<Certificate> {
  const keys = await makeKeys();
  const commonName = options.commonName ?? 'test CA';
  const certificate = await X509CertificateGenerator.create({
    subject: `CN=${commonName}`,
    issuer: `CN=${options.issuer?.commonName ?? commonName}`,
    publicKey: keys.publicKey,
    signingKey: (options.issuer?.keys ?? keys).privateKey,
    signingAlgorithm: ALGORITHM,
    ...validity(options),
    extensions: caExtensions(options),
  });
  return {
    commonName,
    certificatePem: pem(certificate.toString('pem')),
    privateKeyPem: await privateKey(keys),
    keys,
  };
}

export interface LeafOptions extends Validity {
  readonly commonName?: string;
  readonly dnsNames?: readonly string[];
  readonly ips?: readonly string[];
  /** Its own; without them new ones. With those of the CA it signs itself. */
  readonly keys?: webcrypto.CryptoKeyPair;
}

/** A server certificate signed by `ca`. */
export async function issue(ca: Certificate, options: LeafOptions): Promise<Certificate> {
  const keys = options.keys ?? (await makeKeys());
  const commonName = options.commonName ?? options.dnsNames?.[0] ?? 'server';
  const names = [
    ...(options.dnsNames ?? []).map((value) => ({ type: 'dns', value }) as const),
    ...(options.ips ?? []).map((value) => ({ type: 'ip', value }) as const),
  ];
  const certificate = await X509CertificateGenerator.create({
    subject: `CN=${commonName}`,
    issuer: `CN=${ca.commonName}`,
    publicKey: keys.publicKey,
    signingKey: ca.keys.privateKey,
    signingAlgorithm: ALGORITHM,
    ...validity(options),
    extensions: [
      new BasicConstraintsExtension(false),
      ...(names.length === 0 ? [] : [new SubjectAlternativeNameExtension(names)]),
    ],
  });
  return {
    commonName,
    certificatePem: pem(certificate.toString('pem')),
    privateKeyPem: await privateKey(keys),
    keys,
  };
}

export interface ClientOptions extends Validity {
  /** The user, for an API server. */
  readonly commonName: string;
  /** A group of the user. */
  readonly organization?: string;
}

/** A client certificate signed by `ca`. */
export async function issueClient(ca: Certificate, options: ClientOptions): Promise<Certificate> {
  const keys = await makeKeys();
  const { commonName, organization } = options;
  const certificate = await X509CertificateGenerator.create({
    subject: [{ CN: [commonName] }, ...(organization === undefined ? [] : [{ O: [organization] }])],
    issuer: `CN=${ca.commonName}`,
    publicKey: keys.publicKey,
    signingKey: ca.keys.privateKey,
    signingAlgorithm: ALGORITHM,
    ...validity(options),
    extensions: [
      new BasicConstraintsExtension(false),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.clientAuth]),
    ],
  });
  return {
    commonName,
    certificatePem: pem(certificate.toString('pem')),
    privateKeyPem: await privateKey(keys),
    keys,
  };
}

function caExtensions({ basicConstraints = 'ca', keyUsage = 'sign' }: CaOptions): Extension[] {
  const usage = new KeyUsagesExtension(
    keyUsage === 'sign' ? KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign : KeyUsageFlags.digitalSignature,
    true,
  );
  if (basicConstraints === 'absent') return [];
  return basicConstraints === 'ca'
    ? [new BasicConstraintsExtension(true, undefined, true), usage]
    : [new BasicConstraintsExtension(false)];
}

function validity({ notBefore, notAfter }: Validity) {
  const now = Date.now();
  return {
    notBefore: notBefore ?? new Date(now - DAY_MS),
    notAfter: notAfter ?? new Date(now + 365 * DAY_MS),
  };
}

function makeKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(ALGORITHM, true, [
    'sign',
    'verify',
  ]) as Promise<webcrypto.CryptoKeyPair>;
}

async function privateKey(keys: webcrypto.CryptoKeyPair): Promise<string> {
  const key: KeyObject = Keys.from(keys.privateKey);
  return key.export({ type: 'pkcs8', format: 'pem' }) as string;
}

function pem(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}
