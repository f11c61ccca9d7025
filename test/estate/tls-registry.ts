/**
 * A stand-in for a registry behind TLS: `/v2/` for one host, and 421 for every other name, as a front that routes by SNI
 * answers.
 */
import type { TLSSocket } from 'node:tls';
import type { Certificate } from './certificates.ts';
import { startHttpsServer } from './https-server.ts';

export interface TlsRegistry {
  readonly port: number;
  /** Where to connect; the name to ask for is the host, not this address. */
  readonly url: string;
  stop(): Promise<void>;
}

export async function startTlsRegistry(host: string, serving: Certificate): Promise<TlsRegistry> {
  const server = await startHttpsServer('127.0.0.1', serving, (request, response) => {
    const isOurs = (request.socket as TLSSocket).servername === host;
    const isRoot = request.url === '/v2/';
    response
      .writeHead(isOurs ? (isRoot ? 200 : 404) : 421, { 'docker-distribution-api-version': 'registry/2.0' })
      .end(isOurs && isRoot ? '{}' : '');
  });
  return { port: server.port, url: `https://127.0.0.1:${server.port}`, stop: server.stop };
}
