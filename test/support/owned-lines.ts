/**
 * Which lines differ between an input and its hydrated output, and whether each belongs to a patch that we own.
 */

/** What goldens are hydrated with: recognisable, and never a real CA. */
export const GOLDEN_VALUES = {
  caBase64: Buffer.from('-----BEGIN CERTIFICATE-----\nZ29sZGVu\n-----END CERTIFICATE-----\n').toString(
    'base64',
  ),
  ip: '10.20.0.15',
} as const;

const HOST = 'registry.ok-shared.internal';

/** Keys and texts that only our patches add; quoted in flow style. */
const OWNED_ADDED =
  /^\s*(?:- )*(?:"?(?:configPatches|strategicPatches)"?:(?: \[.*\]| *#.*)?|op: add.*|path: \/machine\/(?:registries|network\/extraHostEntries)|value:|machine:|registries:|network:|extraHostEntries:|config:|tls:|aliases:(?: \[.*\])?|extraHostEntries: \[\]|ip: .*|\|.*|hostnames:|apiVersion: v1alpha1|kind: (?:Registry(?:TLS|Auth|Mirror)|StaticHost)Config|ca: (?:\||"-----BEGIN.*)|-----(?:BEGIN|END) CERTIFICATE-----|Z29sZGVu|---)\s*$/;

/** Lines that differ and don't belong to a patch of ours, or to `also`: `-` removed, `+` added. Empty when all do. */
export function notOwned(input: string, output: string, also = /^$/): readonly string[] {
  const { removed, added } = lineDiff(input.split('\n'), output.split('\n'));
  const foreignAdded = added.filter(
    (line) => !isAboutUs(line) && !OWNED_ADDED.test(line) && !also.test(line),
  );
  const foreignRemoved = removed.filter(
    (line) =>
      !isAboutUs(line) &&
      !also.test(line) &&
      !hasSameStart(line, added) &&
      !/^\s*(?:-\s+)?(?:ca: (?:b2xk|committed|\|)|old|- ?>-|\[?\{"|ip: |name: 192\.0\.2\.1$)/.test(line),
  );
  return [...foreignRemoved.map((line) => `-${line}`), ...foreignAdded.map((line) => `+${line}`)];
}

function isAboutUs(line: string): boolean {
  return (
    line.toLowerCase().includes(HOST) ||
    line.includes(GOLDEN_VALUES.caBase64) ||
    line.includes(GOLDEN_VALUES.ip)
  );
}

/** A line that was only extended: an unended last line, a flow collection, or a key that lost an empty value. */
function hasSameStart(line: string, added: readonly string[]): boolean {
  const start = line.replace(/[\s\]}~[]+(?:#.*)?$/, '').trimEnd();
  return added.some((other) => other.startsWith(start));
}

function lineDiff(before: readonly string[], after: readonly string[]) {
  const lengths = Array.from({ length: before.length + 1 }, () =>
    new Array<number>(after.length + 1).fill(0),
  );
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const row = lengths[i];
      if (row !== undefined)
        row[j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const removed: string[] = [];
  const added: string[] = [];
  let [i, j] = [0, 0];
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      i++;
      j++;
    } else if (j >= after.length || (i < before.length && at(i + 1, j) >= at(i, j + 1)))
      removed.push(before[i++] ?? '');
    else added.push(after[j++] ?? '');
  }
  return { removed, added };
}
