/**
 * The library: hydrate a manifest in memory. Nothing here reads files, environment, clusters or clocks.
 *
 * ```ts
 * const { output } = hydrate(text, [{ host, patchFormat: 'auto', values: { caBase64, ip } }]);
 * ```
 */
export type { Code, Diagnostic, Location, Severity } from './diagnostic.ts';
export { CODES, Refusal } from './diagnostic.ts';
export type { Form, TrustValues } from './machine-config/form.ts';
export type { Hydrated, Leftovers, Manifest } from './manifest/hydrate.ts';
export { hydrate, hydrateAll } from './manifest/hydrate.ts';
export { intentOf, type TrustIntent } from './manifest/intent.ts';
export { Secret } from './secret.ts';
export { type ConfigResult, readConfig } from './spec/config-source.ts';
export type { RegistryTrust, Targets } from './spec/registry-trust.ts';
export { type Address, parseAddress } from './trust/address.ts';
export { type CaBundle, parseCaBundle } from './trust/ca-bundle.ts';
export { parseRegistryHost, type RegistryHost } from './trust/registry-host.ts';
