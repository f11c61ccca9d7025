/**
 * Text of the values we insert. Every reader must see the same value, YAML 1.1 ones included, so anything that one of
 * them might take for another type is double-quoted.
 */

import type { Layout } from './layout.ts';
import { isListValue, isScalarValue, type Value } from './value.ts';

/** Lines of a value in block style, without line ends, indented relative to the first. */
export function blockLines(value: Value, layout: Layout): readonly string[] {
  if (isScalarValue(value)) return [scalar(value)];
  if (isListValue(value)) return value.flatMap((item) => listItemLines(blockLines(item, layout)));
  return Object.entries(value).flatMap(([key, child]) => pairLines(key, child, layout));
}

/** Lines of one list item, the dash first. */
export function listItemLines(lines: readonly string[]): readonly string[] {
  return lines.map((line, i) => (i === 0 ? `- ${line}` : `  ${line}`));
}

/** Lines of `key: value`. */
export function pairLines(key: string, value: Value, layout: Layout): readonly string[] {
  const name = `${scalar(key)}:`;
  if (isLines(value))
    return [`${name} |`, ...literalLines(value).map((line) => ' '.repeat(layout.step) + line)];
  if (isScalarValue(value)) return [`${name} ${scalar(value)}`];
  const pad = ' '.repeat(isListValue(value) ? layout.listIndent : layout.step);
  return [name, ...blockLines(value, layout).map((line) => pad + line)];
}

/** The value on one line in flow style; also valid JSON. */
export function flowText(value: Value): string {
  if (isScalarValue(value)) return typeof value === 'string' ? doubleQuoted(value) : String(value);
  if (isListValue(value)) return `[${value.map(flowText).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, child]) => `${doubleQuoted(key)}: ${flowText(child)}`)
    .join(', ')}}`;
}

/** Plain where no reader could take it for anything but this text: else double-quoted. */
export function scalar(value: string | number | boolean): string {
  if (typeof value !== 'string') return String(value);
  return isSafePlain(value) ? value : doubleQuoted(value);
}

/** A JSON string that is a valid YAML double-quoted scalar too: what only YAML forbids is escaped as well. */
export function doubleQuoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Lines of plain characters, the last one ended: what a literal block says without indicators, to every reader. */
const LINES = /^(?:[!-~](?:[ -~]*[!-~])?\n){2,}$/;

function isLines(value: Value): value is string {
  return typeof value === 'string' && LINES.test(value);
}

function literalLines(text: string): readonly string[] {
  return text.slice(0, -1).split('\n');
}

const YAML_1_1_WORDS = /^(?:y|n|yes|no|on|off|true|false|null|nan|inf)$/i;
const LETTER_FIRST = /^[A-Za-z/][A-Za-z0-9._/+=-]*$/;
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;

function isSafePlain(text: string): boolean {
  return IPV4.test(text) || (LETTER_FIRST.test(text) && !YAML_1_1_WORDS.test(text));
}
