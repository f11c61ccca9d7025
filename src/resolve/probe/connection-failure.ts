/** Why there is no TLS connection, from the codes of Node and OpenSSL. Their texts are read, never repeated. */
import { failureCode, shownCode } from '../network-failure.ts';

/** How far the probe got. */
export type Stage = 'connect' | 'handshake' | 'answer';

export type ConnectionFailure =
  | { readonly kind: 'refused' }
  /** `code` may be shown. */
  | { readonly kind: 'unreachable'; readonly code: string }
  | { readonly kind: 'reset'; readonly stage: Stage }
  | { readonly kind: 'timeout'; readonly stage: Stage }
  | { readonly kind: 'not-tls' }
  /** The server says that it has nothing for this name (alert unrecognized_name). */
  | { readonly kind: 'unknown-name' }
  | { readonly kind: 'client-certificate' }
  /** `code` may be shown. */
  | { readonly kind: 'handshake'; readonly code: string };

export function connectionFailure(cause: unknown, stage: Stage): ConnectionFailure {
  const code = failureCode(cause) ?? '';
  const alert = alertOf(cause);
  if (alert !== undefined) return alertFailure(alert, code);
  if (/^(?:ETIMEDOUT|UND_ERR_(?:HEADERS|BODY)_TIMEOUT)$/.test(code)) return { kind: 'timeout', stage };
  if (code === 'ECONNREFUSED') return { kind: 'refused' };
  if (stage === 'connect') return { kind: 'unreachable', code: shownCode(code) };
  if (/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/.test(code)) return { kind: 'reset', stage };
  if (NOT_TLS.test(code) || NOT_TLS.test(opensslReason(cause))) return { kind: 'not-tls' };
  return { kind: 'handshake', code: shownCode(code) };
}

/** What OpenSSL says of bytes that are no TLS record, such as the `HTTP/1.1 400` of a port without TLS. */
const NOT_TLS = /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|RECORD_TOO_SMALL|HTTP_REQUEST)$/;

/** RFC 8446, 6; RFC 6066, 3. */
const UNRECOGNIZED_NAME = 112;
const CERTIFICATE_REQUIRED = 116;
/** What servers of TLS 1.2 say when there is no client certificate. */
const BAD_CERTIFICATE = 42;

function alertFailure(alert: number, code: string): ConnectionFailure {
  switch (alert) {
    case UNRECOGNIZED_NAME:
      return { kind: 'unknown-name' };
    case CERTIFICATE_REQUIRED:
    case BAD_CERTIFICATE:
      return { kind: 'client-certificate' };
    default:
      return { kind: 'handshake', code: code === 'EPROTO' ? `TLS alert ${alert}` : shownCode(code) };
  }
}

/** The number of the alert that ended a handshake: Node gives it in the text alone, and often with the code EPROTO. */
function alertOf(cause: unknown): number | undefined {
  const [, number] = /SSL alert number (\d{1,3})\b/.exec(textOf(cause)) ?? [];
  return number === undefined ? undefined : Number(number);
}

/** OpenSSL's reason as Node would spell the code. */
function opensslReason(cause: unknown): string {
  const [, reason = ''] = /:SSL routines:[^:]*:([a-z ]+):/i.exec(textOf(cause)) ?? [];
  return `ERR_SSL_${reason.toUpperCase().replaceAll(' ', '_')}`;
}

function textOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : '';
}
