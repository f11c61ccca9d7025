/**
 * The postcondition of hydrating: on every machinery that can read a holder before, it can read it after, and the
 * effective configuration is the one before plus the intent, nothing else (design, invariant 5). Differences are told by
 * name, never by value.
 */
import type { Effective, MirrorSettings, TlsSettings } from '../machine-config/replay/effective.ts';
import { jsonOfRaw } from '../machine-config/replay/raw.ts';
import type { InvalidSetting } from '../machine-config/replay/validate.ts';
import type { Reading, ReadResult } from './holder-config.ts';
import { type Intent, loginHosts } from './intent.ts';

type Read = Extract<ReadResult, { readonly kind: 'read' }>;

export type Verdict =
  | { readonly kind: 'held' }
  /** No machinery can read the holder as it was: the first failure. */
  | { readonly kind: 'unreadable'; readonly failure: Extract<ReadResult, { readonly kind: 'failed' }> }
  /** It can't be read any more. */
  | { readonly kind: 'broken'; readonly failure: Extract<ReadResult, { readonly kind: 'failed' }> }
  /** It isn't what was wanted; the parts that differ. */
  | { readonly kind: 'differs'; readonly paths: readonly string[] };

/** Readings that may fail after: old machinery when documents are asked for, several documents when operations are. */
export type Excused = (reading: Reading) => boolean;

export function judge(
  before: readonly Reading[],
  after: readonly Reading[],
  intent: Intent,
  excused: Excused,
): Verdict {
  const [unread] = before.flatMap(({ result }) => (result.kind === 'failed' ? [result] : []));
  const pairs = before.flatMap((reading) => {
    const now = after.find((one) => isSameWay(one, reading))?.result;
    if (reading.result.kind === 'failed' || now === undefined) return [];
    return [{ was: reading.result, now, isExcused: excused(reading) }];
  });
  if (unread !== undefined && before.every(({ result }) => result.kind === 'failed'))
    return { kind: 'unreadable', failure: unread };
  const judged = pairs.filter(({ isExcused }) => !isExcused);
  // Where nothing but what is excused can read the holder, it is no excuse.
  for (const { was, now } of judged.length === 0 ? pairs : judged) {
    const verdict = verdictOf(was, now, intent);
    if (verdict.kind !== 'held') return verdict;
  }
  return { kind: 'held' };
}

function verdictOf(was: Read, now: ReadResult, intent: Intent): Verdict {
  if (now.kind === 'failed') return { kind: 'broken', failure: now };
  const invalid = firstInvalid(now.invalid, intent);
  if (invalid !== undefined) {
    const isOld = was.invalid.some(({ failure }) => failure === invalid.failure);
    return { kind: isOld ? 'unreadable' : 'broken', failure: invalid };
  }
  const paths = differences(intent.wanted.expected(was.effective), now.effective);
  if (now.rest !== was.rest) paths.push('parts that are not owned');
  return paths.length > 0 ? { kind: 'differs', paths } : { kind: 'held' };
}

/** Our own CA was judged where it was read; stand-ins for it are no certificates, and say nothing of the way to log in. */
function firstInvalid(
  invalid: readonly InvalidSetting[],
  intent: Intent,
): Extract<ReadResult, { readonly kind: 'failed' }> | undefined {
  const found = invalid.find(({ failure, name }) => {
    if (failure === 'not-a-certificate') return name !== intent.subject;
    return failure !== 'credentials' || intent.values === 'known' || !loginHosts(intent).includes(name);
  });
  return found === undefined ? undefined : { kind: 'failed', stage: 'validate', failure: found.failure };
}

function isSameWay(a: Reading, b: Reading): boolean {
  return a.machinery === b.machinery && JSON.stringify(a.contract) === JSON.stringify(b.contract);
}

/** Names of the parts in which two effective configurations differ. */
export function differences(wanted: Effective, actual: Effective): string[] {
  return [
    ...entriesThatDiffer(
      'machine.registries.config',
      textsOf(wanted.tls, tlsText),
      textsOf(actual.tls, tlsText),
    ),
    ...entriesThatDiffer(
      'credentials',
      textsOf(wanted.auth, (auth) => JSON.stringify(sortedEntries(jsonOfRaw(auth)))),
      textsOf(actual.auth, (auth) => JSON.stringify(sortedEntries(jsonOfRaw(auth)))),
    ),
    ...entriesThatDiffer(
      'machine.registries.mirrors',
      textsOf(wanted.mirrors, mirrorText),
      textsOf(actual.mirrors, mirrorText),
    ),
    ...(hostsText(wanted) === hostsText(actual) ? [] : ['machine.network.extraHostEntries']),
    ...(['podSubnets', 'serviceSubnets'] as const)
      .filter((key) => wanted[key].join() !== actual[key].join())
      .map((key) => `cluster.network.${key}`),
  ];
}

function entriesThatDiffer(
  section: string,
  wanted: ReadonlyMap<string, string>,
  actual: ReadonlyMap<string, string>,
): readonly string[] {
  const names = new Set([...wanted.keys(), ...actual.keys()]);
  return [...names]
    .filter((name) => wanted.get(name) !== actual.get(name))
    .map((name) => `${section}[${name}]`);
}

function textsOf<T>(map: ReadonlyMap<string, T>, text: (value: T) => string): ReadonlyMap<string, string> {
  return new Map([...map].map(([key, value]) => [key, text(value)]));
}

function tlsText({ caBase64, verification, clientIdentity }: TlsSettings): string {
  return JSON.stringify([
    caBase64,
    verification,
    clientIdentity === undefined ? null : jsonOfRaw(clientIdentity),
  ]);
}

function mirrorText({ endpoints, fallback }: MirrorSettings): string {
  return JSON.stringify([endpoints.map(({ url, overridePath }) => [url, overridePath]), fallback]);
}

/** Which names stand at which addresses; how they are grouped into entries means nothing. */
function hostsText({ hosts }: Effective): string {
  return JSON.stringify(
    hosts
      .flatMap(({ ip, aliases }) => (aliases.length === 0 ? [[ip]] : aliases.map((alias) => [ip, alias])))
      .map(String)
      .sort(),
  );
}

function sortedEntries(json: unknown): unknown {
  return typeof json === 'object' && json !== null ? Object.entries(json).sort() : json;
}
