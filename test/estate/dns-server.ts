/**
 * A DNS server on a random port of 127.0.0.1, UDP and TCP, whose answers a test sets per name: records, an rcode, rubbish
 * or silence, late or truncated. For what an ordinary server can't be made to do at will. It never keeps the process
 * alive by itself.
 */
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { createServer, type Server, type Socket } from 'node:net';
import { type Answer, decode, encode, type Question } from 'dns-packet';

export interface DnsRecord {
  readonly type: 'A' | 'AAAA' | 'CNAME';
  readonly data: string;
  /** Whose record it is, by default the name's that was asked for: a chain of aliases has other names. */
  readonly name?: string;
}

export type DnsAnswer =
  | {
      readonly records: readonly DnsRecord[];
      /** `tcp`: UDP gets an empty answer marked as truncated, and TCP the records. `never`: TCP gets no answer either. */
      readonly whole?: 'udp' | 'tcp' | 'never';
      readonly delayMs?: number;
    }
  | { readonly rcode: Exclude<keyof typeof RCODES, 'NOERROR'>; readonly delayMs?: number }
  /** A header that answers the query, and bytes that can't be read. */
  | 'garbage'
  | 'silence';

export interface DnsServer {
  /** `ip:port`. */
  readonly address: string;
  /** Names asked for so far, with the record type, and with `TCP` where it came that way. */
  readonly queries: readonly string[];
  /**
   * What is answered for a name, query by query; the last answer stays. Names without an answer do not exist.
   */
  answer(name: string, ...answers: readonly DnsAnswer[]): void;
  stop(): Promise<void>;
}

const RCODES = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4, REFUSED: 5 } as const;
const AUTHORITATIVE = 1 << 10;
const TRUNCATED = 1 << 9;
const TTL_SECONDS = 1;
/** Of the number of answers, in the header. */
const ANSWERS_OFFSET = 6;
const GARBAGE_BYTES = 40;
const NO_SUCH_NAME: DnsAnswer = { rcode: 'NXDOMAIN' };

type Transport = 'udp' | 'tcp';
type Reply = (message: Buffer) => void;

export async function startDnsServer(): Promise<DnsServer> {
  const answers = new Map<string, readonly DnsAnswer[]>();
  const queries: string[] = [];
  const next = (name: string, transport: Transport): DnsAnswer => {
    const [answer = NO_SUCH_NAME, ...later] = answers.get(name) ?? [];
    // What UDP has truncated is asked for once more.
    if (later.length > 0 && !isTruncated(answer, transport)) answers.set(name, later);
    return answer;
  };
  const handle = (query: Buffer, transport: Transport, reply: Reply): void => {
    const { id = 0, questions = [] } = decode(query);
    const [question] = questions;
    if (question === undefined) return;
    queries.push(`${question.name} ${question.type}${transport === 'tcp' ? ' TCP' : ''}`);
    const answer = next(question.name.toLowerCase(), transport);
    const message = messageOf(answer, id, question, transport);
    if (message === undefined) return;
    const delayMs = typeof answer === 'object' && 'delayMs' in answer ? (answer.delayMs ?? 0) : 0;
    if (delayMs === 0) reply(message);
    else setTimeout(reply, delayMs, message).unref();
  };
  const { udp, tcp, sockets, port } = await listen(handle);
  return {
    address: `127.0.0.1:${port}`,
    queries,
    answer: (name, ...given) => void answers.set(name.toLowerCase(), given),
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await Promise.all([
        new Promise<void>((resolve) => udp.close(() => resolve())),
        new Promise<void>((resolve) => tcp.close(() => resolve())),
      ]);
    },
  };
}

/** Nothing for silence. */
function messageOf(
  answer: DnsAnswer,
  id: number,
  question: Question,
  transport: Transport,
): Buffer | undefined {
  if (answer === 'silence') return undefined;
  if (answer === 'garbage') return garbage(id);
  const message = { type: 'response' as const, id, questions: [question] };
  if ('rcode' in answer) return encode({ ...message, flags: AUTHORITATIVE | RCODES[answer.rcode] });
  if (isTruncated(answer, transport)) return encode({ ...message, flags: AUTHORITATIVE | TRUNCATED });
  if (answer.whole === 'never') return undefined;
  return encode({ ...message, flags: AUTHORITATIVE, answers: recordsFor(answer.records, question) });
}

function isTruncated(answer: DnsAnswer, transport: Transport): boolean {
  if (transport === 'tcp' || typeof answer === 'string' || !('records' in answer)) return false;
  return answer.whole === 'tcp' || answer.whole === 'never';
}

function recordsFor(records: readonly DnsRecord[], question: Question): Answer[] {
  return records
    .filter(({ type }) => type === question.type || type === 'CNAME')
    .map(({ type, data, name }) => ({ type, data, name: name ?? question.name, ttl: TTL_SECONDS }));
}

function garbage(id: number): Buffer {
  const header = encode({ type: 'response', id });
  header.writeUInt16BE(1, ANSWERS_OFFSET);
  return Buffer.concat([header, Buffer.alloc(GARBAGE_BYTES, 0xff)]);
}

interface Listening {
  readonly udp: UdpSocket;
  readonly tcp: Server;
  readonly sockets: ReadonlySet<Socket>;
  readonly port: number;
}

/** The same port for both, as a resolver expects: when it isn't free for TCP, another one. */
async function listen(
  handle: (query: Buffer, transport: Transport, reply: Reply) => void,
): Promise<Listening> {
  const sockets = new Set<Socket>();
  const udp = createSocket('udp4').unref();
  udp.on('message', (query, { port, address }) =>
    handle(query, 'udp', (message) => {
      try {
        udp.send(message, port, address);
      } catch {
        // A late answer of a server that was stopped.
      }
    }),
  );
  const tcp = createServer((socket) => {
    sockets.add(socket.unref());
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      // Each message has its length before it.
      for (let query = firstMessage(received); query !== undefined; query = firstMessage(received)) {
        received = received.subarray(2 + query.length);
        handle(query, 'tcp', (message) => {
          const length = Buffer.alloc(2);
          length.writeUInt16BE(message.length);
          socket.write(Buffer.concat([length, message]));
        });
      }
    });
  }).unref();
  await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));
  const { port } = udp.address();
  const isFree = await new Promise<boolean>((resolve) =>
    tcp.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true)),
  );
  if (isFree) return { udp, tcp, sockets, port };
  await new Promise<void>((resolve) => udp.close(() => resolve()));
  return listen(handle);
}

function firstMessage(received: Buffer): Buffer | undefined {
  if (received.length < 2) return undefined;
  const end = 2 + received.readUInt16BE(0);
  return received.length < end ? undefined : received.subarray(2, end);
}
