/**
 * The library: hydrate a manifest in memory. Nothing here reads files, environment, clusters or clocks.
 *
 * ```ts
 * const { output } = hydrate(text, [trustIntent(host, { caBase64, ip })]);
 * ```
 */
export type { Code, Diagnostic, Location, Severity } from './diagnostic.ts';
export { CODES, Refusal } from './diagnostic.ts';
export type { Form } from './machine-config/form.ts';
export type { Credentials, MirrorValues } from './machine-config/intents/mirror.ts';
export type { NetworkValues } from './machine-config/intents/network.ts';
export type { TrustValues } from './machine-config/intents/trust.ts';
export type { Hydrated, Leftovers, Manifest } from './manifest/hydrate.ts';
export { hydrate, hydrateAll } from './manifest/hydrate.ts';
export {
  type Intent,
  mirrorIntent,
  networkIntent,
  offlineIntent,
  type Placing,
  trustIntent,
  trustIntentOf,
} from './manifest/intent.ts';
export { Secret } from './secret.ts';
export type { ClusterNetwork } from './spec/cluster-network.ts';
export type { Config } from './spec/config.ts';
export { type ConfigResult, readConfig } from './spec/config-source.ts';
export type { RegistryMirror } from './spec/registry-mirror.ts';
export type { RegistryTrust, Targets } from './spec/registry-trust.ts';
export { type Address, parseAddress } from './trust/address.ts';
export { type CaBundle, parseCaBundle } from './trust/ca-bundle.ts';
export { parseRegistryHost, type RegistryHost } from './trust/registry-host.ts';
