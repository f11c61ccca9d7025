/**
 * Hydrating in one process against parsing the same manifest once, in turn: the cost of knowing what Talos will make of
 * patches, without the start of a process. Parsed by `yaml`, the field's parser, as any tool would; and by our own
 * reader, which is what hydrating starts with.
 */
import { parseAllDocuments } from 'yaml';
import { documentsOf, hydrate } from '../src/manifest/hydrate.ts';
import { trustIntent } from '../src/manifest/intent.ts';
import { parseRegistryHost } from '../src/trust/registry-host.ts';
import { mergedHolders } from './generate.ts';

export interface HydrateRatios {
  readonly toYaml: number;
  readonly toOwnReader: number;
}

const HOST = parseRegistryHost('registry.ok-shared.internal');
const VALUES = {
  caBase64: Buffer.from('-----BEGIN CERTIFICATE-----\nYg==\n').toString('base64'),
  ip: '192.0.2.10',
};

/** Ratios of medians over `rounds` rounds, each of one run of every kind. */
export function hydrateRatios(holders: number, rounds: number): HydrateRatios {
  const text = mergedHolders(holders);
  const kinds = {
    // A new intent each time: what was judged for one isn't judged again.
    hydrate: () => void hydrate(text, [trustIntent(HOST, VALUES)]),
    yaml: () => void parseAllDocuments(text),
    own: () => documentsOf({ text }).forEach((document) => void document.parse()),
  };
  const times: Record<keyof typeof kinds, number[]> = { hydrate: [], yaml: [], own: [] };
  for (let round = 0; round <= rounds; round++) {
    for (const [kind, run] of Object.entries(kinds) as [keyof typeof kinds, () => void][]) {
      const start = process.hrtime.bigint();
      run();
      // The first round warms up.
      if (round > 0) times[kind].push(Number(process.hrtime.bigint() - start));
    }
  }
  const spent = median(times.hydrate);
  return { toYaml: spent / median(times.yaml), toOwnReader: spent / median(times.own) };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
