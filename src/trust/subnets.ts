/**
 * Pod and service subnets, as Kubernetes takes them: canonical CIDRs, at most one of each family in a list, lists that
 * don't overlap and have the same families. What is no CIDR is never quoted.
 */
import ipaddr from 'ipaddr.js';
import { refuse } from '../diagnostic.ts';

export type SubnetList = 'podSubnets' | 'serviceSubnets';

type Family = 'ipv4' | 'ipv6';
type Cidr = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/**
 * Prefix lengths from the shortest to the longest. A Pod subnet holds a block for each node, /24 and /64 by default. The
 * API server takes 20 bits at most for Services, and 8 addresses at least.
 */
const PREFIXES: Readonly<Record<SubnetList, Readonly<Record<Family, readonly [number, number]>>>> = {
  podSubnets: { ipv4: [1, 24], ipv6: [1, 64] },
  serviceSubnets: { ipv4: [12, 29], ipv6: [108, 125] },
};

/** Addresses that no Pod and no Service can have. */
const UNUSABLE: readonly (readonly [string, string])[] = [
  ['unspecified', '0.0.0.0/8'],
  ['loopback', '127.0.0.0/8'],
  ['link-local', '169.254.0.0/16'],
  ['multicast', '224.0.0.0/4'],
  ['broadcast', '255.255.255.255/32'],
  ['unspecified', '::/128'],
  ['loopback', '::1/128'],
  ['IPv4-mapped', '::ffff:0:0/96'],
  ['link-local', 'fe80::/10'],
  ['multicast', 'ff00::/8'],
];

/**
 * The CIDRs of one list, which come out as they are.
 * @throws Refusal SUBNET_INVALID
 */
export function parseSubnets(texts: readonly string[], list: SubnetList): readonly string[] {
  const families = texts.map((text) => parseCidr(text, list)[0].kind());
  if (new Set(families).size < families.length)
    invalid(`${list} has two subnets of one family.`, 'Give one IPv4 and one IPv6 subnet, or only one.');
  return texts;
}

/**
 * Rules between the two lists, each of which is valid. An empty list is one that is not given.
 * @throws Refusal SUBNET_INVALID
 */
export function refuseSubnetPairs(pods: readonly string[], services: readonly string[]): void {
  if (pods.length === 0 || services.length === 0) return;
  const podCidrs = pods.map((text) => ipaddr.parseCIDR(text));
  const serviceCidrs = services.map((text) => ipaddr.parseCIDR(text));
  if (familiesOf(podCidrs) !== familiesOf(serviceCidrs))
    invalid(
      'podSubnets and serviceSubnets are of different families.',
      'Give both lists the same families: IPv4, IPv6, or both.',
    );
  if (podCidrs.some((pod) => serviceCidrs.some((service) => overlap(pod, service))))
    invalid('podSubnets and serviceSubnets overlap.', 'Give them ranges that have no address in common.');
}

const IPV4_CIDR = /^(?:0|[1-9][0-9]{0,2})(?:\.(?:0|[1-9][0-9]{0,2})){3}\/(?:0|[1-9][0-9]?)$/;
const IPV6_CIDR = /^[0-9A-Fa-f.]*:[0-9A-Fa-f.:]*\/(?:0|[1-9][0-9]{0,2})$/;

function parseCidr(text: string, list: SubnetList): Cidr {
  if (!(IPV4_CIDR.test(text) || IPV6_CIDR.test(text)) || !ipaddr.isValidCIDR(text))
    return invalid(
      `An entry of ${list} is not a CIDR.`,
      text.includes('${') ? 'Expand variables before this step.' : `Write it like ${EXAMPLES[list]}.`,
    );
  const cidr = ipaddr.parseCIDR(text);
  const [address, prefix] = cidr;
  const [unusable] = UNUSABLE.find(([, range]) => overlap(cidr, ipaddr.parseCIDR(range))) ?? [];
  if (unusable !== undefined)
    return invalid(
      `An entry of ${list} can not be used in a cluster: it has ${unusable} addresses.`,
      `Use a private range, such as ${EXAMPLES[list]}.`,
    );
  const canonical = `${networkOf(address, prefix)}/${prefix}`;
  if (canonical !== text)
    return invalid(
      `An entry of ${list} is a CIDR that is not in canonical form.`,
      `Write ${canonical}, if that is meant.`,
    );
  refusePrefix(cidr, list);
  return cidr;
}

const EXAMPLES: Readonly<Record<SubnetList, string>> = {
  podSubnets: '10.244.0.0/16 or fd00:10:244::/56',
  serviceSubnets: '10.96.0.0/12 or fd00:10:96::/112',
};

function refusePrefix([address, prefix]: Cidr, list: SubnetList): void {
  const [shortest, longest] = PREFIXES[list][address.kind()];
  if (prefix > longest) {
    const need = list === 'podSubnets' ? 'the Pods of one node' : 'the 8 addresses that the API server wants';
    invalid(`A subnet of ${list} has no room for ${need}.`, `Use /${longest} or a shorter prefix.`);
  }
  if (prefix < shortest)
    invalid(
      `A subnet of ${list} is larger than the API server takes.`,
      `Use /${shortest} or a longer prefix.`,
    );
}

function familiesOf(cidrs: readonly Cidr[]): string {
  return cidrs
    .map(([address]) => address.kind())
    .sort()
    .join();
}

function overlap([a, aPrefix]: Cidr, [b, bPrefix]: Cidr): boolean {
  const shorter = Math.min(aPrefix, bPrefix);
  return a.kind() === b.kind() && networkOf(a, shorter) === networkOf(b, shorter);
}

function networkOf(address: ipaddr.IPv4 | ipaddr.IPv6, prefix: number): string {
  return address.kind() === 'ipv4'
    ? ipaddr.IPv4.networkAddressFromCIDR(`${address}/${prefix}`).toString()
    : ipaddr.IPv6.networkAddressFromCIDR(`${address}/${prefix}`).toRFC5952String();
}

function invalid(message: string, hint: string): never {
  return refuse('SUBNET_INVALID', message, hint);
}
