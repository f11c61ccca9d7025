/**
 * What a provider would hand to Talos' configuration generator for each holder, for whoever wants to see it generated: the
 * patches as texts, the JSON 6902 ones as the one list that the provider makes of them.
 */
import type { Location } from '../diagnostic.ts';
import type { KnownContract } from '../machine-config/replay/generated-base.ts';
import { type Holder, holdersOf, mayHold } from './holders.ts';
import { documentsOf, type Manifest } from './hydrate.ts';
import { objectsOf } from './objects.ts';
import { isStoredList, isStoredMap, type Stored, storedAt, storedSpec } from './stored-value.ts';

export interface MachineConfigInput {
  readonly at: Location;
  readonly role: 'controlplane' | 'worker';
  /** What is patched: a generated configuration, or the author's own. */
  readonly base:
    | { readonly kind: 'generated'; readonly contract: KnownContract }
    | { readonly kind: 'own'; readonly text: string };
  /** In the order in which they are applied. */
  readonly patches: readonly string[];
}

export type MachineConfigSource =
  | { readonly kind: 'known'; readonly input: MachineConfigInput }
  /** `${…}` is expanded only later, so there is nothing to generate yet. */
  | { readonly kind: 'variables'; readonly at: Location };

/**
 * One for each holder, in order.
 * @throws Refusal YAML_*, HOLDER_*, CONTRACT_INVALID
 */
export function machineConfigSources(manifests: readonly Manifest[]): readonly MachineConfigSource[] {
  return manifests.flatMap((manifest) =>
    documentsOf(manifest).flatMap((document) =>
      mayHold(document.text) ? objectsOf(document.parse()).flatMap(holdersOf).map(sourceOf) : [],
    ),
  );
}

function sourceOf(holder: Holder): MachineConfigSource {
  const at: Location = { ...holder.object.at(), pointer: holder.pointer };
  const stored = storedAt(storedSpec(holder.object), holder.pointer.split('/').slice(2));
  const patches = patchTexts(stored);
  const { contract, data = '' } = holder;
  const isOwn = holder.generateType === 'none';
  if ((isOwn ? data : '').includes('${') || patches.some((text) => text.includes('${')))
    return { kind: 'variables', at };
  if (isOwn)
    return { kind: 'known', input: { at, role: roleOf(holder), base: { kind: 'own', text: data }, patches } };
  if (contract.kind === 'variable') return { kind: 'variables', at };
  return {
    kind: 'known',
    input: { at, role: roleOf(holder), base: { kind: 'generated', contract }, patches },
  };
}

function roleOf({ pointer, generateType }: Holder): MachineConfigInput['role'] {
  const isControlPlane =
    /\/controlPlaneConfig\//.test(pointer) || /^(?:controlplane|init)$/.test(generateType);
  return isControlPlane ? 'controlplane' : 'worker';
}

function patchTexts(holder: Stored | undefined): readonly string[] {
  const json = storedAt(holder, ['configPatches']);
  const strategic = storedAt(holder, ['strategicPatches']);
  return [
    ...(isStoredList(json) && json.length > 0 ? [jsonOf(json)] : []),
    ...(isStoredList(strategic) ? strategic.filter((text) => typeof text === 'string') : []),
  ];
}

/** Integers may be larger than a double can tell apart, so they are written by their digits. */
function jsonOf(value: Stored): string {
  if (typeof value === 'bigint') return value.toString();
  if (isStoredList(value)) return `[${value.map(jsonOf).join(',')}]`;
  if (isStoredMap(value))
    return `{${[...value].map(([key, child]) => `${JSON.stringify(key)}:${jsonOf(child)}`).join(',')}}`;
  return JSON.stringify(value);
}
