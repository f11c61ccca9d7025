/**
 * How an intent is written. Values are what the YAML will hold; where they go in a manifest is `src/manifest/`'s work.
 */
import type { RegistryHost } from '../trust/registry-host.ts';
import type { Value } from '../yaml/value.ts';
import { type Contract, generatedDocuments } from './contract.ts';
import { HOST_ENTRIES, type OwnedLeaf, pointerTo, REGISTRIES } from './owned-path.ts';

/** `json6902`: operations in `configPatches`. `strategic`: legacy fields in a `strategicPatches` string. */
export type Form = 'json6902' | 'strategic';

/** What Talos is to hold for one registry: base64 of the CA's PEM (legacy form), and the IP of its host. */
export interface TrustValues {
  readonly caBase64: string;
  readonly ip: string;
}

/**
 * The form for a holder in which nothing decides it yet. Below contract 1.12 existing clusters have JSON 6902
 * patches, and another form would roll their control planes; the legacy strategic form works on every contract.
 */
export function automaticForm(args: { readonly contract: Contract; readonly generateType: string }): Form {
  if (args.generateType === 'none') return 'strategic';
  return generatedDocuments(args.contract) === 'one' ? 'json6902' : 'strategic';
}

/** Value of `machine.registries` that trusts the CA for the host. */
export function registriesValue(host: RegistryHost, values: TrustValues): Value {
  return { config: { [host.key]: { tls: { ca: values.caBase64 } } } };
}

/** One entry of `machine.network.extraHostEntries`. */
export function hostEntryValue(host: RegistryHost, values: TrustValues): Value {
  return { ip: values.ip, aliases: [host.name] };
}

/** The JSON 6902 operation that sets a whole leaf which nothing set before. */
export function leafOperation(leaf: OwnedLeaf, host: RegistryHost, values: TrustValues): Value {
  return { op: 'add', path: pointerTo(leaf), value: leafValue(leaf, host, values) };
}

/** A strategic patch, as one legacy document, that sets the given leaves. */
export function strategicPatch(leaves: readonly OwnedLeaf[], host: RegistryHost, values: TrustValues): Value {
  const machine: Record<string, Value> = {};
  if (leaves.includes('registries')) machine[REGISTRIES[1]] = registriesValue(host, values);
  if (leaves.includes('hostEntries'))
    machine[HOST_ENTRIES[1]] = { [HOST_ENTRIES[2]]: leafValue('hostEntries', host, values) };
  return { [REGISTRIES[0]]: machine };
}

function leafValue(leaf: OwnedLeaf, host: RegistryHost, values: TrustValues): Value {
  return leaf === 'registries' ? registriesValue(host, values) : [hostEntryValue(host, values)];
}
