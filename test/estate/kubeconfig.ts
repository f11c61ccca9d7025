/** Kubeconfigs for a stand-in cluster: a context that works, and one for each way in which credentials go wrong. */
import type { Certificate } from './certificates.ts';

export interface Context {
  readonly name: string;
  readonly server: string;
  readonly ca: string;
  readonly token: string;
}

export interface ContextParts {
  readonly url: string;
  readonly servingCa: Certificate;
  readonly foreignCa: Certificate;
  readonly token: string;
  readonly powerlessToken: string;
  /** At which nothing listens. */
  readonly closedPort: number;
}

export function contextsFor({
  url,
  servingCa,
  foreignCa,
  token,
  powerlessToken,
  closedPort,
}: ContextParts): readonly Context[] {
  const good = { server: url, ca: servingCa.certificatePem, token };
  const refused = new URL(url);
  refused.port = String(closedPort);
  return [
    { ...good, name: 'good' },
    { ...good, name: 'wrong-ca', ca: foreignCa.certificatePem },
    { ...good, name: 'bad-token', token: 'not-a-token-of-this-cluster' },
    { ...good, name: 'powerless', token: powerlessToken },
    { ...good, name: 'refused', server: refused.href.replace(/\/$/, '') },
  ];
}

/** A kubeconfig (JSON is YAML) whose current context is the first. */
export function kubeconfigText(contexts: readonly Context[]): string {
  return JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': contexts[0]?.name ?? '',
      clusters: contexts.map(({ name, server, ca }) => ({
        name,
        cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') },
      })),
      users: contexts.map(({ name, token }) => ({ name, user: { token } })),
      contexts: contexts.map(({ name }) => ({ name, context: { cluster: name, user: name } })),
    },
    null,
    2,
  );
}
