/**
 * Certificate policies (RFC 5280, 6.1, as updated by RFC 9618 and done by Go's `policiesValid`) for a client that asks for
 * none itself: they matter only when a certificate in the path requires an explicit policy.
 */
import {
  expectBody,
  INTEGER,
  MalformedDer,
  OBJECT_IDENTIFIER,
  readCount,
  readElements,
  readInside,
  SEQUENCE,
} from '../der.ts';

export interface Policies {
  /** OIDs as the bytes of their DER in hex. */
  readonly ids: readonly string[];
  /** Issuer's and subject's policy, each. */
  readonly mappings: readonly (readonly [string, string])[];
  /** Certificates that may follow before the rule holds; infinite without the extension. */
  readonly requireExplicit: number;
  readonly inhibitMapping: number;
  readonly inhibitAny: number;
}

/** `extension` gives the value of an extension by its number under 2.5.29. @throws MalformedDer */
export function readPolicies(extension: (number: number) => Uint8Array | undefined): Policies {
  const [policies, mappings, constraints, any] = [32, 33, 36, 54].map(extension);
  const ids = inside(policies).map((policy) => idOf(readInside(policy, SEQUENCE)[0]));
  if (new Set(ids).size < ids.length) throw new MalformedDer();
  const limits = new Map(inside(constraints).map(({ tag, body }) => [tag, body]));
  const limit = (body: Uint8Array | undefined): number =>
    body === undefined ? Number.POSITIVE_INFINITY : readCount(body);
  return {
    ids,
    mappings: inside(mappings).map((mapping) => {
      const [issuer, subject] = readInside(mapping, SEQUENCE);
      return [idOf(issuer), idOf(subject)];
    }),
    requireExplicit: limit(limits.get(0x80)),
    inhibitMapping: limit(limits.get(0x81)),
    inhibitAny:
      any === undefined ? Number.POSITIVE_INFINITY : limit(expectBody(readElements(any)[0], INTEGER)),
  };
}

/** 2.5.29.32.0 */
const ANY = '551d2000';

interface PathMember {
  readonly policies: Policies;
  readonly selfIssued: boolean;
}

/**
 * Whether a path, leaf first, has the policies that it requires. Go keeps a graph of them; for a client that takes any
 * policy only the lowest row of it matters, which is `expected`: what the next certificate may state.
 */
export function satisfiesPolicies(path: readonly PathMember[]): boolean {
  // The anchor is trusted as it is: its own policies count for nothing.
  const certificates = path.slice(0, -1);
  const none = certificates.length + 1;
  let limits = { explicit: none, mapping: none, any: none };
  let expected: ReadonlySet<string> | undefined = new Set([ANY]);
  for (const [index, { policies, selfIssued }] of [...certificates.entries()].reverse()) {
    if (policies.ids.length === 0) expected = undefined;
    if (limits.explicit === 0 && expected === undefined) return false;
    const takesAny = limits.any > 0 || (index > 0 && selfIssued);
    if (expected !== undefined) expected = stated(policies.ids, expected, takesAny ? 'any' : 'no-any');
    if (index === 0) break;
    if (expected !== undefined) {
      if (limits.mapping > 0 && policies.mappings.flat().includes(ANY)) return false;
      expected = mapped(expected, policies.mappings, limits.mapping > 0 ? 'map' : 'drop');
    }
    const step = selfIssued ? 0 : 1;
    limits = {
      explicit: Math.min(Math.max(limits.explicit - step, 0), policies.requireExplicit),
      mapping: Math.min(Math.max(limits.mapping - step, 0), policies.inhibitMapping),
      any: Math.min(Math.max(limits.any - step, 0), policies.inhibitAny),
    };
  }
  const required = limits.explicit <= 1 || certificates[0]?.policies.requireExplicit === 0;
  return certificates.length === 0 || !required || (expected !== undefined && expected.size > 0);
}

function stated(
  ids: readonly string[],
  expected: ReadonlySet<string>,
  any: 'any' | 'no-any',
): ReadonlySet<string> {
  const own = ids.filter((id) => id !== ANY && (expected.has(id) || expected.has(ANY)));
  return new Set([...own, ...(any === 'any' && ids.includes(ANY) ? expected : [])]);
}

function mapped(
  expected: ReadonlySet<string>,
  mappings: Policies['mappings'],
  how: 'map' | 'drop',
): ReadonlySet<string> {
  const issuers = new Set(mappings.map(([issuer]) => issuer));
  const rest = [...expected].filter((id) => !issuers.has(id));
  if (how === 'drop') return new Set(rest);
  const met = mappings.filter(([issuer]) => expected.has(issuer) || expected.has(ANY));
  return new Set([...rest, ...met.map(([, subject]) => subject)]);
}

function inside(value: Uint8Array | undefined) {
  return value === undefined ? [] : readInside(readElements(value)[0], SEQUENCE);
}

function idOf(element: Parameters<typeof expectBody>[0]): string {
  return Buffer.from(expectBody(element, OBJECT_IDENTIFIER)).toString('hex');
}
