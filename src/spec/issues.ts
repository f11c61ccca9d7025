/**
 * What valibot found, as diagnostics. Its own texts repeat the value, so none of them is used: only the words that
 * schema.ts gives for what is expected, and keys of the schema.
 */
import type * as v from 'valibot';
import { type Diagnostic, error } from '../diagnostic.ts';
import { keyDiagnostic } from './known-keys.ts';
import { located, type SpecPlace } from './place.ts';

type Issue = v.BaseIssue<unknown>;

/** The diagnostics of an issue with a schema of `schema.ts`: CONFIG_UNKNOWN_KEY, CONFIG_MISSING_KEY, CONFIG_INVALID. */
export function issueDiagnostics(
  issue: Issue,
  place: SpecPlace,
  schema: v.GenericSchema,
): readonly Diagnostic[] {
  const path = (issue.path ?? []).map((item) => String(item.key));
  if (issue.kind === 'schema' && issue.type === 'strict_object' && path.length > 0) {
    if (issue.expected === 'never') return unknownKeys(issue, path.slice(0, -1), place, schema);
    if (issue.received === 'undefined') return [missingKey(path, place)];
  }
  return [invalid(issue, path, place)];
}

/** valibot stops at the first unknown key of a mapping. */
function unknownKeys(
  issue: Issue,
  parent: readonly string[],
  place: SpecPlace,
  schema: v.GenericSchema,
): readonly Diagnostic[] {
  const known = knownKeys(parent, schema);
  return Object.keys(issue.path?.at(-1)?.input ?? {})
    .filter((key) => !known.includes(key))
    .map((key) => keyDiagnostic(key, known, located(place, parent)));
}

function missingKey(path: readonly string[], place: SpecPlace): Diagnostic {
  return error(
    'CONFIG_MISSING_KEY',
    `${path.at(-1)} is missing.`,
    `Add ${path.join('.')}.`,
    located(place, path),
  );
}

function invalid(issue: Issue, path: readonly string[], place: SpecPlace): Diagnostic {
  const labels = path.indexOf('matchLabels');
  const shown = labels === -1 ? path : path.slice(0, labels + 1);
  const expected =
    shown.length < path.length ? 'a mapping of label keys to label values' : expectation(issue);
  return error(
    'CONFIG_INVALID',
    `${subject(shown)} must be ${expected}.`,
    hint(issue.input),
    located(place, shown),
  );
}

function subject(path: readonly string[]): string {
  const key = path.at(-1);
  if (key === undefined) return 'The config';
  return /^\d+$/.test(key) ? `An entry of ${path.at(-2)}` : key;
}

function expectation(issue: Issue): string {
  if (issue.kind === 'validation' || issue.type === 'picklist') return issue.message;
  const words: Readonly<Record<string, string>> = { string: 'a text', Object: 'a mapping', Array: 'a list' };
  return words[issue.expected ?? ''] ?? 'of another type';
}

function hint(input: unknown): string {
  if (typeof input === 'string' && input.includes('${'))
    return 'Expand variables before this step, or write the value out.';
  if (typeof input === 'boolean') return 'Where a text is wanted, true and false need quotes.';
  return 'Correct it; function-config/README.md shows each field.';
}

/** Keys of the schema at a path. */
function knownKeys(path: readonly string[], root: v.GenericSchema): readonly string[] {
  let schema: SchemaNode | undefined = root as SchemaNode;
  for (const key of path) {
    const node = unwrapped(schema);
    schema = node?.item ?? node?.entries?.[key];
  }
  return Object.keys(unwrapped(schema)?.entries ?? {});
}

/** The parts of valibot's schemas that lead to other schemas. */
interface SchemaNode {
  readonly entries?: Readonly<Record<string, SchemaNode>>;
  readonly item?: SchemaNode;
  readonly wrapped?: SchemaNode;
}

function unwrapped(schema: SchemaNode | undefined): SchemaNode | undefined {
  return schema?.wrapped === undefined ? schema : unwrapped(schema.wrapped);
}
