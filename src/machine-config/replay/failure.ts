/** Why Talos would refuse patches: a kind for each family of its messages, never the message, which may hold a value. */

export type FailureKind =
  /** JSON 6902 on several documents. */
  | 'multi-document'
  | 'missing-path'
  | 'missing-key'
  | 'invalid-index'
  | 'test-failed'
  | 'unknown-operation'
  /** move or copy without `from`. */
  | 'missing-from'
  | 'yaml'
  /** A text that is neither a mapping nor, alone, a JSON 6902 list. */
  | 'not-a-document'
  | 'no-document'
  | 'duplicate-document'
  | 'missing-kind'
  | 'missing-version'
  | 'not-registered'
  | 'duplicate-key'
  | 'type'
  | 'base64'
  | 'url'
  | 'unknown-key'
  /** `$patch: delete` of what isn't there. */
  | 'lookup-failed'
  | 'bad-selector'
  | 'panic'
  /** A registry or mirror without value. */
  | 'null-entry'
  | 'no-name'
  | 'not-a-certificate'
  | 'credentials'
  | 'not-an-address'
  | 'no-hostname';

/** Where in the provider's pipeline; `reload` and `validate` are the node, which loads and judges what the provider made. */
export type Stage = 'data' | 'configPatches' | 'strategicPatches' | 'reload' | 'validate';

/** Thrown inside the replay and caught where its stage is known. */
export class ReplayFailure extends Error {
  readonly kind: FailureKind;
  /** Which operation or text failed, counted from 0, where that is known. */
  index: number | undefined;

  constructor(kind: FailureKind) {
    super(kind);
    this.name = 'ReplayFailure';
    this.kind = kind;
  }
}

/** Does the work for each item; a failure knows which one it was. */
export function eachIndexed<Item>(items: readonly Item[], work: (item: Item) => void): void {
  for (const [index, item] of items.entries()) {
    try {
      work(item);
    } catch (cause) {
      if (cause instanceof ReplayFailure) cause.index = index;
      throw cause;
    }
  }
}
