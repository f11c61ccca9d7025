/**
 * Where an object of a manifest differs from the one that is there: in what a rollout is about (`rollout.ts`), and in
 * what else its spec gives. What a manifest leaves to the server (defaults, fields of others) is no difference.
 */
import { type Diagnostic, warning } from '../diagnostic.ts';
import { rolloutOf, type Side, sidesOf } from './rollout.ts';
import { givenDifferences, storedDifferences, TALOS_CONFIG } from './stored-differences.ts';
import { isStoredMap, storedAt } from './stored-value.ts';

export interface LiveDifferences {
  /** JSON pointers; none when applying changes nothing. */
  readonly pointers: readonly string[];
  /** Warnings about what applying leads to: ROLLOUT_REQUIRED, TEMPLATE_IMMUTABLE. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * @param live the same object as its server has it, as JSON
 * @throws Refusal YAML_INVALID
 */
export function liveDifferences(next: Side, live: string): LiveDifferences {
  const [there] = sidesOf([{ text: live.replace(LINE_END, escaped) }]);
  if (there === undefined) throw new RangeError('the live object is of another kind');
  const rollout = rolloutOf(there, next);
  return {
    pointers: [...(rollout?.pointers ?? []), ...otherDifferences(there, next)],
    diagnostics: rollout === undefined ? [] : [asWarning(rollout.diagnostic)],
  };
}

/** Line ends for some YAML readers, which may stand in a text of JSON, and nowhere else. */
const LINE_END = /[\u0085\u2028\u2029]/g;

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** That there are differences is what was asked; they fail nothing. */
function asWarning({ code, message, hint, at }: Diagnostic): Diagnostic {
  return warning(code, message, hint, at);
}

/** Of a control plane no rule looks at what replaces no machines; of the others each looks at all that is theirs. */
function otherDifferences(live: Side, next: Side): readonly string[] {
  if (next.object.kind !== 'TalosControlPlane') return [];
  const init = ['controlPlaneConfig', 'init'];
  const compared = { live: storedAt(live.spec(), init), next: storedAt(next.spec(), init) };
  const judged = ['version', 'infrastructureTemplate', 'controlPlaneConfig'];
  const given = next.spec();
  const rest = isStoredMap(given) ? new Map([...given].filter(([key]) => !judged.includes(key))) : undefined;
  return [
    ...((compared.next ?? null) === null
      ? []
      : storedDifferences(compared, TALOS_CONFIG, 'never', `/spec/${init.join('/')}`)),
    ...givenDifferences({ live: live.spec(), next: rest }, '/spec'),
  ];
}
