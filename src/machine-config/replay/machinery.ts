/**
 * The generations of Talos' machinery that differ in what they make of patches. A generation stands for its first
 * patch release on; 1.12.0 also for 1.12.1.
 */

export const MACHINERIES = ['1.9', '1.12.0', '1.12', '1.13', '1.14'] as const;

export type Machinery = (typeof MACHINERIES)[number];

export interface Behaviour {
  /** Knows the documents for registries and hosts. */
  readonly documents: 'unknown' | 'known';
  /** An empty document among others. */
  readonly emptyDocument: 'refused' | 'skipped';
  /** The same document twice in one text. */
  readonly duplicateDocument: 'refused' | 'merged';
  /** `$patch: delete` of a document that isn't there. */
  readonly missingDocument: 'kept-as-selector' | 'skipped';
  /** `$patch: delete` below an absent section. */
  readonly deleteBelowAbsent: 'panic' | 'lookup-failed';
  /** A document with a kind and no apiVersion. */
  readonly missingVersion: 'not-registered' | 'missing-version';
  /** Reading the TLS of a RegistryTLSConfig without client identity. */
  readonly bareTlsDocument: 'panic' | 'fine';
}

const OLDEST: Behaviour = {
  documents: 'unknown',
  emptyDocument: 'refused',
  duplicateDocument: 'refused',
  missingDocument: 'kept-as-selector',
  deleteBelowAbsent: 'panic',
  missingVersion: 'not-registered',
  bareTlsDocument: 'panic',
};

const FIRST_1_12: Behaviour = { ...OLDEST, documents: 'known' };

const LATER_1_12: Behaviour = {
  ...FIRST_1_12,
  emptyDocument: 'skipped',
  deleteBelowAbsent: 'lookup-failed',
  missingVersion: 'missing-version',
  bareTlsDocument: 'fine',
};

export const BEHAVIOUR: Readonly<Record<Machinery, Behaviour>> = {
  '1.9': OLDEST,
  '1.12.0': FIRST_1_12,
  '1.12': LATER_1_12,
  '1.13': LATER_1_12,
  '1.14': { ...LATER_1_12, duplicateDocument: 'merged', missingDocument: 'skipped' },
};
