/**
 * Finds secrets in texts, however they got there: as they are, in the encodings that programs put values into, and also a
 * piece of one. A piece counts from 20 characters on; what public texts contain too is no evidence.
 */

export interface Canary {
  readonly name: string;
  /** At least 20 characters, which no other text has by chance. */
  readonly value: string;
}

export interface Leak {
  readonly canary: string;
  /** Name of the text. */
  readonly where: string;
  readonly form: Form;
}

export type Form =
  | 'as it is'
  | 'JSON'
  | 'URL'
  | 'base64'
  | 'base64, one byte on'
  | 'base64, two bytes on'
  | 'base64url'
  | 'base64url, one byte on'
  | 'base64url, two bytes on'
  | 'hex'
  | 'HEX';

export type FindLeaks = (texts: Readonly<Record<string, string>>) => readonly Leak[];

const PIECE = 20;

/** Texts are searched often for the same canaries, so those are prepared once. */
export function leakFinder(canaries: readonly Canary[], publicTexts: readonly string[] = []): FindLeaks {
  const pieces = new Map<string, Omit<Leak, 'where'>>();
  for (const { name, value } of canaries) {
    if (value.length < PIECE) throw new RangeError(`the canary ${name} is too short to be found for sure`);
    for (const [form, text] of formsOf(value))
      for (const piece of piecesOf(text)) if (!pieces.has(piece)) pieces.set(piece, { canary: name, form });
  }
  for (const known of publicTexts)
    for (const [, text] of formsOf(known)) for (const piece of piecesOf(text)) pieces.delete(piece);
  return (texts) => Object.entries(texts).flatMap(([where, text]) => leaksIn(text, where, pieces));
}

/** One leak for each canary and form that a text has. */
function leaksIn(
  text: string,
  where: string,
  pieces: ReadonlyMap<string, Omit<Leak, 'where'>>,
): readonly Leak[] {
  const found = new Map<string, Leak>();
  for (const piece of piecesOf(text)) {
    const hit = pieces.get(piece);
    if (hit !== undefined) found.set(`${hit.canary} ${hit.form}`, { ...hit, where });
  }
  return [...found.values()];
}

function* piecesOf(text: string): Generator<string> {
  for (let i = 0; i + PIECE <= text.length; i += 1) yield text.slice(i, i + PIECE);
}

function formsOf(value: string): readonly (readonly [Form, string])[] {
  const bytes = Buffer.from(value);
  const hex = bytes.toString('hex');
  return [
    ['as it is', value],
    ['JSON', JSON.stringify(value).slice(1, -1)],
    ['URL', encodeURIComponent(value)],
    ['base64', base64(bytes, 0)],
    ['base64, one byte on', base64(bytes, 1)],
    ['base64, two bytes on', base64(bytes, 2)],
    ['base64url', urlSafe(base64(bytes, 0))],
    ['base64url, one byte on', urlSafe(base64(bytes, 1))],
    ['base64url, two bytes on', urlSafe(base64(bytes, 2))],
    ['hex', hex],
    ['HEX', hex.toUpperCase()],
  ];
}

/** Of a group of three bytes the canary may have the last one or two: only characters that are all its own stay. */
function base64(bytes: Buffer, before: 0 | 1 | 2): string {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
  const [foreignStart, foreignEnd] = [Math.ceil((before * 8) / 6), (before + bytes.length) % 3 === 0 ? 0 : 4];
  return text.slice(foreignStart, text.length - foreignEnd);
}

function urlSafe(text: string): string {
  return text.replaceAll('+', '-').replaceAll('/', '_');
}
