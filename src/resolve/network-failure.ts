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
  const code = failureCode(cause);
  if (code === undefined) return undefined;
  return RULES.find(({ codes }) => codes.test(code))?.failure ?? unreachable(code);
}

/** Whether the other side, or something on the way, ended a connection: the next one may well last. */
export function isBrokenOff(cause: unknown): boolean {
  return BROKEN_OFF.test(failureCode(cause) ?? '');
}

/** A refused connection isn't among them: it is the wrong port or a tunnel that is down, and should be told at once. */
const BROKEN_OFF =
  /^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET|UND_ERR_PRX_CONN|UND_ERR_RES_CONTENT_LENGTH_MISMATCH|HPE_INVALID_EOF_STATE)$/;

/** Whether a certificate isn't signed by a CA that is trusted. */
export function isUntrusted(code: string): boolean {
  return UNTRUSTED.test(code);
}

const UNTRUSTED = /^(?:UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_|INVALID_CA$|PATH_LENGTH_)/;

/** A code that may be shown. */
export function shownCode(code: string): string {
  return /^[\w -]{1,40}$/.test(code) ? code : 'unknown cause';
}

function tlsFailure(problem: string, hint: string): Failure {
  return { code: 'CLUSTER_TLS', problem, hint };
}

function unreachable(code: string): Failure {
  return {
    code: 'CLUSTER_UNREACHABLE',
    problem: `can't be reached, or broke off (${shownCode(code)})`,
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
    codes: UNTRUSTED,
    failure: tlsFailure(
      'has a certificate of an unknown authority',
      'Compare certificate-authority-data in the kubeconfig with the cluster’s CA; is it of another cluster?',
    ),
  },
  {
    // Alerts that a server sends about the certificate of a client (RFC 8446, 6.2).
    codes:
      /^ERR_SSL_\S*ALERT_(?:BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_|UNKNOWN_CA|ACCESS_DENIED)/,
    failure: {
      code: 'CLUSTER_UNAUTHORIZED',
      problem: 'does not accept the client certificate of the kubeconfig (TLS alert)',
      hint: 'It has expired, is of another cluster, or is missing: renew the kubeconfig.',
    },
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
    // Of what is sent only the token comes from outside and isn't checked before: undici refuses it as a header.
    codes: /^(?:UND_ERR_INVALID_ARG|ERR_INVALID_CHAR)$/,
    failure: {
      code: 'KUBECONFIG_INVALID',
      problem: 'was not asked: its token has a line end or another character that can’t be sent',
      hint: 'Write the token anew, on one line; a plug-in or a token file may have added something to it.',
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

/** Errors are wrapped, sometimes twice: the first text code on the way down names the reason. */
export function failureCode(cause: unknown): string | undefined {
  for (
    let inner = cause, depth = 0;
    inner instanceof Error && depth < MAX_DEPTH;
    inner = inner.cause, depth += 1
  ) {
    if ('code' in inner && typeof inner.code === 'string') return inner.code;
  }
  return undefined;
}
