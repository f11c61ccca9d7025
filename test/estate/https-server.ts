/**
 * An HTTPS server on a random port of a loopback address. It never keeps the process alive by itself, and to stop it ends
 * the connections too, those that still wait for an answer or for a handshake included.
 */

import type { RequestListener } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Certificate } from './certificates.ts';

export interface HttpsServer {
  readonly port: number;
  stop(): Promise<void>;
}

export async function startHttpsServer(
  host: string,
  serving: Certificate,
  answer: RequestListener,
): Promise<HttpsServer> {
  const options: ServerOptions = { key: serving.privateKeyPem, cert: serving.certificatePem };
  const sockets = new Set<Socket>();
  const server = createServer(options, answer).unref();
  // closeAllConnections() knows no socket whose handshake isn't done.
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
