/**
 * What may be said of the credentials of a kubeconfig when a server doesn't take them: of what kind they are and when
 * they end. Never a part of them.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { User } from '@kubernetes/client-node';
import { PLUG_IN } from './exec-plug-in.ts';
import type { Failure } from './network-failure.ts';

export type Credentials =
  | { readonly kind: 'certificate'; readonly notBefore: Date; readonly notAfter: Date }
  /** `expires` when the token says so, as those of service accounts and of OIDC do. */
  | { readonly kind: 'token'; readonly expires?: Date }
  | { readonly kind: 'plug-in' | 'password' | 'none' };

/** In the order in which a server looks: a certificate it knows decides, then what is in the header. */
export function credentialsOf(user: User): Credentials {
  if (user.authProvider?.name === PLUG_IN) return { kind: 'plug-in' };
  const certificate = text(user.certFile, () => Buffer.from(user.certData ?? '', 'base64').toString());
  if (certificate !== '') return certificateDates(certificate);
  const tokenFile: unknown = user.authProvider?.config?.tokenFile;
  const token = text(typeof tokenFile === 'string' ? tokenFile : undefined, () => user.token ?? '').trim();
  if (token !== '') return { kind: 'token', ...expiryOf(token) };
  return { kind: (user.username ?? '') === '' ? 'none' : 'password' };
}

/** Why a server answered 401. */
export function unauthorized(credentials: Credentials, now: Date): Failure {
  const { because, hint } = reason(credentials, now);
  const problem = 'does not accept the credentials (401)';
  return { code: 'CLUSTER_UNAUTHORIZED', problem: because === '' ? problem : `${problem}: ${because}`, hint };
}

interface Reason {
  /** Empty when the credentials themselves don't show it. */
  readonly because: string;
  readonly hint: string;
}

const RENEW =
  'Create the kubeconfig anew (talosctl kubeconfig, kubeadm kubeconfig user, or where it came from).';

function reason(credentials: Credentials, now: Date): Reason {
  switch (credentials.kind) {
    case 'certificate': {
      const { notBefore, notAfter } = credentials;
      if (notAfter < now)
        return { because: `the client certificate expired on ${shown(notAfter)}`, hint: RENEW };
      if (notBefore > now)
        return {
          because: `the client certificate is not valid before ${shown(notBefore)}`,
          hint: 'Check the clocks of this machine and of the one that made the certificate.',
        };
      return {
        because: `the client certificate is in date (until ${shown(notAfter)}), so it is of another cluster or its CA was renewed`,
        hint: `Check that the kubeconfig is of this cluster. ${RENEW}`,
      };
    }
    case 'token': {
      const { expires } = credentials;
      if (expires !== undefined && expires < now)
        return {
          because: `the token expired on ${shown(expires)}`,
          hint: 'Log in again, or get a new token.',
        };
      return {
        because: '',
        hint: 'The token was revoked or is of another cluster: log in again and renew the kubeconfig.',
      };
    }
    case 'plug-in':
      return { because: '', hint: 'Log in again with the kubeconfig’s credential plug-in.' };
    case 'password':
      return {
        because: '',
        hint: 'API servers since Kubernetes 1.19 take no passwords: use a token or a client certificate.',
      };
    case 'none':
      return { because: 'the user in the kubeconfig has none', hint: RENEW };
  }
}

/** A file that can't be read fails before this, when the request is made. */
function text(file: string | undefined, otherwise: () => string): string {
  if (file === undefined || file === '') return otherwise();
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function certificateDates(pem: string): Credentials {
  try {
    const { validFrom, validTo } = new X509Certificate(pem);
    return { kind: 'certificate', notBefore: new Date(validFrom), notAfter: new Date(validTo) };
  } catch {
    return { kind: 'none' };
  }
}

/** Of a JSON Web Token (RFC 7519, 4.1.4); unverified, as it only explains what the server has said already. */
function expiryOf(token: string): { readonly expires?: Date } {
  const payload = token.split('.')[1] ?? '';
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { readonly exp?: unknown };
    return typeof exp === 'number' && Number.isFinite(exp) && Math.abs(exp) < MAX_SECONDS
      ? { expires: new Date(exp * 1_000) }
      : {};
  } catch {
    return {};
  }
}

const MAX_SECONDS = 8.64e12;

function shown(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}
