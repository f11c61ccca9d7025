/**
 * Why a connection to a cluster failed, from the code that Node, OpenSSL or undici gave. Their texts are not repeated.
 */
import type { Code } from '../diagnostic.ts';

export interface Failure {
  readonly code: Code;
  /** Completes "The CA cluster (host) …". */
  readonly problem: string;
  readonly hint: string;
}

/** Nothing for what is no failure of the connection. */
export function networkFailure(cause: unknown): Failure | undefined {
  const code = firstCode(cause);
  if (code === undefined) return isFetchError(cause) ? unreachable(reasonWithoutCode(cause)) : undefined;
  return RULES.find(({ codes }) => codes.test(code))?.failure ?? unreachable(code);
}

function tlsFailure(problem: string, hint: string): Failure {
  return { code: 'CLUSTER_TLS', problem, hint };
}

function unreachable(reason: string): Failure {
  return {
    code: 'CLUSTER_UNREACHABLE',
    problem: `can't be reached, or broke off (${/^[\w -]{1,40}$/.test(reason) ? reason : 'unknown cause'})`,
    hint: 'Check the server’s name in the kubeconfig, DNS, and the way there (VPN, firewall).',
  };
}

/** The first that matches decides. Names as in Node's "X509 certificate error codes" and undici's errors.md. */
const RULES: readonly { readonly codes: RegExp; readonly failure: Failure }[] = [
  {
    codes: /^CERT_HAS_EXPIRED$/,
    failure: tlsFailure(
      'has a certificate that has expired',
      'Renew the server’s certificate; if it is still valid, set this machine’s clock.',
    ),
  },
  {
    codes: /^CERT_NOT_YET_VALID$/,
    failure: tlsFailure(
      'has a certificate that is not valid yet',
      'Check the clocks of this machine and the server.',
    ),
  },
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    failure: tlsFailure(
      'has a certificate for other names than the server’s',
      'Use a name of the certificate as server in the kubeconfig, or set tls-server-name.',
    ),
  },
  {
    codes: /^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|INVALID_CA$|PATH_LENGTH_)/,
    failure: tlsFailure(
      'has a certificate of an unknown authority',
      'Compare certificate-authority-data in the kubeconfig with the cluster’s CA; is it of another cluster?',
    ),
  },
  {
    codes: /^(?:ERR_SSL_|ERR_TLS_|EPROTO$)/,
    failure: tlsFailure(
      'does not complete the TLS handshake',
      'Check that the server’s port speaks TLS and accepts the kubeconfig’s client certificate.',
    ),
  },
  {
    codes: /^ERR_OSSL_/,
    failure: {
      code: 'KUBECONFIG_INVALID',
      problem: 'was not asked: a certificate or key in its kubeconfig can’t be read',
      hint: 'Create the kubeconfig anew.',
    },
  },
  {
    codes: /^(?:ETIMEDOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT)$/,
    failure: {
      code: 'CLUSTER_TIMEOUT',
      problem: 'did not answer in time',
      hint: 'Check the way to the server (VPN, firewall, load balancer).',
    },
  },
  {
    codes: /^ECONNREFUSED$/,
    failure: {
      code: 'CLUSTER_REFUSED',
      problem: 'refuses connections',
      hint: 'Check the port in the kubeconfig, and that the API server runs.',
    },
  },
];

const MAX_DEPTH = 5;

/** fetch wraps the reason, sometimes twice: the first text code on the way down names it. */
function firstCode(cause: unknown): string | undefined {
  for (
    let inner = cause, depth = 0;
    inner instanceof Error && depth < MAX_DEPTH;
    inner = inner.cause, depth += 1
  ) {
    if ('code' in inner && typeof inner.code === 'string') return inner.code;
  }
  return undefined;
}

function isFetchError(cause: unknown): cause is TypeError & { readonly cause: Error } {
  return cause instanceof TypeError && cause.cause instanceof Error;
}

/** The Fetch standard never connects to ports of some other protocols, such as 6000 and 10080. */
function reasonWithoutCode({ cause }: { readonly cause: Error }): string {
  return cause.message === 'bad port' ? 'a port that the Fetch standard blocks' : 'unknown cause';
}
