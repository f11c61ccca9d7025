/**
 * The one question to a registry: GET /v2/, on a connection that is trusted already.
 *
 * Invariants: no credentials; a redirect is an answer; nothing of the body is read, and of the headers nothing is
 * repeated but a scheme that is known and a host name.
 */
import type { TLSSocket } from 'node:tls';
import { parseRegistryHost, type RegistryHost } from '../../trust/registry-host.ts';
import { ranOut } from '../limit.ts';
import { type ConnectionFailure, connectionFailure } from './connection-failure.ts';

export type Answer =
  /** 200. */
  | { readonly kind: 'open' }
  /** 401. `tokenHost`: where tokens are to be had, when it isn't the registry itself. */
  | { readonly kind: 'login'; readonly scheme: LoginScheme; readonly tokenHost?: string }
  /** 421: the name in the request leads nowhere on this connection. */
  | { readonly kind: 'misdirected' }
  | { readonly kind: 'forbidden' }
  /** 429 or 5xx. */
  | { readonly kind: 'failing'; readonly status: number }
  | { readonly kind: 'no-registry'; readonly status: number; readonly sign: NoRegistrySign }
  | { readonly kind: 'not-http' }
  | { readonly kind: 'broken'; readonly failure: ConnectionFailure };

/** What containerd can do (remotes/docker/auth). */
export type LoginScheme = 'Basic' | 'Bearer';

/** By what an answer is known not to be a registry's. */
export type NoRegistrySign = 'web-page' | 'redirect' | 'login-without-scheme' | 'status';

/** @throws the signal's reason, unless its time limit ran out */
export async function askRegistry(
  host: RegistryHost,
  socket: TLSSocket,
  signal: AbortSignal,
): Promise<Answer> {
  const { Client } = await import('../client-node.ts');
  // An alert after the handshake (TLS 1.3: a client certificate is wanted) is told here only; undici says "closed".
  let alerted: unknown;
  socket.once('error', (cause) => {
    alerted = cause;
  });
  const client = new Client(`https://${host.key}`, {
    // A connector that calls back at once leaves the request in undici's queue.
    connect: (_, done) => queueMicrotask(() => done(null, socket)),
    pipelining: 0,
  });
  try {
    const { statusCode, headers } = await client.request({
      method: 'GET',
      path: '/v2/',
      headers: { accept: 'application/json', 'user-agent': 'registry-trust' },
      signal,
    });
    return judge(statusCode, (name) => [headers[name] ?? []].flat().join(', '), host);
  } catch (cause) {
    if (ranOut(signal)) return { kind: 'broken', failure: { kind: 'timeout', stage: 'answer' } };
    signal.throwIfAborted();
    return isNotHttp(cause)
      ? { kind: 'not-http' }
      : { kind: 'broken', failure: connectionFailure(alerted ?? cause, 'answer') };
  } finally {
    await client.destroy();
    socket.destroy();
  }
}

function judge(status: number, header: (name: string) => string, host: RegistryHost): Answer {
  if (status === 421) return { kind: 'misdirected' };
  if (status === 429 || status >= 500) return { kind: 'failing', status };
  if (status === 403) return { kind: 'forbidden' };
  if (status === 401) return loginOf(header('www-authenticate'), host);
  if (status >= 300 && status < 400) return { kind: 'no-registry', status, sign: 'redirect' };
  if (status !== 200) return { kind: 'no-registry', status, sign: 'status' };
  // The header is of Docker's specification; OCI's asks for nothing but the status.
  const saysSo = header('docker-distribution-api-version') !== '';
  const isPage = /^text\/html\b/i.test(header('content-type'));
  return isPage && !saysSo ? { kind: 'no-registry', status, sign: 'web-page' } : { kind: 'open' };
}

/** containerd takes Bearer before Basic when both are offered. */
function loginOf(challenge: string, host: RegistryHost): Answer {
  if (/(?:^|,\s*)Bearer\s/i.test(challenge)) {
    const tokenHost = hostOf(/\brealm="([^"]*)"/i.exec(challenge)?.[1] ?? '');
    return {
      kind: 'login',
      scheme: 'Bearer',
      ...(tokenHost === undefined || tokenHost === host.key ? {} : { tokenHost }),
    };
  }
  if (/(?:^|,\s*)Basic\b/i.test(challenge)) return { kind: 'login', scheme: 'Basic' };
  return { kind: 'no-registry', status: 401, sign: 'login-without-scheme' };
}

/** A host name that may be shown, or nothing. */
function hostOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  try {
    return parseRegistryHost(new URL(url).host).key;
  } catch {
    return undefined;
  }
}

function isNotHttp(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  // The parser's error mostly lacks its code.
  return cause.name === 'HTTPParserError' || ('code' in cause && cause.code === 'UND_ERR_HEADERS_OVERFLOW');
}
