/**
 * A real DNS query for one name. Not `lookup`: that reads the hosts file, where an operator's machine may well have the
 * very alias that the nodes are to get.
 */
import { promises as dns } from 'node:dns';
import { refuse } from '../diagnostic.ts';
import type { AddressFamily } from '../trust/address.ts';
import { ranOut, startLimit } from './limit.ts';

export type DnsAnswer =
  /** At least one, each once, sorted: servers rotate them. */
  | { readonly kind: 'addresses'; readonly addresses: readonly string[] }
  /** The name doesn't exist, or has no record of the family. */
  | { readonly kind: 'none' }
  /** No opinion: servers are silent or broken. `reason` is a word or two for a message. */
  | { readonly kind: 'failed'; readonly reason: string };

/**
 * Asks for the A (IPv4) or AAAA (IPv6) records of an absolute name, without search domains.
 * @param args `servers`: `ip` or `ip:port`, default the system's; `limitMs` for all tries together
 * @throws Refusal USAGE for a server that is none, and the signal's reason when the caller aborts it
 */
export async function queryAddresses(args: {
  readonly name: string;
  readonly family: AddressFamily;
  readonly servers?: readonly string[];
  readonly limitMs: number;
  readonly signal: AbortSignal;
}): Promise<DnsAnswer> {
  const { name, family, servers, limitMs, signal } = args;
  const resolver = createResolver(limitMs, servers);
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

/** c-ares doubles the time with each try: with a third of the limit, two tries fit. */
function createResolver(limitMs: number, servers: readonly string[] | undefined): dns.Resolver {
  const resolver = new dns.Resolver({ timeout: Math.max(1, Math.floor(limitMs / 3)), tries: 2 });
  if (servers === undefined || servers.length === 0) return resolver;
  try {
    resolver.setServers(servers);
  } catch {
    return refuse(
      'USAGE',
      'A DNS server is not an IP address.',
      'Give --dns-server ip, ip:port or [ipv6]:port.',
    );
  }
  return resolver;
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
