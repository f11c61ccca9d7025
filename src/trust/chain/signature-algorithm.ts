/** Which signatures Go can verify (`getSignatureAlgorithmFromAI`), and which of those it refuses as weak. */
import {
  type Element,
  expectBody,
  INTEGER,
  MalformedDer,
  OBJECT_IDENTIFIER,
  readCount,
  readElements,
  readInside,
  readObjectIdentifier,
  SEQUENCE,
} from '../der.ts';

/** What of a signature matters: the kind of key that makes it, or why Go never verifies it. */
export type SignatureAlgorithm = 'rsa' | 'ec' | 'ed25519' | 'weak' | 'unsupported';

const RSA_PSS = '1.2.840.113549.1.1.10';
const ED25519 = '1.3.101.112';

const ALGORITHMS: Readonly<Record<string, SignatureAlgorithm>> = {
  '1.2.840.113549.1.1.4': 'weak', // md5WithRSAEncryption
  '1.2.840.113549.1.1.5': 'weak', // sha1WithRSAEncryption
  '1.3.14.3.2.29': 'weak', // the same by ISO
  '1.2.840.10045.4.1': 'weak', // ecdsa-with-SHA1
  '1.2.840.10040.4.3': 'weak', // dsa-with-sha1
  '1.2.840.113549.1.1.11': 'rsa',
  '1.2.840.113549.1.1.12': 'rsa',
  '1.2.840.113549.1.1.13': 'rsa',
  '1.2.840.10045.4.3.2': 'ec',
  '1.2.840.10045.4.3.3': 'ec',
  '1.2.840.10045.4.3.4': 'ec',
};

/** @throws MalformedDer */
export function readSignatureAlgorithm(algorithm: Element | undefined): SignatureAlgorithm {
  const [id, parameters] = readInside(algorithm, SEQUENCE);
  const oid = readObjectIdentifier(expectBody(id, OBJECT_IDENTIFIER));
  if (oid === ED25519) return parameters === undefined ? 'ed25519' : 'unsupported';
  if (oid === RSA_PSS) return isUsualPss(parameters) ? 'rsa' : 'unsupported';
  return ALGORITHMS[oid] ?? 'unsupported';
}

/** Salt lengths by hash, which are as long as the hash. */
const PSS_SALTS: Readonly<Record<string, number>> = {
  '2.16.840.1.101.3.4.2.1': 32,
  '2.16.840.1.101.3.4.2.2': 48,
  '2.16.840.1.101.3.4.2.3': 64,
};
const MGF1 = '1.2.840.113549.1.1.8';

/** RSASSA-PSS with one hash for all, a salt of its length and the usual trailer (RFC 4055): all that Go has of it. */
function isUsualPss(parameters: Element | undefined): boolean {
  try {
    const fields = new Map(readInside(parameters, SEQUENCE).map(({ tag, body }) => [tag, body]));
    const [hash, generator, salt] = [0xa0, 0xa1, 0xa2].map((tag) => fields.get(tag) ?? new Uint8Array());
    const trailer = fields.get(0xa3);
    const [hashId] = algorithmOf(readElements(hash ?? new Uint8Array())[0]);
    const [generatorId, inner] = algorithmOf(readElements(generator ?? new Uint8Array())[0]);
    return (
      generatorId === MGF1 &&
      algorithmOf(inner)[0] === hashId &&
      numberIn(salt) === PSS_SALTS[hashId] &&
      (trailer === undefined || numberIn(trailer) === 1)
    );
  } catch (thrown) {
    if (thrown instanceof MalformedDer) return false;
    throw thrown;
  }
}

function algorithmOf(element: Element | undefined): readonly [string, Element | undefined] {
  const [id, parameters] = readInside(element, SEQUENCE);
  return [readObjectIdentifier(expectBody(id, OBJECT_IDENTIFIER)), parameters];
}

function numberIn(body: Uint8Array = new Uint8Array()): number {
  return readCount(expectBody(readElements(body)[0], INTEGER));
}
