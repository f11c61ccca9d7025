/**
 * The one address in a Service's load balancer status. Neither the cluster IP nor external IPs: nodes of other clusters
 * don't reach those.
 */
import { isIP } from 'node:net';
import type { V1Service } from '@kubernetes/client-node';
import { type Location, refuse } from '../diagnostic.ts';
import { type Address, type AddressFamily, parseAddress } from '../trust/address.ts';
import { locationOf, type ObjectRef } from './object-ref.ts';
import { fromSource } from './refusals.ts';

/**
 * @throws Refusal ADDRESS_NOT_FOUND, ADDRESS_AMBIGUOUS, ADDRESS_IS_HOSTNAME, and those of `parseAddress`
 */
export function addressOfService(
  service: V1Service,
  args: { readonly ref: ObjectRef<'Service'>; readonly family: AddressFamily },
): Address {
  const { ref, family } = args;
  const at = locationOf(ref, '/status/loadBalancer/ingress');
  const title = `Service ${ref.namespace}/${ref.name}`;
  const ingress = service.status?.loadBalancer?.ingress ?? [];
  // A host name stands for addresses that change, so it can't be an alias; and one beside an IP leaves open which is meant.
  if (ingress.some(({ ip, hostname }) => (ip ?? '') === '' && (hostname ?? '') !== '')) {
    const hint = 'Nodes need an IP: give --address or REGISTRY_ADDRESS, or a load balancer with a fixed IP.';
    return refuse('ADDRESS_IS_HOSTNAME', `${title} has a host name as its load balancer address.`, hint, at);
  }
  const ips = [...new Set(ingress.flatMap(({ ip }) => ip ?? []))];
  const [only, ...others] = ips.filter((ip) => familyOf(ip) === family).sort();
  if (only === undefined) return refuseEmpty({ title, family, ips, type: service.spec?.type, at });
  if (others.length > 0) {
    const message = `${title} has ${others.length + 1} ${family} addresses: ${[only, ...others].join(', ')}.`;
    return refuse(
      'ADDRESS_AMBIGUOUS',
      message,
      'Nodes get exactly one: choose it with --address or REGISTRY_ADDRESS.',
      at,
    );
  }
  return fromSource({ at }, () => parseAddress(only, family));
}

function refuseEmpty(args: {
  readonly title: string;
  readonly family: AddressFamily;
  readonly ips: readonly string[];
  readonly type: string | undefined;
  readonly at: Location;
}): never {
  const { title, family, ips, type, at } = args;
  if (ips.length === 0 && type !== undefined && WITHOUT_LOAD_BALANCER.has(type)) {
    return refuse(
      'ADDRESS_NOT_FOUND',
      `${title} is of type ${type}, which gets no load balancer address.`,
      'Name the Service of type LoadBalancer that the registry is reached by, or give --address or REGISTRY_ADDRESS.',
      at,
    );
  }
  const hint =
    ips.length === 0
      ? 'Wait until its load balancer has one (kubectl get service shows it as EXTERNAL-IP), or give --address or REGISTRY_ADDRESS.'
      : 'It has one of the other family: set address.family, or make the Service dual-stack.';
  return refuse('ADDRESS_NOT_FOUND', `${title} has no ${family} load balancer address.`, hint, at);
}

const WITHOUT_LOAD_BALANCER: ReadonlySet<string> = new Set(['ClusterIP', 'NodePort', 'ExternalName']);

function familyOf(ip: string): AddressFamily | 'none' {
  const version = isIP(ip);
  return version === 4 ? 'IPv4' : version === 6 ? 'IPv6' : 'none';
}
