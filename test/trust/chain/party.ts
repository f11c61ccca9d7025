/** Parties of a chain for tests: each has a key and a certificate, and can sign another's. */
import { generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { Secret } from '../../../src/secret.ts';
import type { CaBundle } from '../../../src/trust/ca-bundle.ts';
import { describeCertificate } from '../../../src/trust/ca-certificate.ts';
import { type ChainVerdict, judgeChain } from '../../../src/trust/chain.ts';
import { issueDer, NOW, type Signer, subjectOf, toPem, type Wish } from '../issue-certificate.ts';

export interface Keys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
  /** With which it signs. */
  readonly algorithm: Signer['algorithm'];
}

export interface Party {
  readonly der: Buffer;
  readonly x509: X509Certificate;
  /** As it signs others. */
  readonly signer: Signer;
  readonly keys: Keys;
}

export const HOST = 'registry.ok.internal';

export function ecKeys(): Keys {
  return { ...generateKeyPairSync('ec', { namedCurve: 'P-256' }), algorithm: 'ecdsa-sha256' };
}

export function rsaKeys(modulusLength = 2048): Keys {
  return { ...generateKeyPairSync('rsa', { modulusLength }), algorithm: 'rsa-sha256' };
}

export function ed25519Keys(): Keys {
  return { ...generateKeyPairSync('ed25519'), algorithm: 'ed25519' };
}

/** Without wishes a CA. Without an issuer it signs itself. */
export function makeParty(wish: Wish, issuer?: Party, keys: Keys = ecKeys()): Party {
  const signer = { subject: subjectOf(wish), privateKey: keys.privateKey, algorithm: keys.algorithm };
  const der = issueDer({ ...wish, publicKey: keys.publicKey, signer: issuer?.signer ?? signer });
  return { der, x509: new X509Certificate(der), signer, keys };
}

/** A server's certificate for HOST, unless its wish says something else. */
export function makeServer(issuer: Party | undefined, wish: Wish = {}, keys?: Keys): Party {
  const usual: Wish = { name: 'server', basicConstraints: 'not-a-ca', dnsNames: [HOST] };
  return makeParty({ ...usual, ...wish }, issuer, keys);
}

/** A bundle of anything, which `parseCaBundle` might refuse. */
export function bundleOf(parties: readonly Party[]): CaBundle {
  const pem = parties.map(({ der }) => toPem('CERTIFICATE', der)).join('');
  return {
    pem: new Secret(pem),
    base64: new Secret(Buffer.from(pem).toString('base64')),
    certificates: parties.map(({ x509 }) => describeCertificate(x509)),
  };
}

export function judge(
  served: readonly Party[],
  bundle: readonly Party[],
  name: string = HOST,
  now: Date = NOW,
): ChainVerdict {
  const host = { name, key: name };
  return judgeChain({ served: served.map(({ x509 }) => x509), ca: bundleOf(bundle), host, now });
}
