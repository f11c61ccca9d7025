/**
 * A config parsed once into typed values: what comes out can't be wrong afterwards. All problems are reported at once,
 * each with its pointer and never with its value.
 */
import * as v from 'valibot';
import { type Diagnostic, diagnosticsOf, error, type Location, Refusal } from '../diagnostic.ts';
import type { AddressFamily } from '../trust/address.ts';
import { parseRegistryHost, type RegistryHost } from '../trust/registry-host.ts';
import { keyDiagnostic } from './known-keys.ts';
import { type LabelRequirement, type Spec, specSchema, type Targets } from './schema.ts';

export type { LabelRequirement, Targets };

export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

export interface ObjectKey extends ObjectName {
  readonly key: string;
}

export interface RegistryTrust {
  readonly host: RegistryHost;
  readonly ca: ObjectKey & { readonly kind: 'Secret' | 'ConfigMap' };
  readonly service?: ObjectName;
  readonly family: AddressFamily;
  readonly talosconfigSecret?: ObjectKey;
  readonly hostedOn?: string;
  readonly targets?: Targets;
  readonly patchFormat: Spec['patchFormat'];
  readonly mode: Spec['mode'];
}

/** Where a spec stands: location of its file, and pointer of the spec inside it. */
export interface SpecPlace {
  readonly at: Location;
  readonly pointer: string;
}

/**
 * Reads a spec from plain data.
 * @throws Refusal CONFIG_MISSING_KEY, CONFIG_UNKNOWN_KEY, CONFIG_INVALID, HOST_INVALID
 */
export function parseRegistryTrust(value: unknown, place: SpecPlace): RegistryTrust {
  const result = v.safeParse(specSchema, value);
  if (!result.success) throw refusal(result.issues.map((issue) => issueDiagnostic(issue, place)));
  const spec = result.output;
  const problems = [...crossChecks(spec, place), ...hostProblems(spec, place)];
  if (problems.length > 0) throw refusal(problems);
  return {
    host: parseRegistryHost(spec.host),
    ca: caOf(spec),
    family: spec.address?.family ?? 'IPv4',
    patchFormat: spec.patchFormat,
    mode: spec.mode,
    ...serviceOf(spec),
    ...(spec.talosconfigSecret === undefined ? {} : { talosconfigSecret: spec.talosconfigSecret }),
    ...(spec.hostedOn === undefined ? {} : { hostedOn: spec.hostedOn }),
    ...(spec.targets === undefined ? {} : { targets: spec.targets }),
  };
}

/** @throws TypeError unless `crossChecks` found nothing */
function caOf({ caSecret, caConfigMap }: Spec): RegistryTrust['ca'] {
  if (caSecret !== undefined) return { kind: 'Secret', ...caSecret };
  if (caConfigMap !== undefined) return { kind: 'ConfigMap', ...caConfigMap };
  throw new TypeError('a spec without a CA passed the checks');
}

function serviceOf({ address }: Spec): { readonly service?: ObjectName } {
  if (address?.serviceName === undefined || address.serviceNamespace === undefined) return {};
  return { service: { namespace: address.serviceNamespace, name: address.serviceName } };
}

function crossChecks(
  { caSecret, caConfigMap, address, targets }: Spec,
  place: SpecPlace,
): readonly Diagnostic[] {
  const problems: Diagnostic[] = [];
  if (caSecret === undefined && caConfigMap === undefined) {
    problems.push(
      error(
        'CONFIG_MISSING_KEY',
        'Neither caSecret nor caConfigMap is given.',
        'Say where the CA is: caSecret: {namespace, name, key}.',
        located(place, []),
      ),
    );
  }
  if (caSecret !== undefined && caConfigMap !== undefined) {
    problems.push(
      error(
        'CONFIG_INVALID',
        'Both caSecret and caConfigMap are given.',
        'Keep one.',
        located(place, ['caConfigMap']),
      ),
    );
  }
  if ((address?.serviceName === undefined) !== (address?.serviceNamespace === undefined)) {
    const missing = address?.serviceName === undefined ? 'serviceName' : 'serviceNamespace';
    problems.push(
      error(
        'CONFIG_MISSING_KEY',
        `${missing} is missing.`,
        'A Service is named by serviceNamespace and serviceName.',
        located(place, ['address', missing]),
      ),
    );
  }
  for (const [i, { operator, values }] of (targets?.labelSelector?.matchExpressions ?? []).entries()) {
    const wantsValues = operator === 'In' || operator === 'NotIn';
    if (wantsValues === (values !== undefined && values.length > 0)) continue;
    const pointer = ['targets', 'labelSelector', 'matchExpressions', String(i), 'values'];
    problems.push(
      error(
        'CONFIG_INVALID',
        `The operator ${operator} ${wantsValues ? 'needs' : 'takes no'} values.`,
        'Correct the selector.',
        located(place, pointer),
      ),
    );
  }
  return problems;
}

function hostProblems({ host }: Spec, place: SpecPlace): readonly Diagnostic[] {
  try {
    parseRegistryHost(host);
    return [];
  } catch (cause) {
    return diagnosticsOf(cause).map((diagnostic) => ({ ...diagnostic, at: located(place, ['host']) }));
  }
}

function issueDiagnostic(issue: v.BaseIssue<unknown>, place: SpecPlace): Diagnostic {
  const path = (issue.path ?? []).map((item) => String(item.key));
  const parent = path.slice(0, -1);
  const key = path.at(-1) ?? '';
  if (issue.kind === 'schema' && issue.type === 'strict_object' && path.length > 0) {
    if (issue.expected === 'never') return keyDiagnostic(key, knownKeys(parent), located(place, parent));
    if (issue.received === 'undefined') {
      return error(
        'CONFIG_MISSING_KEY',
        `${key} is missing.`,
        `Add ${path.join('.')}.`,
        located(place, path),
      );
    }
  }
  return error(
    'CONFIG_INVALID',
    `${key === '' ? 'The config' : key} must be ${expectation(issue)}.`,
    'Correct it; function-config/README.md shows each field.',
    located(place, path),
  );
}

/** What is expected, in words; valibot's own text would repeat the value. */
function expectation(issue: v.BaseIssue<unknown>): string {
  if (issue.kind === 'validation' || issue.type === 'picklist') return issue.message;
  const words: Readonly<Record<string, string>> = { string: 'a text', Object: 'a mapping', Array: 'a list' };
  return words[issue.expected ?? ''] ?? 'of another type';
}

/** Keys of the schema at a path. */
function knownKeys(path: readonly string[]): readonly string[] {
  let schema: unknown = specSchema;
  for (const key of path) schema = entriesOf(schema)[key];
  return Object.keys(entriesOf(schema));
}

function entriesOf(schema: unknown): Readonly<Record<string, unknown>> {
  const node = schema as
    | {
        readonly entries?: Record<string, unknown>;
        readonly wrapped?: unknown;
        readonly pipe?: readonly unknown[];
      }
    | undefined;
  if (node?.entries !== undefined) return node.entries;
  return node?.wrapped === undefined ? {} : entriesOf(node.wrapped);
}

function located({ at, pointer }: SpecPlace, path: readonly string[]): Location {
  const whole = [pointer, ...path].join('/');
  return whole === '' ? at : { ...at, pointer: whole };
}

function refusal(diagnostics: readonly Diagnostic[]): Refusal {
  const [first, ...rest] = diagnostics;
  if (first === undefined) throw new TypeError('a refusal needs a diagnostic');
  return new Refusal(first, ...rest);
}
