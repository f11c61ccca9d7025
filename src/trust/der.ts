/**
 * Reads DER as strictly as Go's cryptobyte: definite lengths in their shortest form, low tag numbers. Knows no meaning
 * of what it reads.
 */

export interface Element {
  /** Class, constructed bit and number in one byte. */
  readonly tag: number;
  readonly body: Uint8Array;
  /** Tag, length and body. */
  readonly whole: Uint8Array;
}

export const BOOLEAN = 0x01;
export const INTEGER = 0x02;
export const BIT_STRING = 0x03;
export const OCTET_STRING = 0x04;
export const OBJECT_IDENTIFIER = 0x06;
export const SEQUENCE = 0x30;

/** Thrown by all functions here and by those that read what DER holds; never leaves the room. */
export class MalformedDer extends Error {}

/**
 * The elements that follow each other in `der`.
 * @throws MalformedDer
 */
export function readElements(der: Uint8Array): readonly Element[] {
  const found: Element[] = [];
  for (let at = 0; at < der.length; ) {
    const element = readElement(der.subarray(at));
    found.push(element);
    at += element.whole.length;
  }
  return found;
}

/**
 * The elements inside of one with this tag.
 * @throws MalformedDer also when it is another one or absent
 */
export function readInside(element: Element | undefined, tag: number): readonly Element[] {
  return readElements(expectBody(element, tag));
}

/** @throws MalformedDer when it is another one or absent */
export function expectBody(element: Element | undefined, tag: number): Uint8Array {
  if (element?.tag !== tag) throw new MalformedDer();
  return element.body;
}

/** As text: numbers with dots between them. @throws MalformedDer when it is cut off */
export function readObjectIdentifier(body: Uint8Array): string {
  const numbers: number[] = [];
  let number = 0;
  for (const byte of body) {
    number = number * 128 + (byte & 0x7f);
    if (byte < 0x80) {
      numbers.push(number);
      number = 0;
    }
  }
  const [first = 0, ...rest] = numbers;
  if (body.length === 0 || (body.at(-1) ?? 0) >= 0x80) throw new MalformedDer();
  const arc = Math.min(Math.trunc(first / 40), 2);
  return [arc, first - arc * 40, ...rest].join('.');
}

/** @throws MalformedDer for anything but the two encodings that DER has */
export function readBoolean(body: Uint8Array): boolean {
  const [value] = body;
  if (body.length !== 1 || (value !== 0 && value !== 0xff)) throw new MalformedDer();
  return value === 0xff;
}

/** A whole number from 0 to 2^48 - 1; a larger one reads as Infinity. @throws MalformedDer when negative or not shortest */
export function readCount(body: Uint8Array): number {
  const [first, second = 0] = body;
  if (first === undefined || first >= 0x80 || (first === 0 && body.length > 1 && second < 0x80))
    throw new MalformedDer();
  return body.length > 6 ? Number.POSITIVE_INFINITY : body.reduce((number, byte) => number * 256 + byte, 0);
}

/** Whether two runs of bytes are the same. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}

function readElement(der: Uint8Array): Element {
  const [tag = 0, short] = der;
  if (short === undefined || (tag & 0x1f) === 0x1f) throw new MalformedDer();
  const count = short < 0x80 ? 0 : short & 0x7f;
  const digits = der.subarray(2, 2 + count);
  const length = short < 0x80 ? short : digits.reduce((number, byte) => number * 256 + byte, 0);
  const end = 2 + count + length;
  // An indefinite length has no digits and reads as 0, so that it is too short for its form.
  if (short >= 0x80 && (count > 4 || length < 0x80 || digits[0] === 0)) throw new MalformedDer();
  if (der.length < end) throw new MalformedDer();
  return { tag, body: der.subarray(2 + count, end), whole: der.subarray(0, end) };
}
