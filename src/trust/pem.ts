/**
 * Reads PEM (RFC 7468) strictly: what it gives is what every other reader of the text would find too.
 *
 * Go's reader, which containerd uses, silently skips what it can't read, so a certificate could get lost between here
 * and a node. Invariant: each fence, each block and each line of the text is accounted for, or the text is refused. No
 * content of a line ever gets into a diagnostic; its number does.
 */
import { refuse } from '../diagnostic.ts';
import { Secret } from '../secret.ts';

export interface PemBlock {
  /** What stands after BEGIN, such as `CERTIFICATE`. */
  readonly label: string;
  readonly der: Secret<Uint8Array>;
  /** Line of the BEGIN fence in the text, from 1. */
  readonly line: number;
}

export interface PemText {
  /** In their order in the text; at least one. */
  readonly blocks: readonly PemBlock[];
  /** Numbers of the lines, from 1, that are outside of blocks and not blank. */
  readonly linesOutside: readonly number[];
  readonly lineEnds: 'lf' | 'carriage-return';
  readonly finalNewline: 'present' | 'absent';
}

const BEGIN = /^-----BEGIN ([A-Z0-9]+(?: [A-Z0-9]+)*)-----$/;
const END = /^-----END ([A-Z0-9]+(?: [A-Z0-9]+)*)-----$/;
/** Any sort of dash that an editor may have put in place of a hyphen. */
const DASH = '[-\\u2010-\\u2015\\u2212]';
/** Lengths are bounded, here and below, so that a long text of near-matches takes linear time. */
const ALMOST_FENCE = new RegExp(
  `${DASH}{2}\\s{0,9}(?:BEGIN|END)\\b|\\b(?:BEGIN|END) [A-Z0-9 ]{1,60}${DASH}{2}`,
  'i',
);
const PRIVATE_KEY = /\b(?:BEGIN|END)[A-Z0-9 ]{1,60}PRIVATE {1,9}KEY/i;
/** Base64 of `-----BEGIN `. */
const ENCODED_FENCE = /^LS0tLS1CRUdJTi[A-Za-z0-9+/=\s]*$/;

/**
 * Blocks and all the rest of `text`, which may start with a byte order mark and end its lines in LF, CR LF or CR.
 * @throws Refusal CA_INVALID (no block at all, a broken fence, headers, or a body that isn't base64)
 */
export function readPem(text: string): PemText {
  const content = text.replace(/^\uFEFF/, '');
  const lines = content.split(/\r\n|\n|\r/).map((line) => line.trimEnd());
  const blocks: PemBlock[] = [];
  const linesOutside: number[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    const label = BEGIN.exec(line)?.[1];
    if (label !== undefined) {
      const end = endOfBlock(lines, index, label);
      blocks.push({
        label,
        der: new Secret(decode(lines.slice(index + 1, end), index + 1)),
        line: index + 1,
      });
      index = end;
    } else if (ALMOST_FENCE.test(line)) {
      refuseFence(line, index + 1);
    } else if (line !== '') {
      linesOutside.push(index + 1);
    }
  }
  if (blocks.length === 0) refuse('CA_INVALID', 'The CA text contains no PEM block.', whatItMayBe(content));
  return {
    blocks,
    linesOutside,
    lineEnds: content.includes('\r') ? 'carriage-return' : 'lf',
    finalNewline: /[\r\n]$/.test(content) ? 'present' : 'absent',
  };
}

/** Whether a private key of any sort is in `text`, be its fences intact or not, or the whole encoded once more. */
export function searchPrivateKey(text: string): 'found' | 'absent' {
  const encoded = ENCODED_FENCE.test(text.trim()) ? Buffer.from(text, 'base64').toString('latin1') : '';
  return PRIVATE_KEY.test(text) || PRIVATE_KEY.test(encoded) ? 'found' : 'absent';
}

/** One block in canonical form: 64 columns, LF, final newline. */
export function writePem(label: string, der: Uint8Array): string {
  const body = Buffer.from(der)
    .toString('base64')
    .replace(/.{64}(?=.)/g, '$&\n');
  return `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;
}

/** Index of the END fence that belongs to the BEGIN fence at index `begin`. */
function endOfBlock(lines: readonly string[], begin: number, label: string): number {
  let end = begin + 1;
  while (end < lines.length && !ALMOST_FENCE.test(lines[end] ?? '')) end += 1;
  const line = lines[end] ?? '';
  if (end === lines.length || BEGIN.test(line)) {
    const hint = 'The text was cut off: take the whole certificate again.';
    refuse('CA_INVALID', `The PEM block in line ${begin + 1} of the CA text has no END line.`, hint);
  }
  const found = END.exec(line)?.[1];
  if (found === undefined) refuseFence(line, end + 1);
  if (found !== label) {
    const message = `The END line in line ${end + 1} of the CA text does not belong to the BEGIN line in line ${begin + 1}.`;
    refuse('CA_INVALID', message, 'Blocks got mixed up: take the whole certificates again.');
  }
  return end;
}

function decode(lines: readonly string[], beginLine: number): Uint8Array {
  if (lines.some((line) => line.includes(':'))) {
    const message = `The PEM block in line ${beginLine} of the CA text has headers.`;
    const hint = 'containerd ignores such a block: remove the lines with a colon inside it.';
    refuse('CA_INVALID', message, hint);
  }
  const body = lines.join('').replace(/[ \t]/g, '');
  const der = Buffer.from(body, 'base64');
  // Node skips what isn't base64, so only a body that encodes to itself was read to its end.
  if (body === '' || der.toString('base64') !== body) {
    const message = `The PEM block in line ${beginLine} of the CA text is not base64.`;
    refuse('CA_INVALID', message, 'The text was damaged on its way: take the whole certificate again.');
  }
  return der;
}

function refuseFence(line: string, number: number): never {
  refuse('CA_INVALID', `Line ${number} of the CA text is a broken BEGIN or END line.`, fenceHint(line));
}

function fenceHint(line: string): string {
  if (/-----END [^-]{1,60}-----\s{0,9}-----BEGIN/.test(line)) {
    return 'Two certificates share a line: put a line break between them (the first file had no final newline).';
  }
  if (line.includes('\\n')) return 'Line breaks are written as \\n: store the text with real line breaks.';
  if (/^\s+-----(?:BEGIN|END) [^-]+-----$/.test(line)) return 'Remove the indentation.';
  if (/[\u2010-\u2015\u2212]/.test(line))
    return 'Hyphens were replaced by typographic dashes: take the text again.';
  if (END.test(line)) return 'Its BEGIN line is missing: take the whole certificate again.';
  return 'Write exactly five hyphens on both sides, capitals, and nothing else in the line.';
}

function whatItMayBe(text: string): string {
  const start = text.trimStart();
  if (ENCODED_FENCE.test(start))
    return 'It is base64 of PEM: the entry was encoded twice. Use stringData, or encode once.';
  if (start.startsWith('MII'))
    return 'It seems to be a certificate without BEGIN and END lines: store it as PEM.';
  if (/^0[\x80-\x84\uFFFD]/.test(start))
    return 'It seems to be DER: convert it by "openssl x509 -inform DER".';
  return 'Check caSecret.key (or caConfigMap.key): it names the entry with the CA in PEM, mostly ca.crt.';
}
