/**
 * Which servers NO_PROXY exempts, exactly as Go decides it (golang.org/x/net/http/httpproxy): the same variable steers
 * kubectl on the same machine, and the two must not differ.
 */
import { BlockList, isIP } from 'node:net';

/**
 * @param server `port` as a number in text, never empty
 * @param noProxy the variable: `*`, or entries between commas: `IP[:PORT]`, `CIDR`, `domain[:PORT]` (with all below it),
 *   `.domain[:PORT]` or `*.domain[:PORT]` (only what is below it)
 */
export function isExempt(
  server: { readonly hostname: string; readonly port: string },
  noProxy: string,
): boolean {
  const host = unbracketed(server.hostname.toLowerCase());
  if (host === 'localhost' || isLoopback(host)) return true;
  const entries = noProxy
    .toLowerCase()
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  return entries.some((entry) => matches(entry, host, server.port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isIP(host) !== 0 && inSubnet(host, entry);
  const { name, port: onlyPort } = splitPort(entry);
  if (onlyPort !== undefined && onlyPort !== port) return false;
  if (isIP(name) !== 0) return isIP(host) !== 0 && sameAddress(name, host);
  // An address is never below a domain.
  if (isIP(host) !== 0 || name === '') return false;
  const domain = name.startsWith('*.') ? name.slice(1) : name;
  if (domain.startsWith('.')) return host.endsWith(domain);
  return host === domain || host.endsWith(`.${domain}`);
}

function splitPort(entry: string): { readonly name: string; readonly port?: string } {
  const [, name, port] = /^(\[[^\]]*\]|[^:[\]]*):([^:]*)$/.exec(entry) ?? [];
  if (name === undefined || port === undefined) return { name: unbracketed(entry) };
  return { name: unbracketed(name), ...(port === '' ? {} : { port }) };
}

function inSubnet(host: string, cidr: string): boolean {
  const [, network = '', bits = ''] = /^(.+)\/(\d{1,3})$/.exec(cidr) ?? [];
  const family = isIP(network);
  const prefix = Number(bits);
  if (family === 0 || bits === '' || prefix > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(network, prefix, familyName(family));
  return list.check(host, familyName(isIP(host)));
}

function sameAddress(one: string, other: string): boolean {
  const list = new BlockList();
  list.addAddress(one, familyName(isIP(one)));
  return list.check(other, familyName(isIP(other)));
}

function isLoopback(host: string): boolean {
  return isIP(host) !== 0 && (inSubnet(host, '127.0.0.0/8') || inSubnet(host, '::1/128'));
}

function familyName(family: number): 'ipv4' | 'ipv6' {
  return family === 4 ? 'ipv4' : 'ipv6';
}

function unbracketed(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
}
