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

function inside(value: Uint8Array | undefined) {
  return value === undefined ? [] : readInside(readElements(value)[0], SEQUENCE);
}

function idOf(element: Parameters<typeof expectBody>[0]): string {
  return Buffer.from(expectBody(element, OBJECT_IDENTIFIER)).toString('hex');
}
