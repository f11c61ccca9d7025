/**
 * A proxy on a random loopback port before a server that speaks HTTP over TLS, which lets everything pass up to one place
 * in the conversation and does harm there. In front of the same server there are two kinds: one passes TLS through, as a
 * load balancer does, and can hit the handshake; the other ends TLS, and can hit the answer at an exact byte.
 *
 * Invariant: a place is found by what the bytes mean (TLS records, HTTP head and body), never by time or by chunk sizes.
 */
import { type AddressInfo, createServer, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls, createSecureContext, TLSSocket } from 'node:tls';
import type { Certificate } from './certificates.ts';
import { type HttpPlace, httpOffset, isWhole, type TlsPlace, tlsOffset } from './fault-places.ts';

/** `fin` says goodbye where the protocol has a word for it; `truncate` is a FIN without one. */
export const ACTIONS = ['fin', 'truncate', 'reset', 'stall', 'delay', 'dribble'] as const;
export type Action = (typeof ACTIONS)[number];

export type Fault = {
  readonly action: Action;
  /** Where inside the place: from 0 to below 1. */
  readonly fraction: number;
  /** Which of its connections it hits. */
  readonly hits: 'every' | 'first' | 'every-second';
} & (
  | { readonly kind: 'tls'; readonly place: TlsPlace }
  | { readonly kind: 'http'; readonly place: HttpPlace }
);

export interface FaultProxyOptions {
  /** Loopback address to listen at. */
  readonly host: string;
  readonly target: { readonly host: string; readonly port: number; readonly servingCaPem: string };
  readonly fault: Fault;
  /** Of the kind that ends TLS. */
  readonly serving: Certificate;
}

export interface FaultProxy {
  readonly port: number;
  /** How many connections came, and how often it did harm. */
  readonly counts: { readonly connections: number; readonly harmed: number };
  stop(): Promise<void>;
}

const DELAY_MS = 150;
const MAX_DRIBBLED_BYTES = 3000;

interface Connection {
  readonly client: Socket;
  readonly options: FaultProxyOptions;
  readonly isHit: boolean;
  onHarm(): void;
  /** Is ended with the connection. */
  own<S extends Socket>(socket: S): S;
}

export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const sockets = new Set<Socket>();
  const counts = { connections: 0, harmed: 0 };
  const own = <S extends Socket>(socket: S): S => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    return socket;
  };
  const server = createServer((client) => {
    counts.connections += 1;
    own(client).setNoDelay();
    const connection: Connection = {
      client,
      options,
      own,
      isHit: isHit(options.fault, counts.connections),
      onHarm: () => {
        counts.harmed += 1;
      },
    };
    if (options.fault.kind === 'tls') passThrough(connection, options.fault);
    else endTls(connection, options.fault);
  }).unref();
  await new Promise<void>((resolve) => server.listen(0, options.host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    counts,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function isHit({ hits }: Fault, connection: number): boolean {
  return hits === 'every' || (hits === 'first' ? connection === 1 : connection % 2 === 0);
}

type Direction = 'request' | 'answer';

function passThrough(connection: Connection, fault: Fault & { readonly kind: 'tls' }): void {
  const { client, options, own } = connection;
  const server = own(new Socket()).connect(options.target.port, options.target.host);
  const seen: Record<Direction, Buffer> = { request: Buffer.alloc(0), answer: Buffer.alloc(0) };
  const state = { isDone: !connection.isHit };
  const relay = (from: Socket, to: Socket, direction: Direction): void => {
    let queue: Promise<void> = Promise.resolve();
    const forward = async (chunk: Buffer): Promise<void> => {
      const start = seen[direction].length;
      seen[direction] = Buffer.concat([seen[direction], chunk]);
      const offset = state.isDone ? undefined : tlsOffset(fault, direction, seen);
      if (offset === undefined || offset > start + chunk.length) return send(to, chunk);
      state.isDone = true;
      connection.onHarm();
      const cut = Math.max(0, offset - start);
      await send(to, chunk.subarray(0, cut));
      await harm(fault.action, { raw: client, tls: undefined, to, rest: chunk.subarray(cut) });
    };
    from.on('data', (chunk) => {
      queue = queue.then(() => forward(chunk));
    });
    from.on('close', () => void queue.then(() => to.end()));
  };
  relay(client, server, 'request');
  relay(server, client, 'answer');
}

/** Without ALPN, so that HTTP/1.1 is spoken on both sides. Its one request and the whole answer are looked at as text. */
function endTls(connection: Connection, fault: Fault & { readonly kind: 'http' }): void {
  const { client, options, own } = connection;
  const { certificatePem: cert, privateKeyPem: key } = options.serving;
  const secureContext = createSecureContext({ cert, key });
  const tls = own(new TLSSocket(client, { isServer: true, secureContext }));
  const { host, port, servingCaPem } = options.target;
  const isRequest = fault.place === 'request-head';
  const state = { isDone: !connection.isHit };
  const strike = async (bytes: Buffer, to: Socket): Promise<void> => {
    state.isDone = true;
    connection.onHarm();
    const cut = httpOffset(fault, bytes);
    await send(to, bytes.subarray(0, cut));
    await harm(fault.action, { raw: client, tls, to, rest: bytes.subarray(cut) });
  };
  let request = Buffer.alloc(0);
  tls.on('data', (chunk: Buffer) => {
    request = Buffer.concat([request, chunk]);
    if (!request.includes('\r\n\r\n')) return;
    const asked = request;
    request = Buffer.alloc(0);
    const server = own(connectTls({ host, port, ca: servingCaPem }));
    let answer = Buffer.alloc(0);
    server.on('data', (part: Buffer) => {
      answer = Buffer.concat([answer, part]);
      if (!isWhole(answer)) return;
      server.destroy();
      void (isRequest || state.isDone ? send(tls, answer) : strike(answer, tls));
    });
    void (isRequest && !state.isDone ? strike(asked, server) : send(server, asked));
  });
}

interface Ends {
  /** The client's connection, which is what is harmed. */
  readonly raw: Socket;
  readonly tls: TLSSocket | undefined;
  /** Where the rest belongs. */
  readonly to: Socket;
  readonly rest: Buffer;
}

async function harm(action: Action, { raw, tls, to, rest }: Ends): Promise<void> {
  switch (action) {
    case 'fin':
      (tls ?? raw).end();
      return never();
    case 'truncate':
      raw.destroy();
      return never();
    case 'reset':
      raw.resetAndDestroy();
      return never();
    case 'stall':
      return never();
    case 'delay':
      await sleep(DELAY_MS, undefined, { ref: false });
      return send(to, rest);
    case 'dribble': {
      const few = rest.subarray(0, MAX_DRIBBLED_BYTES);
      for (const byte of few) await send(to, Buffer.of(byte));
      return send(to, rest.subarray(few.length));
    }
  }
}

/** What comes later on a connection that was cut or stalls isn't forwarded. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}

function send(to: Socket, bytes: Buffer): Promise<void> {
  if (bytes.length === 0 || to.destroyed || to.writableEnded) return Promise.resolve();
  return new Promise((resolve) => to.write(bytes, () => resolve()));
}
