/** Intents that are given by flags instead of a config file: mirrors and subnets. */
import { parseClusterNetwork } from '../spec/cluster-network.ts';
import type { Config } from '../spec/config.ts';
import { parseRegistryMirror } from '../spec/registry-mirror.ts';
import { type Options, UsageError } from './options.ts';

/** @throws UsageError, Refusal MIRROR_INVALID, SUBNET_INVALID */
export function flagConfigs({ registryMirrors, podSubnets, serviceSubnets }: Options): readonly Config[] {
  const network = {
    ...(podSubnets === undefined ? {} : { podSubnets: listOf(podSubnets) }),
    ...(serviceSubnets === undefined ? {} : { serviceSubnets: listOf(serviceSubnets) }),
  };
  const place = { at: {}, pointer: '', keys: 'nested' } as const;
  return [
    ...[...endpointsByRegistry(registryMirrors ?? [])].map(([registry, urls]) =>
      parseRegistryMirror({ registry, endpoints: urls.map((url) => ({ url })) }, place),
    ),
    ...(Object.keys(network).length === 0 ? [] : [parseClusterNetwork(network, place)]),
  ];
}

/** A registry that is given several times has several mirrors, in that order. */
function endpointsByRegistry(flags: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const endpoints = new Map<string, readonly string[]>();
  for (const flag of flags) {
    const at = flag.indexOf('=');
    if (at < 1)
      throw new UsageError('--registry-mirror takes HOST=URL, such as ghcr.io=https://mirror.internal.');
    const registry = flag.slice(0, at);
    endpoints.set(registry, [...(endpoints.get(registry) ?? []), flag.slice(at + 1)]);
  }
  return endpoints;
}

function listOf(text: string): readonly string[] {
  return text.split(',').map((entry) => entry.trim());
}
