/** The bootstrap provider (CABPT) as far as its age decides which patches work (facts: "From a committed manifest"). */
import type { ProviderVersion } from '../spec/parse-spec.ts';

export type { ProviderVersion };

/** First release with `strategicPatches`. */
const STRATEGIC = { major: 0, minor: 6, patch: 5 };

/** First release whose machinery knows the documents of Talos 1.12, and generates several for contract 1.12. */
const DOCUMENTS = { major: 0, minor: 6, patch: 11 };

export type ProviderAbility = 'json6902-only' | 'strategic' | 'documents';

/** What the oldest provider that counts can do. Without a declared one, a current provider is assumed. */
export function abilityOf(minProvider: ProviderVersion | undefined): ProviderAbility {
  if (minProvider === undefined || !isOlder(minProvider, DOCUMENTS)) return 'documents';
  return isOlder(minProvider, STRATEGIC) ? 'json6902-only' : 'strategic';
}

function isOlder(a: ProviderVersion, b: ProviderVersion): boolean {
  return (a.major - b.major || a.minor - b.minor || a.patch - b.patch) < 0;
}
