/**
 * A config parsed once into typed values: what comes out can't be wrong afterwards. All problems are reported at once,
 * each with its pointer and never with its value.
 */
import * as v from 'valibot';
import { type Diagnostic, Refusal } from '../diagnostic.ts';
import type { AddressFamily } from '../trust/address.ts';
import { parseRegistryHost, type RegistryHost } from '../trust/registry-host.ts';
import { crossChecks } from './cross-checks.ts';
import { issueDiagnostics } from './issues.ts';
import type { SpecPlace } from './place.ts';
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

/**
 * Reads a spec from plain data.
 * @throws Refusal CONFIG_MISSING_KEY, CONFIG_UNKNOWN_KEY, CONFIG_INVALID, HOST_INVALID
 */
export function parseRegistryTrust(value: unknown, place: SpecPlace): RegistryTrust {
  const result = v.safeParse(specSchema, value, { abortPipeEarly: true });
  const problems = [
    ...(result.issues ?? []).flatMap((issue) => issueDiagnostics(issue, place)),
    ...crossChecks(value, place),
  ];
  if (!result.success || problems.length > 0) throw refusal(distinct(problems));
  const spec = result.output;
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
