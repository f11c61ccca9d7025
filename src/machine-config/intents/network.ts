/** Intent: the pod and service subnets of the cluster. A list that is set replaces the one before, in every form. */
import type { NamedSetting } from '../setting.ts';
import type { Wanted } from './wanted.ts';

/** CIDRs, at most two of each; an empty list leaves the subnets as they are. */
export interface NetworkValues {
  readonly podSubnets: readonly string[];
  readonly serviceSubnets: readonly string[];
}

export function wantedNetwork({ podSubnets, serviceSubnets }: NetworkValues): Wanted {
  const settings = [
    { leaf: 'podSubnets', value: podSubnets },
    { leaf: 'serviceSubnets', value: serviceSubnets },
  ] as const;
  return {
    settings: settings
      .filter(({ value }) => value.length > 0)
      .map((setting): NamedSetting => ({ kind: 'named', anchor: [], ...setting })),
    expected: (before) => ({
      ...before,
      podSubnets: podSubnets.length > 0 ? podSubnets : before.podSubnets,
      serviceSubnets: serviceSubnets.length > 0 ? serviceSubnets : before.serviceSubnets,
    }),
  };
}
