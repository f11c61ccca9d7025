/**
 * A spec against its schema and the rules between its fields: all problems at once, each with its pointer and never with
 * its value.
 */
import * as v from 'valibot';
import { type Diagnostic, Refusal } from '../diagnostic.ts';
import { issueDiagnostics } from './issues.ts';
import type { SpecPlace } from './place.ts';
import type { Targets } from './schema.ts';

/** Rules that the schema can't say, on data of any shape. */
export type Checks = (value: unknown, place: SpecPlace) => readonly Diagnostic[];

/** @throws Refusal CONFIG_MISSING_KEY, CONFIG_UNKNOWN_KEY, CONFIG_INVALID, and what `checks` find */
export function parseSpec<Schema extends v.GenericSchema>(
  schema: Schema,
  checks: Checks,
  value: unknown,
  place: SpecPlace,
): v.InferOutput<Schema> {
  const result = v.safeParse(schema, value, { abortPipeEarly: true });
  const problems = [
    ...(result.issues ?? []).flatMap((issue) => issueDiagnostics(issue, place, schema)),
    ...checks(value, place),
  ];
  if (!result.success || problems.length > 0) throw refusal(distinct(problems));
  return result.output;
}

/** A version of the bootstrap provider. */
export interface ProviderVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/** How and where an intent is written, as every kind says it. */
export interface Placement {
  readonly patchFormat: 'auto' | 'json6902' | 'strategic' | 'documents';
  readonly mode: 'Hydrate' | 'Check';
  readonly minProvider?: ProviderVersion;
  readonly targets?: Targets;
}

export function placementOf(spec: {
  readonly patchFormat: Placement['patchFormat'];
  readonly mode: Placement['mode'];
  readonly minProvider?: string | undefined;
  readonly targets?: Targets | undefined;
}): Placement {
  const { patchFormat, mode, minProvider, targets } = spec;
  return {
    patchFormat,
    mode,
    ...(minProvider === undefined ? {} : { minProvider: versionOf(minProvider) }),
    ...(targets === undefined ? {} : { targets }),
  };
}

function versionOf(text: string): ProviderVersion {
  const [major = 0, minor = 0, patch = 0] = text.replace(/^v/, '').split('.').map(Number);
  return { major, minor, patch };
}

/** A label whose key and value are both refused is one problem: neither may be shown. */
function distinct(problems: readonly Diagnostic[]): readonly Diagnostic[] {
  const texts = problems.map((problem) => JSON.stringify(problem));
  return problems.filter((_, i) => texts.indexOf(texts[i] ?? '') === i);
}

function refusal(diagnostics: readonly Diagnostic[]): Refusal {
  const [first, ...rest] = diagnostics;
  if (first === undefined) throw new TypeError('a refusal needs a diagnostic');
  return new Refusal(first, ...rest);
}
