/** What is wanted of a manifest: a registry trusted, in the holders that the config is for. */
import type { TrustValues } from '../machine-config/form.ts';
import type { RegistryTrust, Targets } from '../spec/registry-trust.ts';
import type { HolderIntent } from './plan-holder.ts';

/** Without `targets`, every holder is meant. */
export interface TrustIntent extends HolderIntent {
  readonly targets?: Targets;
}

/** The intent of a config; with `unknown` values it can be judged but not hydrated. */
export function intentOf(trust: RegistryTrust, values: TrustValues | 'unknown'): TrustIntent {
  const { host, patchFormat, targets } = trust;
  return { host, patchFormat, values, ...(targets === undefined ? {} : { targets }) };
}
