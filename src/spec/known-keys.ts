/** Unknown keys are errors that suggest the nearest known one: a typing error must not switch a setting off. */
import { type Diagnostic, error, type Location } from '../diagnostic.ts';

/** A key that may be shown: anything else might be a pasted value. */
const SHOWABLE = /^[A-Za-z][A-Za-z0-9_.-]{0,40}$/;

const MAX_DISTANCE = 3;

export function keyDiagnostic(key: string, known: readonly string[], at: Location): Diagnostic {
  const nearest = nearestKey(key, known);
  return error(
    'CONFIG_UNKNOWN_KEY',
    `${SHOWABLE.test(key) ? `The key ${key}` : 'A key'} is not known.`,
    nearest === undefined ? `Known keys: ${known.join(', ')}.` : `Did you mean ${nearest}?`,
    at,
  );
}

/** The known key with the least edit distance, if it is near; another capitalisation is nearest of all. */
export function nearestKey(key: string, known: readonly string[]): string | undefined {
  const wanted = key.toLowerCase();
  const [best] = known
    .map((candidate) => ({ candidate, distance: editDistance(wanted, candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  return best !== undefined && best.distance <= Math.min(MAX_DISTANCE, Math.ceil(key.length / 3))
    ? best.candidate
    : undefined;
}

/** Levenshtein distance, one row at a time; keys are short. */
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MAX_DISTANCE) return MAX_DISTANCE + 1;
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
