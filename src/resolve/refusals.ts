/** Refusals seen from where more is known: the place a value came from, and what else was found. */
import { type Diagnostic, type Location, locate, Refusal } from '../diagnostic.ts';

/**
 * Runs a parser of `src/trust/`, which knows a value but not its source, and adds the source to what it throws.
 * @param source `label` goes before the message, for sources that are no place in an object
 */
export function fromSource<T>(
  source: { readonly label?: string; readonly at?: Location },
  parse: () => T,
): T {
  const { label, at } = source;
  try {
    return parse();
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    throw refusalOf(
      cause.diagnostics.map((diagnostic) => ({
        ...(at === undefined ? diagnostic : locate(diagnostic, at)),
        message: label === undefined ? diagnostic.message : `${label}: ${diagnostic.message}`,
      })),
    );
  }
}

/** A refusal of several diagnostics, which must be of refusals, and so not none. */
export function refusalOf(diagnostics: readonly Diagnostic[]): Refusal {
  const [first, ...rest] = diagnostics;
  if (first === undefined) throw new RangeError('a refusal without diagnostics');
  return new Refusal(first, ...rest);
}

/** The work's result, or its refusal with warnings that were found before: what was known stays known. */
export async function withWarnings<T>(warnings: readonly Diagnostic[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw cause instanceof Refusal ? refusalOf([...cause.diagnostics, ...warnings]) : cause;
  }
}
