/**
 * A forward proxy on a random port of 127.0.0.1 that knows CONNECT and nothing else, as companies have one between a
 * workstation and the API servers: the client names the server and asks no resolver itself. With a login, with TLS, or
 * with a whim of its own in place of a connection.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Certificate } from './certificates.ts';

export interface ConnectProxyOptions {
  /** Where the names lead, as the proxy's own resolver says; others are answered with 502. */
  readonly hosts?: Readonly<Record<string, string>>;
  /** Demanded of every client; 407 otherwise. */
  readonly login?: { readonly user: string; readonly password: string };
  /** Of a proxy that is reached over TLS. */
  readonly serving?: Certificate;
  /** In place of a connection: a status, whose page shows what the client has sent; silence; or the end of the connection. */
  readonly whim?: number | 'silent' | 'hang up';
}

export interface ConnectProxy {
  readonly port: number;
  /** Each CONNECT so far, with what it was answered: `api.ca.internal:6443 200`. */
  readonly asked: readonly string[];
  stop(): Promise<void>;
}

export async function startConnectProxy(options: ConnectProxyOptions): Promise<ConnectProxy> {
  const { serving } = options;
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const own = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
  };
  const server: Server =
    serving === undefined
      ? createServer()
      : createTlsServer({ key: serving.privateKeyPem, cert: serving.certificatePem });
  server.unref().on('connection', own);
  server.on('connect', (request: IncomingMessage, client: Socket) => {
    own(client);
    const answer = answerTo(request, options);
    asked.push(`${request.url} ${typeof answer === 'object' ? 200 : answer}`);
    give(answer, request, client, own);
  });
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

type Answer =
  | { readonly host: string; readonly port: number }
  | Exclude<ConnectProxyOptions['whim'], undefined>;

function answerTo({ url = '', headers }: IncomingMessage, options: ConnectProxyOptions): Answer {
  const { hosts = {}, login, whim } = options;
  if (whim !== undefined) return whim;
  const wanted =
    login === undefined
      ? undefined
      : `Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}`;
  if (wanted !== undefined && headers['proxy-authorization'] !== wanted) return 407;
  const [, name = '', port = ''] = /^(.+):(\d+)$/.exec(url) ?? [];
  const host = hosts[name];
  return host === undefined ? 502 : { host, port: Number(port) };
}

function give(
  answer: Answer,
  { headers }: IncomingMessage,
  client: Socket,
  own: (socket: Socket) => Socket,
): void {
  if (answer === 'silent') return;
  if (answer === 'hang up') {
    client.destroy();
    return;
  }
  if (typeof answer === 'number') {
    const said = headers['proxy-authorization'] ?? '';
    const challenge = `Proxy-Authenticate: Basic realm="${said}"\r\n`;
    client.end(`HTTP/1.1 ${answer} Was ${said}\r\n${challenge}Content-Length: ${said.length}\r\n\r\n${said}`);
    return;
  }
  const target = own(connect(answer.port, answer.host, () => client.write('HTTP/1.1 200 OK\r\n\r\n')));
  target.pipe(client).pipe(target);
}
