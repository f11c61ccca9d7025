/**
 * Whether Go can read the names in a certificate: it checks each text against its ASN.1 string type and refuses the whole
 * certificate where OpenSSL lets it pass. Works on DER that OpenSSL has parsed, so lengths can be trusted.
 */

interface Element {
  readonly tag: number;
  readonly body: Uint8Array;
}

const SEQUENCE = 0x30;

/** True when issuer and subject hold only texts that Go's `parseASN1String` accepts. */
export function hasReadableNames(der: Uint8Array): boolean {
  const certificate = elements(der)[0]?.body ?? new Uint8Array();
  const fields = elements(elements(certificate)[0]?.body ?? new Uint8Array());
  // [0] version (absent in v1), serial, algorithm, issuer, validity, subject
  const first = fields[0]?.tag === 0xa0 ? 1 : 0;
  return [fields[first + 2], fields[first + 4]].every((name) => name !== undefined && isReadableName(name));
}

function isReadableName({ body }: Element): boolean {
  const attributes = elements(body).flatMap((set) => elements(set.body));
  return attributes.every(({ tag, body: pair }) => {
    const value = elements(pair)[1];
    return tag === SEQUENCE && value !== undefined && isReadableText(value);
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

/** The elements that follow each other in `der`. */
function elements(der: Uint8Array): readonly Element[] {
  const found: Element[] = [];
  for (let at = 0; at + 1 < der.length; ) {
    const [tag = 0, short = 0] = der.subarray(at, at + 2);
    const count = short < 0x80 ? 0 : short & 0x7f;
    const length =
      count === 0 ? short : der.subarray(at + 2, at + 2 + count).reduce((n, byte) => n * 256 + byte, 0);
    const start = at + 2 + count;
    found.push({ tag, body: der.subarray(start, start + length) });
    at = start + length;
  }
  return found;
}
