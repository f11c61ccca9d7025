/**
 * The keys, tokens and certificates of one real cluster, made for it alone: two clusters never accept each other's. They
 * are files in a folder that only this user may enter, because kube-apiserver reads files.
 */
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Certificate, issue, issueClient, makeCa } from '../certificates.ts';
import { AUDIT_POLICY } from './audit-log.ts';

export type ClientCertificateState = 'valid' | 'expired' | 'early' | 'foreign';

export interface ClientCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
}

export interface ClusterKeys {
  readonly servingCaPem: string;
  /** In the serving certificate beside the address; no resolver knows it. */
  readonly dnsName: string;
  /** Of a user in `system:masters`. */
  readonly adminToken: string;
  /** Of a user whom no role is bound to. */
  readonly powerlessToken: string;
  /** Of a user in `system:masters`: good, past its end, before its start, or signed by a CA that the cluster doesn't know. */
  clientCertificate(state: ClientCertificateState): Promise<ClientCertificate>;
  /** All private keys that the files hold. */
  readonly privateKeysPem: readonly string[];
  /** Flags of kube-apiserver that name the files. */
  readonly flags: readonly string[];
}

const ADMIN = { commonName: 'admin', organization: 'system:masters' };
const HOUR_MS = 3_600_000;

/** @param host the loopback address of the cluster */
export async function makeClusterKeys(folder: string, name: string, host: string): Promise<ClusterKeys> {
  const write = (file: string, text: string): string => {
    const path = join(folder, file);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const servingCa = await makeCa({ commonName: `${name} cluster CA` });
  const dnsName = `api.${name}.internal`;
  const serving = await issue(servingCa, { commonName: 'kube-apiserver', ips: [host], dnsNames: [dnsName] });
  const clientCa = await makeCa({ commonName: `${name} client CA` });
  const foreignCa = await makeCa({ commonName: `${name} client CA` });
  const serviceAccount = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signingKey = serviceAccount.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const token = (user: string): string => `canary-token-of-${user}-at-${name}-${crypto.randomUUID()}`;
  const [adminToken, powerlessToken] = [token('admin'), token('powerless')];
  const tokens = `${adminToken},admin-token,1,"system:masters"\n${powerlessToken},powerless,2\n`;
  return {
    servingCaPem: servingCa.certificatePem,
    dnsName,
    adminToken,
    powerlessToken,
    clientCertificate: async (state) => clientPart(await adminCertificate(state, clientCa, foreignCa)),
    privateKeysPem: [serving.privateKeyPem, signingKey],
    flags: [
      `--tls-cert-file=${write('serving.crt', serving.certificatePem)}`,
      `--tls-private-key-file=${write('serving.key', serving.privateKeyPem)}`,
      `--client-ca-file=${write('client-ca.crt', clientCa.certificatePem)}`,
      `--token-auth-file=${write('tokens.csv', tokens)}`,
      `--service-account-signing-key-file=${write('sa.key', signingKey)}`,
      `--service-account-key-file=${write('sa.pub', serviceAccount.publicKey.export({ type: 'spki', format: 'pem' }) as string)}`,
      `--audit-policy-file=${write('audit-policy.json', AUDIT_POLICY)}`,
    ],
  };
}

function adminCertificate(
  state: ClientCertificateState,
  clientCa: Certificate,
  foreignCa: Certificate,
): Promise<Certificate> {
  switch (state) {
    case 'valid':
      return issueClient(clientCa, ADMIN);
    case 'expired':
      return issueClient(clientCa, { ...ADMIN, notAfter: new Date(Date.now() - HOUR_MS) });
    case 'early':
      return issueClient(clientCa, { ...ADMIN, notBefore: new Date(Date.now() + HOUR_MS) });
    case 'foreign':
      return issueClient(foreignCa, ADMIN);
  }
}

function clientPart({ certificatePem, privateKeyPem }: Certificate): ClientCertificate {
  return { certificatePem, keyPem: privateKeyPem };
}
