/**
 * Rules between fields, which the schema can't say. They are checked on the raw data, so that one typing error doesn't
 * hide the other problems; what the schema refuses anyway is passed over here.
 */
import { type Diagnostic, diagnosticsOf, error } from '../diagnostic.ts';
import { parseRegistryHost } from '../trust/registry-host.ts';
import { located, type SpecPlace } from './place.ts';

export type Members = Readonly<Record<string, unknown>>;

/** Rules of a RegistryTrust: CONFIG_MISSING_KEY, CONFIG_INVALID, HOST_INVALID for a spec that may be of any shape. */
export function trustChecks(value: unknown, place: SpecPlace): readonly Diagnostic[] {
  if (!isMapping(value)) return [];
  return [
    ...caProblems(value, place),
    ...serviceProblems(members(value, 'address'), place),
    ...targetChecks(value, place),
    ...hostProblems(value['host'], place),
  ];
}

/** Rules of `targets`, which every kind has. */
export function targetChecks(value: unknown, place: SpecPlace): readonly Diagnostic[] {
  if (!isMapping(value)) return [];
  const { labelSelector } = members(value, 'targets');
  const selector = isMapping(labelSelector) ? labelSelector : {};
  return [
    ...labelProblems(members(selector, 'matchLabels'), place),
    ...requirementProblems(selector['matchExpressions'], place),
  ];
}

function caProblems(spec: Members, place: SpecPlace): readonly Diagnostic[] {
  const given = ['caSecret', 'caConfigMap'].filter((key) => Object.hasOwn(spec, key));
  if (given.length === 1) return [];
  if (given.length === 0) {
    const hint = 'Say where the CA is: caSecret: {namespace, name, key}.';
    const message = 'Neither caSecret nor caConfigMap is given.';
    return [error('CONFIG_MISSING_KEY', message, hint, located(place, []))];
  }
  const message = 'Both caSecret and caConfigMap are given.';
  return [error('CONFIG_INVALID', message, 'Keep one.', located(place, ['caConfigMap']))];
}

function serviceProblems(address: Members, place: SpecPlace): readonly Diagnostic[] {
  const keys = ['serviceNamespace', 'serviceName'];
  const missing = keys.filter((key) => !Object.hasOwn(address, key));
  const [only, ...others] = missing;
  if (only === undefined || others.length > 0) return [];
  const hint = 'A Service is named by serviceNamespace and serviceName.';
  return [error('CONFIG_MISSING_KEY', `${only} is missing.`, hint, located(place, ['address', only]))];
}

/** valibot drops these keys from a record; a selector without them would select more than was meant. */
const DROPPED = ['__proto__', 'prototype', 'constructor'];

function labelProblems(labels: Members, place: SpecPlace): readonly Diagnostic[] {
  return DROPPED.filter((key) => Object.hasOwn(labels, key)).map((key) =>
    error(
      'CONFIG_INVALID',
      `The label key ${key} can not be selected by matchLabels.`,
      'Select by another label, or by matchExpressions.',
      located(place, ['targets', 'labelSelector', 'matchLabels']),
    ),
  );
}

/** As the API server checks selectors: In and NotIn need values, the other operators take none. */
function requirementProblems(requirements: unknown, place: SpecPlace): readonly Diagnostic[] {
  if (!Array.isArray(requirements)) return [];
  return requirements.flatMap((requirement: unknown, i) => {
    const { operator, values } = isMapping(requirement) ? requirement : {};
    const wants = VALUES_OF_OPERATOR.get(operator);
    const has = values === undefined || (Array.isArray(values) && values.length === 0) ? 'none' : 'some';
    if (wants === undefined || wants === has) return [];
    const message = `The operator ${operator} ${wants === 'some' ? 'needs' : 'takes no'} values.`;
    const path = ['targets', 'labelSelector', 'matchExpressions', String(i), 'values'];
    return [error('CONFIG_INVALID', message, 'Correct the selector.', located(place, path))];
  });
}

const VALUES_OF_OPERATOR: ReadonlyMap<unknown, 'some' | 'none'> = new Map([
  ['In', 'some'],
  ['NotIn', 'some'],
  ['Exists', 'none'],
  ['DoesNotExist', 'none'],
]);

function hostProblems(host: unknown, place: SpecPlace): readonly Diagnostic[] {
  if (typeof host !== 'string' || host === '') return [];
  try {
    parseRegistryHost(host);
    return [];
  } catch (cause) {
    return diagnosticsOf(cause).map((diagnostic) => ({ ...diagnostic, at: located(place, ['host']) }));
  }
}

function members(parent: Members, key: string): Members {
  const value = parent[key];
  return isMapping(value) ? value : {};
}

export function isMapping(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
