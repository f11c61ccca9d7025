/** An intent as settings to write, and as the change that they must make to the effective configuration. */
import type { Effective } from '../replay/effective.ts';
import type { Setting } from '../setting.ts';

export interface Wanted {
  readonly settings: readonly Setting[];
  /** The effective configuration that must come out, given the one before. */
  expected(before: Effective): Effective;
}
