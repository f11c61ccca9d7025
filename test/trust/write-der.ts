/** Writes DER, for certificates that no proper library writes. */

export function bitString(bytes: Buffer): Buffer {
  return tlv(0x03, Buffer.from([0]), bytes);
}

/** A number from 0 to 127. */
export function integer(value: number): Buffer {
  return tlv(0x02, Buffer.from([value]));
}

export function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return tlv(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): readonly number[] {
  const digits = [value & 0x7f];
  for (let left = value >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}

export function sequence(...parts: readonly Buffer[]): Buffer {
  return tlv(0x30, ...parts);
}

export function tlv(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}
