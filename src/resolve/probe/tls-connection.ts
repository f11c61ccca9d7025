/**
 * A TLS connection to an endpoint in the name of a host, whoever answers there.
 *
 * Invariant: nothing but the handshake is sent. OpenSSL's opinion of the certificates is not asked: the chain is handed
 * on as it was served, to be judged as a node will judge it.
 */
import type { X509Certificate } from 'node:crypto';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { ranOut } from '../limit.ts';
import type { Endpoint } from './connect-to.ts';
import { type ConnectionFailure, connectionFailure, type Stage } from './connection-failure.ts';

export interface TlsConnection {
  readonly kind: 'connected';
  readonly socket: TLSSocket;
  /** As it was sent, the server's own certificate first. */
  readonly served: readonly X509Certificate[];
}

export interface NotConnected {
  readonly kind: 'not-connected';
  readonly failure: ConnectionFailure;
}

/** @throws the signal's reason, unless its time limit ran out */
export async function openTls(
  endpoint: Endpoint,
  servername: string,
  signal: AbortSignal,
): Promise<TlsConnection | NotConnected> {
  let stage: Stage = 'connect';
  let open: Socket | undefined;
  try {
    signal.throwIfAborted();
    open = connectTcp({ host: endpoint.ip, port: endpoint.port });
    await event(open, 'connect', signal);
    stage = 'handshake';
    // What containerd offers, but for HTTP/2.
    const socket = connectTls({
      socket: open,
      servername,
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
    });
    open = socket;
    await event(socket, 'secureConnect', signal);
    return { kind: 'connected', socket, served: chainOf(socket) };
  } catch (cause) {
    open?.destroy();
    if (ranOut(signal)) return { kind: 'not-connected', failure: { kind: 'timeout', stage } };
    signal.throwIfAborted();
    return { kind: 'not-connected', failure: connectionFailure(cause, stage) };
  }
}

/** Node links each certificate of the served list to the next as its issuer, whether it is that or not. */
function chainOf(socket: TLSSocket): readonly X509Certificate[] {
  const served: X509Certificate[] = [];
  for (let next = socket.getPeerX509Certificate(); next !== undefined; next = next.issuerCertificate)
    served.push(next);
  return served;
}

/** Rejects with the socket's error, or with the signal's reason. */
async function event(socket: Socket, name: string, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = (): void => reject(signal.reason);
  const closed = (): void => reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' }));
  socket.once(name, () => resolve()).once('close', closed);
  // For good: what is destroyed later may still report an error, which nobody waits for.
  socket.on('error', reject);
  signal.addEventListener('abort', stop, { once: true });
  try {
    await promise;
  } finally {
    signal.removeEventListener('abort', stop);
    socket.off('close', closed);
  }
}
