/**
 * A stand-in for a registry behind TLS: `/v2/` for one host, and 421 for every other name, as a front that routes by SNI
 * answers.
 */
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Certificate } from './certificates.ts';

export interface TlsRegistry {
  readonly port: number;
  stop(): Promise<void>;
}

export async function startTlsRegistry(host: string, serving: Certificate): Promise<TlsRegistry> {
  const sockets = new Set<Socket>();
  const server = createServer(
    { key: serving.privateKeyPem, cert: serving.certificatePem },
    (request, response) => {
      const isOurs = (request.socket as TLSSocket).servername === host;
      const isRoot = request.url === '/v2/';
      response
        .writeHead(isOurs ? (isRoot ? 200 : 404) : 421, { 'docker-distribution-api-version': 'registry/2.0' })
        .end(isOurs && isRoot ? '{}' : '');
    },
  );
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
