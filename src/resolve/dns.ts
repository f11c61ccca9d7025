/**
 * A real DNS query for one name. Not `lookup`: that reads the hosts file, where an operator's machine may well have the
 * very alias that the nodes are to get.
 */
import { promises as dns } from 'node:dns';
import { refuse } from '../diagnostic.ts';
import type { AddressFamily } from '../trust/address.ts';
import { ranOut, remainingMs, startLimit } from './limit.ts';

export type DnsAnswer =
  /** At least one, each once, sorted: servers rotate them. */
  | { readonly kind: 'addresses'; readonly addresses: readonly string[] }
  /** The name doesn't exist, or has no record of the family. */
  | { readonly kind: 'none' }
  /** No opinion: servers are silent or broken. `reason` is a word or two for a message. */
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * Asks for the A (IPv4) or AAAA (IPv6) records of an absolute name, without search domains: one server after the other,
 * until one has an answer; that the name doesn't exist is one.
 * @param args `servers`: `ip` or `ip:port`, default the system's; `limitMs` for all of them together
 * @throws Refusal USAGE for a server that is none, and the signal's reason when the caller aborts it
 */
export async function queryAddresses(args: {
  readonly name: string;
  readonly family: AddressFamily;
  readonly servers?: readonly string[];
  readonly limitMs: number;
  readonly signal: AbortSignal;
}): Promise<DnsAnswer> {
  const { servers = [], limitMs, signal, ...question } = args;
  const all = servers.length === 0 ? systemServers() : checked(servers);
  const limit = startLimit(limitMs, signal);
  const reasons = new Set<string>();
  try {
    for (const [i, server] of all.entries()) {
      const share = remainingMs(limit.signal) / (all.length - i);
      const answer = await ask(server, { ...question, limitMs: share, signal: limit.signal });
      if (answer.kind !== 'failed') return answer;
      reasons.add(answer.reason);
    }
    return { kind: 'failed', reason: [...reasons].join(', then ') };
  } finally {
    limit.end();
  }
}

/**
 * Of one server, for as Node sets c-ares up (ARES_FLAG_NOCHECKRESP) it takes SERVFAIL or REFUSED of the first for the
 * answer of all: the second one, which every other program of the machine asks then, would stay unasked.
 */
async function ask(
  server: string | undefined,
  args: {
    readonly name: string;
    readonly family: AddressFamily;
    readonly limitMs: number;
    readonly signal: AbortSignal;
  },
): Promise<DnsAnswer> {
  const { name, family, limitMs, signal } = args;
  // c-ares doubles the time with each try: with a third of the limit, two tries fit.
  const resolver = new dns.Resolver({ timeout: Math.max(1, Math.floor(limitMs / 3)), tries: 2 });
  if (server !== undefined) resolver.setServers([server]);
  const limit = startLimit(limitMs, signal);
  limit.signal.addEventListener('abort', () => resolver.cancel(), { once: true });
  try {
    limit.signal.throwIfAborted();
    return answerOf(await (family === 'IPv6' ? resolver.resolve6(name) : resolver.resolve4(name)));
  } catch (cause) {
    if (ranOut(limit.signal)) return { kind: 'failed', reason: 'time limit' };
    signal.throwIfAborted();
    return failureOf(cause);
  } finally {
    limit.end();
  }
}

/** Undefined for all of the system's at once: a link-local one would lose its interface when it is set. */
function systemServers(): readonly (string | undefined)[] {
  const servers = dns.getServers();
  return servers.some((server) => /^\[?fe80:/i.test(server)) ? [undefined] : servers;
}

function checked(servers: readonly string[]): readonly string[] {
  try {
    new dns.Resolver().setServers(servers);
    return servers;
  } catch {
    return refuse(
      'USAGE',
      'A DNS server is not an IP address.',
      'Give --dns-server ip, ip:port or [ipv6]:port.',
    );
  }
}

function answerOf(records: readonly string[]): DnsAnswer {
  const addresses = [...new Set(records)].sort();
  return addresses.length === 0 ? { kind: 'none' } : { kind: 'addresses', addresses };
}

/** c-ares' codes that say "there is no such record". */
const NO_RECORD: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA']);

const REASONS: Readonly<Record<string, string>> = {
  ESERVFAIL: 'SERVFAIL',
  EREFUSED: 'REFUSED',
  ENOTIMP: 'NOTIMP',
  EFORMERR: 'FORMERR',
  EBADRESP: 'malformed answer',
  ETIMEOUT: 'timeout',
  ECONNREFUSED: 'no resolver there',
};

function failureOf(cause: unknown): DnsAnswer {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (NO_RECORD.has(code)) return { kind: 'none' };
  return { kind: 'failed', reason: REASONS[code] ?? 'unknown cause' };
}
