/**
 * Whether Go can read the names in a certificate: it checks each text against its ASN.1 string type and refuses the whole
 * certificate where OpenSSL lets it pass.
 */
import { type Element, MalformedDer, readElements, readInside, SEQUENCE } from './der.ts';

/** True when issuer and subject hold only texts that Go's `parseASN1String` accepts. */
export function hasReadableNames(der: Uint8Array): boolean {
  try {
    const [body] = readInside(readElements(der)[0], SEQUENCE);
    const fields = readInside(body, SEQUENCE);
    // [0] version (absent in v1), serial, algorithm, issuer, validity, subject
    const first = fields[0]?.tag === 0xa0 ? 1 : 0;
    return [fields[first + 2], fields[first + 4]].every((name) => name !== undefined && isReadableName(name));
  } catch (thrown) {
    if (thrown instanceof MalformedDer) return false;
    throw thrown;
  }
}

function isReadableName({ body }: Element): boolean {
  const attributes = readElements(body).flatMap((set) => readElements(set.body));
  return attributes.every((attribute) => {
    const [, value] = readInside(attribute, SEQUENCE);
    return value !== undefined && isReadableText(value);
  });
}

function isReadableText({ tag, body }: Element): boolean {
  const latin = Buffer.from(body).toString('latin1');
  switch (tag) {
    case 0x0c: // UTF8String
      return Buffer.from(body).equals(Buffer.from(Buffer.from(body).toString('utf8'), 'utf8'));
    case 0x12: // NumericString
      return /^[0-9 ]*$/.test(latin);
    case 0x13: // PrintableString; Go lets * and & pass
      return /^[A-Za-z0-9 '()+,\-./:=?*&]*$/.test(latin);
    case 0x14: // T61String
      return true;
    case 0x16: // IA5String
      return /^[\x00-\x7f]*$/.test(latin);
    case 0x1e: // BMPString
      return body.length % 2 === 0;
    default:
      return false;
  }
}
