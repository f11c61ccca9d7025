/**
 * The address of a registry: override, then DNS, then the Service's status, stopping at the first with an opinion.
 *
 * Invariant: an address comes out only if its source named exactly one. A source that is unsure refuses; only one that
 * has no opinion hands on to the next.
 */
import { type Diagnostic, refuse, warning } from '../diagnostic.ts';
import type { RegistryTrust } from '../spec/registry-trust.ts';
import { type Address, parseAddress } from '../trust/address.ts';
import type { Cluster } from './cluster.ts';
import { type DnsAnswer, queryAddresses } from './dns.ts';
import { type Limits, readObject } from './read-object.ts';
import { fromSource, withWarnings } from './refusals.ts';
import { addressOfService } from './service-address.ts';

export type Provenance = 'override' | 'dns' | 'service';

export interface ResolvedAddress {
  readonly address: Address;
  readonly provenance: Provenance;
  readonly diagnostics: readonly Diagnostic[];
}

type Trust = Pick<RegistryTrust, 'host' | 'family' | 'service'>;

export interface AddressQuestion {
  readonly trust: Trust;
  /** What the operator gave, unparsed. */
  readonly override?: string;
  readonly dnsServers?: readonly string[];
  /** Called only when the Service is asked. */
  readonly openInfra: () => Promise<Cluster>;
  readonly limits: Limits & { readonly dnsMs: number };
}

/**
 * Warnings: DNS_FAILED, KUBECONFIG_INSECURE.
 * @throws Refusal ADDRESS_INVALID, ADDRESS_NOT_ROUTABLE, ADDRESS_FAMILY, ADDRESS_AMBIGUOUS, ADDRESS_NOT_FOUND,
 *   ADDRESS_IS_HOSTNAME, USAGE (a DNS server), and those of `openCluster` and `readObject`; with the warnings so far
 */
export async function resolveAddress(question: AddressQuestion): Promise<ResolvedAddress> {
  const { trust, override } = question;
  if (override !== undefined && override !== '') {
    const label = 'By --address or REGISTRY_ADDRESS';
    const address = fromSource({ label }, () => parseAddress(override, trust.family));
    return { address, provenance: 'override', diagnostics: [] };
  }
  const answer = await askDns(question);
  switch (answer.kind) {
    case 'addresses':
      return { address: onlyAddress(answer.addresses, trust), provenance: 'dns', diagnostics: [] };
    case 'none':
      return askService(question, answer, []);
    case 'failed':
      return askService(question, answer, [dnsFailed(trust, answer.reason)]);
  }
}

function askDns({ trust, dnsServers, limits }: AddressQuestion): Promise<DnsAnswer> {
  return queryAddresses({
    name: trust.host.name,
    family: trust.family,
    ...(dnsServers === undefined ? {} : { servers: dnsServers }),
    limitMs: limits.dnsMs,
    signal: limits.signal,
  });
}

function onlyAddress(addresses: readonly string[], { host, family }: Trust): Address {
  const [first = '', ...others] = addresses;
  if (others.length > 0) {
    refuse(
      'ADDRESS_AMBIGUOUS',
      `DNS gives ${addresses.length} ${family} addresses for ${host.name}: ${addresses.join(', ')}.`,
      'Nodes get exactly one: choose it with --address or REGISTRY_ADDRESS.',
    );
  }
  return fromSource({ label: `By DNS for ${host.name}` }, () => parseAddress(first, family));
}

function dnsFailed({ host, service }: Trust, reason: string): Diagnostic {
  const next = service === undefined ? 'No Service is configured either' : 'The Service decides instead';
  return warning(
    'DNS_FAILED',
    `The DNS query for ${host.name} failed (${reason}). ${next}.`,
    'Check the resolver (/etc/resolv.conf), or name one with --dns-server.',
  );
}

type NoAddress = Exclude<DnsAnswer, { readonly kind: 'addresses' }>;

function askService(
  { trust, openInfra, limits }: AddressQuestion,
  byDns: NoAddress,
  warnings: readonly Diagnostic[],
): Promise<ResolvedAddress> {
  return withWarnings(warnings, async () => {
    if (trust.service === undefined) return refuseWithoutService(trust, byDns);
    const ref = { kind: 'Service', ...trust.service } as const;
    const cluster = await openInfra();
    return withWarnings(cluster.diagnostics, async () => ({
      address: addressOfService(await readObject(cluster, ref, limits), { ref, family: trust.family }),
      provenance: 'service',
      diagnostics: [...warnings, ...cluster.diagnostics],
    }));
  });
}

function refuseWithoutService({ host, family }: Trust, byDns: NoAddress): never {
  const [problem, remedy] =
    byDns.kind === 'none'
      ? [
          `DNS gives no ${family} address for ${host.name}`,
          'Create the DNS record (or set address.family to that of the one there is)',
        ]
      : [
          `DNS could not be asked for ${host.name} (${byDns.reason})`,
          'Check the resolver (/etc/resolv.conf) or name one with --dns-server',
        ];
  return refuse(
    'ADDRESS_NOT_FOUND',
    `${problem}, and no Service is configured.`,
    `${remedy}, set address.serviceNamespace and address.serviceName, or give --address or REGISTRY_ADDRESS.`,
  );
}
