/**
 * The one IP address that nodes use for the registry.
 *
 * Invariant: an `Address` is of the wanted family, one that a node can connect to, and in its canonical spelling, so
 * that two equal addresses are equal text. Refused text is quoted only when it is an address.
 */
import ipaddr from 'ipaddr.js';
import { refuse } from '../diagnostic.ts';

export type AddressFamily = 'IPv4' | 'IPv6';

export interface Address {
  /** IPv4 as four decimal parts, IPv6 as in RFC 5952. */
  readonly ip: string;
  readonly family: AddressFamily;
}

/**
 * The address that `text` is, spelled strictly: no shortened, octal or zero-padded IPv4, no zone, prefix length, port,
 * brackets or blanks. Talos writes host entries into /etc/hosts unchecked, so a doubtful spelling would go through.
 * @throws Refusal ADDRESS_INVALID, ADDRESS_FAMILY, ADDRESS_NOT_ROUTABLE
 */
export function parseAddress(text: string, family: AddressFamily): Address {
  const parsed = parseIp(text);
  if (parsed === undefined)
    refuse('ADDRESS_INVALID', 'The address is not an IP address.', spellingHint(text));
  const address: Address = { ip: spell(parsed), family: familyOf(parsed) };
  if (parsed.range() === 'ipv4Mapped') {
    const hint = 'Write the IPv4 address itself and set address.family: IPv4.';
    refuse('ADDRESS_NOT_ROUTABLE', `The address ${address.ip} is an IPv4 address mapped into IPv6.`, hint);
  }
  if (address.family !== family) {
    const hint = `Set address.family: ${address.family}, or give an ${family} address.`;
    refuse(
      'ADDRESS_FAMILY',
      `The address ${address.ip} is ${address.family}, but ${family} is wanted.`,
      hint,
    );
  }
  if (!isUsable(parsed)) {
    const message = `The address ${address.ip} is ${describe(parsed)}: nodes can not reach a registry there.`;
    const hint = 'Give the address at which nodes reach the registry, such as that of its load balancer.';
    refuse('ADDRESS_NOT_ROUTABLE', message, hint);
  }
  return address;
}

type Ip = ipaddr.IPv4 | ipaddr.IPv6;
type Range = ReturnType<Ip['range']>;

const FOUR_PARTS = /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){3}$/;

function parseIp(text: string): Ip | undefined {
  if (FOUR_PARTS.test(text)) return ipaddr.IPv4.isValid(text) ? ipaddr.IPv4.parse(text) : undefined;
  if (!/^[0-9a-f:]*:(?:[0-9a-f]*|[0-9.]+)$/i.test(text)) return undefined;
  const tail = text.slice(text.lastIndexOf(':') + 1);
  if (tail.includes('.') && !FOUR_PARTS.test(tail)) return undefined;
  return ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : undefined;
}

function familyOf(ip: Ip): AddressFamily {
  return ip.kind() === 'ipv4' ? 'IPv4' : 'IPv6';
}

function spell(ip: Ip): string {
  return ip instanceof ipaddr.IPv6 ? ip.toRFC5952String() : ip.toString();
}

/** Ranges that hold nothing but addresses of hosts. `rfc6052` is IPv4 behind NAT64, as IPv6-only nodes see it. */
const USABLE_RANGES: ReadonlySet<Range> = new Set<Range>([
  'unicast',
  'private',
  'carrierGradeNat',
  'uniqueLocal',
  'rfc6052',
]);

/**
 * Networks inside ranges that are refused otherwise: documentation (RFC 5737, 3849, 9637), which examples use, and
 * benchmarking (RFC 2544), which labs use.
 */
const USABLE_NETWORKS = [
  '192.0.2.0/24',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '198.18.0.0/15',
  '2001:db8::/32',
  '3fff::/20',
].map((network) => ipaddr.parseCIDR(network));

/** IPv6 unicast that is assigned at all (IANA: 2000::/3). The rest, such as ::192.0.2.1, is reserved. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

function isUsable(ip: Ip): boolean {
  if (USABLE_NETWORKS.some((network) => network[0].kind() === ip.kind() && ip.match(network))) return true;
  const range = ip.range();
  if (range === 'unicast' && ip instanceof ipaddr.IPv6) return ip.match(GLOBAL_UNICAST);
  return USABLE_RANGES.has(range);
}

function describe(ip: Ip): string {
  switch (ip.range()) {
    case 'loopback':
      return 'a loopback address';
    case 'unspecified':
      return 'unspecified';
    case 'multicast':
      return 'a multicast address';
    case 'linkLocal':
      return 'a link-local address';
    case 'broadcast':
      return 'the broadcast address';
    default:
      return 'in a range reserved for other uses';
  }
}

function spellingHint(text: string): string {
  const bare = text.trim();
  if (bare === '') return 'The address is empty: give one, or leave it out so that it is looked up.';
  if (bare !== text && parseIp(bare) !== undefined) return 'Remove the white space around it.';
  if (bare.includes('${')) return 'Expand variables before this step.';
  if (/^[\d.]+$/.test(bare)) return 'Write four decimal parts from 0 to 255, without leading zeros.';
  if (bare.includes('/')) return 'Give a single address, without a scheme, path or prefix length.';
  if (bare.includes('%')) return 'A zone is valid on one machine only: give an address without one.';
  if (bare.startsWith('[')) return 'Write the address without brackets and port.';
  if (/^[\d.]+:\d+$/.test(bare)) return 'Write the address without the port; the port belongs to spec.host.';
  if (/^[0-9a-f.]*:[0-9a-f:.]*$/i.test(bare)) return 'Correct the IPv6 address.';
  return 'Give an IP address, not a name; names are looked up when no address is given.';
}
