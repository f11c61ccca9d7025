/**
 * A DNS server on a random UDP port of 127.0.0.1 whose answers a test sets per name: records, an rcode, or silence. For
 * what an ordinary server can't be made to do at will. It never keeps the process alive by itself.
 */
import { createSocket } from 'node:dgram';
import { type Answer, decode, encode, type RecordType } from 'dns-packet';

export type DnsAnswer =
  | {
      readonly records: readonly {
        readonly type: 'A' | 'AAAA' | 'CNAME';
        readonly data: string;
        readonly name?: string;
      }[];
    }
  | { readonly rcode: 'NXDOMAIN' | 'SERVFAIL' | 'REFUSED' }
  | 'silence';

export interface DnsServer {
  /** `ip:port`. */
  readonly address: string;
  /** Names asked for so far, with the record type. */
  readonly queries: readonly string[];
  /** What is answered for a name; names without an answer do not exist. */
  answer(name: string, answer: DnsAnswer): void;
  stop(): Promise<void>;
}

const RCODES = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;
const AUTHORITATIVE = 1 << 10;
const TTL_SECONDS = 1;

export async function startDnsServer(): Promise<DnsServer> {
  const answers = new Map<string, DnsAnswer>();
  const queries: string[] = [];
  const socket = createSocket('udp4').unref();
  socket.on('message', (message, { port, address }) => {
    const { id, questions } = decode(message);
    const [question] = questions ?? [];
    if (question === undefined) return;
    queries.push(`${question.name} ${question.type}`);
    const answer = answers.get(question.name.toLowerCase()) ?? { rcode: 'NXDOMAIN' };
    if (answer === 'silence') return;
    const rcode = 'rcode' in answer ? RCODES[answer.rcode] : RCODES.NOERROR;
    const response = encode({
      type: 'response',
      id: id ?? 0,
      flags: AUTHORITATIVE | rcode,
      questions: [question],
      answers: recordsFor(answer, question),
    });
    socket.send(response, port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    queries,
    answer: (name, answer) => void answers.set(name.toLowerCase(), answer),
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

function recordsFor(
  answer: Exclude<DnsAnswer, 'silence'>,
  question: { readonly name: string; readonly type: RecordType },
): Answer[] {
  if (!('records' in answer)) return [];
  return answer.records
    .filter(({ type }) => type === question.type || type === 'CNAME')
    .map(({ type, data, name }) => ({ type, data, name: name ?? question.name, ttl: TTL_SECONDS }));
}
