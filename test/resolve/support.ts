/** What the tests of this folder share. */
import { type Diagnostic, Refusal } from '../../src/diagnostic.ts';

/** The diagnostics a call is refused with; none when it isn't. What else it throws is thrown. */
export async function refusalBy(call: () => unknown): Promise<readonly Diagnostic[]> {
  try {
    await call();
    return [];
  } catch (cause) {
    if (cause instanceof Refusal) return cause.diagnostics;
    throw cause;
  }
}

/** The same, codes only. */
export async function codesBy(call: () => unknown): Promise<readonly string[]> {
  return (await refusalBy(call)).map(({ code }) => code);
}
