/**
 * A manifest's lines, fit to be shown: an author's manifest may hold what an author should not have committed, and a CI
 * log has more readers than the repository.
 *
 * Invariant: as many lines come out as went in, so that places stay true. What is masked is taken for a secret by its
 * key or by its looks; too much rather than too little.
 */
import { STAND_IN } from '../../resolve/resolve-config.ts';

const SECRET_KEY =
  /^(\s*(?:- +)*["']?[\w.-]*(?:password|passwd|token|secret|private_?key|\bauth|\bkey)["']?\s*:)\s+(\S.*)$/i;

/** The same inside of JSON and flow mappings. Without the key's first part, so that a long line costs no more than its length. */
const SECRET_MEMBER =
  /((?:password|passwd|token|secret|private_?key|\bauth|\bkey)["']?\s*:\s*)("(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^\s,}\]"'{[]+)/gi;

/** Certificates, keys and Talos' tokens in base64. A digest of an image is none. */
const LONG_BASE64 = /(?<!sha256:)(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{40,}={0,2}/g;

const USER_INFORMATION = /(:\/\/)[^/\s"'@]+@/g;

const MASK = '(masked)';

/** Lines without their ends. */
export function maskedLines(lines: readonly string[]): readonly string[] {
  let block: { readonly indent: number } | undefined;
  let isInPem = false;
  return lines.map((line) => {
    const indent = line.search(/\S/);
    if (block !== undefined && (indent === -1 || indent > block.indent))
      return indent === -1 ? line : `${line.slice(0, indent)}${MASK}`;
    block = undefined;
    const wasInPem = isInPem;
    if (/-----BEGIN /.test(line)) isInPem = true;
    if (/-----END /.test(line)) isInPem = false;
    if (wasInPem && isInPem) return `${line.slice(0, Math.max(indent, 0))}${MASK}`;
    const [, key, value = ''] = SECRET_KEY.exec(line) ?? [];
    if (key !== undefined && /^(?:[|>][-+\d]*\s*(?:#.*)?|[&!]\S+\s*)$/.test(value)) {
      block = { indent };
      return line;
    }
    return maskValues(line);
  });
}

function maskValues(line: string): string {
  return line
    .replace(SECRET_KEY, (all, key: string, value: string) => (isStandIn(value) ? all : `${key} ${MASK}`))
    .replace(SECRET_MEMBER, (all, key: string, value: string) =>
      isStandIn(value) || value === MASK ? all : `${key}${MASK}`,
    )
    .replace(LONG_BASE64, MASK)
    .replace(USER_INFORMATION, `$1${MASK}@`);
}

function isStandIn(value: string): boolean {
  return value.replace(/^["']|["']$/g, '') === STAND_IN;
}
