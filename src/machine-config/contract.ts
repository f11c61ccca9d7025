/**
 * `talosVersion` is a contract: which generation of configuration the provider generates, not the node's version.
 * What matters here is whether that configuration is one document or several, because a JSON 6902 patch on several
 * always fails (test/vectors, `own-json-*`).
 */

export type Contract =
  | { readonly kind: 'version'; readonly major: number; readonly minor: number }
  /** No talosVersion: the provider's own, newest contract. */
  | { readonly kind: 'unset' }
  /** A variable that a later step expands; undecidable here. */
  | { readonly kind: 'variable' };

export type Documents = 'one' | 'several' | 'unknown';

/** First contract that gives several documents (bootstrap provider ≥ 0.6.11). */
const MULTI_DOCUMENT = { major: 1, minor: 12 };

/**
 * Reads `v1.9.5`, `1.13`, `v1.5` (Talos drops any leading `v`s), a `${VARIABLE}` in it, or nothing.
 * `undefined` when it is none of these.
 */
export function parseContract(text: string | undefined): Contract | undefined {
  const trimmed = text?.trim() ?? '';
  if (trimmed === '') return { kind: 'unset' };
  if (trimmed.includes('${')) return { kind: 'variable' };
  const match = /^v*(\d{1,4})\.(\d{1,4})(?:$|[.-])/.exec(trimmed);
  if (match === null) return undefined;
  return { kind: 'version', major: Number(match[1]), minor: Number(match[2]) };
}

/** How many documents a generated configuration of this contract has on a current provider. */
export function generatedDocuments(contract: Contract): Documents {
  switch (contract.kind) {
    case 'unset':
      return 'several';
    case 'variable':
      return 'unknown';
    case 'version': {
      const { major, minor } = contract;
      const before =
        major < MULTI_DOCUMENT.major || (major === MULTI_DOCUMENT.major && minor < MULTI_DOCUMENT.minor);
      return before ? 'one' : 'several';
    }
  }
}
