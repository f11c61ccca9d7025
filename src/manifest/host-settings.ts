/**
 * What one `machine.registries` and one `extraHostEntries` value say about our host, and the edits that make them say
 * what we want. The same for the value of a JSON 6902 operation and for a strategic patch.
 */
import { error, type Location, Refusal } from '../diagnostic.ts';
import { hostEntryValue, type TrustValues } from '../machine-config/form.ts';
import { type RegistryHost, sameHostName, sameRegistry } from '../trust/registry-host.ts';
import {
  descend,
  isMap,
  isNull,
  isPlain,
  isScalar,
  isSeq,
  keyOf,
  memberOf,
  type Node,
  refuseIndirection,
  startOf,
  textOf,
  type YAMLMap,
  type YAMLSeq,
  type YamlDocument,
} from '../yaml/document.ts';
import { addItems, removeItem, replaceScalar, setAt, type Target } from '../yaml/splice.ts';
import type { TextEdit } from '../yaml/text-edit.ts';

/** Where a value stands, for diagnostics. */
export interface Place {
  readonly document: YamlDocument;
  at(offset: number): Location;
}

/** An entry of `extraHostEntries` that has an alias for the host. */
interface AliasedEntry {
  readonly index: number;
  readonly entry: YAMLMap;
  readonly ip: Node;
  readonly aliases: YAMLSeq;
  readonly aliasIndex: number;
}

/**
 * Whether `registries` already has a setting for the host.
 * @throws Refusal PATCH_INSECURE, PATCH_HOST_SPELLING, PATCH_VARIABLE, PATCH_INVALID, YAML_ALIAS
 */
export function registriesMention(
  place: Place,
  registries: Node | undefined,
  host: RegistryHost,
): 'absent' | 'present' {
  if (isNull(registries) || registries === undefined) return 'absent';
  if (!isMap(registries)) refuseShape(place, registries, 'machine.registries', 'a mapping');
  const config = descend(place.document, registries, ['config']);
  if (config === undefined) return 'absent';
  if (!isMap(config)) refuseShape(place, config, 'machine.registries.config', 'a mapping');
  let mention: 'absent' | 'present' = 'absent';
  for (const pair of config.items) {
    const key = keyOf(pair);
    if (key === undefined || key.includes('${')) refuseVariable(place, pair.key as Node);
    const same = sameRegistry(key, host);
    if (same === 'same-other-spelling') refuseSpelling(place, pair.key as Node, host.key);
    if (same === 'same') {
      mention = 'present';
      inspectHostConfig(place, pair.value as Node);
    }
  }
  return mention;
}

/** Edits that make `registries`, a mapping, trust the CA for the host. */
export function trustIn(
  target: Target,
  place: Place,
  registries: YAMLMap,
  host: RegistryHost,
  values: TrustValues,
): readonly TextEdit[] {
  const current = textOf(descend(place.document, registries, ['config', host.key, 'tls', 'ca']));
  if (current !== undefined && withoutLineBreaks(current) === values.caBase64) return [];
  const edits = setAt(target, registries, ['config', host.key, 'tls', 'ca'], values.caBase64);
  if (edits === undefined) throw new Error('the scan let a registry configuration of another shape pass');
  return edits;
}

/**
 * Whether `extraHostEntries` already has an alias for the host.
 * @throws Refusal PATCH_HOST_SPELLING, PATCH_ORDER_DEPENDENT, PATCH_VARIABLE, PATCH_INVALID, YAML_ALIAS
 */
export function hostEntriesMention(
  place: Place,
  entries: Node | undefined,
  host: RegistryHost,
): 'absent' | 'present' {
  return aliasOf(place, entries, host) === undefined ? 'absent' : 'present';
}

/** Edits that make `entries`, a list, resolve the host to the address and nothing else, keeping all other aliases. */
export function aliasIn(
  target: Target,
  place: Place,
  entries: YAMLSeq,
  host: RegistryHost,
  values: TrustValues,
): readonly TextEdit[] {
  const current = aliasOf(place, entries, host);
  const wanted = hostEntryValue(host, values);
  if (current === undefined) return addItems(target, entries, [wanted]);
  if (textOf(current.ip) === values.ip) return [];
  if (current.aliases.items.length === 1) return replaceScalar(target, current.ip, values.ip);
  return [...removeItem(target, current.aliases, current.aliasIndex), ...addItems(target, entries, [wanted])];
}

function aliasOf(place: Place, entries: Node | undefined, host: RegistryHost): AliasedEntry | undefined {
  if (isNull(entries) || entries === undefined) return undefined;
  if (!isSeq(entries)) refuseShape(place, entries, 'extraHostEntries', 'a list');
  const found = entries.items.flatMap((item, index) => aliasesOfEntry(place, item as Node, index, host));
  const [first, second] = found;
  if (second !== undefined) {
    throw new Refusal(
      error(
        'PATCH_ORDER_DEPENDENT',
        `Two host entries have an alias for ${host.name}.`,
        'Keep one of them.',
        place.at(startOf(second.entry)),
      ),
    );
  }
  return first;
}

function aliasesOfEntry(
  place: Place,
  entry: Node,
  index: number,
  host: RegistryHost,
): readonly AliasedEntry[] {
  refuseIndirection(place.document, entry);
  if (!isMap(entry))
    refuseShape(place, entry, 'An entry of extraHostEntries', 'a mapping with ip and aliases');
  if (memberOf(entry, '$patch') !== undefined) refuseDirective(place, entry);
  const aliases = descend(place.document, entry, ['aliases']);
  if (aliases === undefined) return [];
  if (!isSeq(aliases)) refuseShape(place, aliases, 'aliases', 'a list');
  const ip = memberOf(entry, 'ip');
  return aliases.items.flatMap((item, aliasIndex) => {
    const alias = textOf(item as Node);
    if (alias === undefined || alias.includes('${')) refuseVariable(place, item as Node);
    const same = sameHostName(alias, host);
    if (same === 'other') return [];
    if (same === 'same-other-spelling') refuseSpelling(place, item as Node, host.name);
    if (ip === undefined || !isScalar(ip) || textOf(ip)?.includes('${')) refuseVariable(place, ip ?? entry);
    return [{ index, entry, ip, aliases, aliasIndex }];
  });
}

/** Any truthy spelling counts for Talos, a quoted one too (test/vectors, `emp-*-insecure-*`). */
const TRUE = /^(?:true|yes|on|y)$/i;

function inspectHostConfig(place: Place, value: Node | null): void {
  if (value === null || isNull(value)) return;
  if (!isMap(value)) refuseShape(place, value, 'The configuration of the host', 'a mapping');
  const tls = descend(place.document, value, ['tls']);
  if (tls !== undefined && !isMap(tls)) refuseShape(place, tls, 'tls of the host', 'a mapping');
  const insecure = descend(place.document, tls, ['insecureSkipVerify']);
  if (insecure !== undefined && TRUE.test(textOf(insecure) ?? '')) {
    throw new Refusal(
      error(
        'PATCH_INSECURE',
        'insecureSkipVerify is set for this host; beside it a CA has no effect.',
        'Remove insecureSkipVerify: with the CA it is no longer needed.',
        place.at(startOf(insecure)),
      ),
    );
  }
  const ca = descend(place.document, tls, ['ca']);
  if (ca !== undefined && (!isScalar(ca) || (isPlain(ca) && textOf(ca)?.includes('${'))))
    refuseVariable(place, ca);
}

function withoutLineBreaks(base64: string): string {
  return base64.replace(/[\r\n]/g, '');
}

function refuseShape(place: Place, node: Node, what: string, expected: string): never {
  throw new Refusal(
    error('PATCH_INVALID', `${what} is not ${expected}.`, 'Correct the patch.', place.at(startOf(node))),
  );
}

function refuseVariable(place: Place, node: Node): never {
  throw new Refusal(
    error(
      'PATCH_VARIABLE',
      'A variable or a value that is not text stands where a host, an address or a CA belongs.',
      'Expand variables before this step, or remove the setting: it will be written here.',
      place.at(startOf(node)),
    ),
  );
}

function refuseSpelling(place: Place, node: Node, canonical: string): never {
  throw new Refusal(
    error(
      'PATCH_HOST_SPELLING',
      'The host is set here under another spelling (capitals, trailing dot or :443), which containerd treats as another host.',
      `Write ${canonical}.`,
      place.at(startOf(node)),
    ),
  );
}

/** Shared with the scan of strategic patches: a `$patch` on the way to what we own. */
export function refuseDirective(place: Place, node: Node): never {
  throw new Refusal(
    error(
      'PATCH_ORDER_DEPENDENT',
      'A $patch directive stands on the way to machine.registries or extraHostEntries.',
      'Write the wanted result out, without $patch.',
      place.at(startOf(node)),
    ),
  );
}
