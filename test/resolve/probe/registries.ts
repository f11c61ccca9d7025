/**
 * What may listen where a registry should: each kind speaks its real protocol on a random loopback port. `asked` has the
 * first line of each HTTP request that came, to show what was not sent.
 */
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer, type ServerOptions } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { Certificate } from '../../estate/certificates.ts';

export interface Listener {
  readonly port: number;
  readonly asked: readonly string[];
  stop(): Promise<void>;
}

/** What answers each request, given the response. */
export type Answering = (response: ServerResponse) => void;

export function https(
  serving: ServingChain,
  answering: Answering,
  options: ServerOptions = {},
): Promise<Listener> {
  const asked: string[] = [];
  const listener: RequestListener = (request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.host}`);
    answering(response);
  };
  return listen(createHttpsServer({ ...pemOf(serving), ...options }, listener), asked);
}

/** HTTP without TLS. */
export function http(): Promise<Listener> {
  return listen(
    createServer((_, response) => response.end()),
    [],
  );
}

/** TLS, and behind it whatever is done with the connection. */
export function tls(serving: ServingChain, talk: (socket: Socket) => void): Promise<Listener> {
  return listen(createTlsServer(pemOf(serving), talk), []);
}

/** TCP, and whatever is done with a connection once its first bytes (a ClientHello) are there. */
export function tcp(talk: (socket: Socket) => void): Promise<Listener> {
  return listen(
    createTcpServer((socket) => socket.once('data', () => talk(socket))),
    [],
  );
}

/** A TLS record with a fatal alert (RFC 8446, 6). */
export function alert(number: number): Buffer {
  return Buffer.from([0x15, 0x03, 0x03, 0, 2, 2, number]);
}

export interface ServingChain extends Pick<Certificate, 'certificatePem' | 'privateKeyPem'> {
  /** What is sent after the server's own. */
  readonly intermediates?: readonly Certificate[];
}

function pemOf({ certificatePem, privateKeyPem, intermediates = [] }: ServingChain) {
  const cert = [certificatePem, ...intermediates.map((one) => one.certificatePem)].join('');
  return { cert, key: privateKeyPem };
}

async function listen(server: Server, asked: readonly string[]): Promise<Listener> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
