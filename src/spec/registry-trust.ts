/** A RegistryTrust parsed once into typed values: what comes out can't be wrong afterwards. */
import type { AddressFamily } from '../trust/address.ts';
import { parseRegistryHost, type RegistryHost } from '../trust/registry-host.ts';
import { trustChecks } from './cross-checks.ts';
import { type Placement, parseSpec, placementOf } from './parse-spec.ts';
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

export interface RegistryTrust extends Placement {
  readonly kind: 'RegistryTrust';
  readonly host: RegistryHost;
  readonly ca: ObjectKey & { readonly kind: 'Secret' | 'ConfigMap' };
  readonly service?: ObjectName;
  readonly family: AddressFamily;
  readonly talosconfigSecret?: ObjectKey;
  readonly hostedOn?: string;
  /** What becomes of `insecureSkipVerify` beside the CA. */
  readonly insecure: 'refuse' | 'remove';
}

/**
 * Reads a spec from plain data.
 * @throws Refusal CONFIG_MISSING_KEY, CONFIG_UNKNOWN_KEY, CONFIG_INVALID, HOST_INVALID
 */
export function parseRegistryTrust(value: unknown, place: SpecPlace): RegistryTrust {
  const spec = parseSpec(specSchema, trustChecks, value, place);
  return {
    kind: 'RegistryTrust',
    host: parseRegistryHost(spec.host),
    ca: caOf(spec),
    family: spec.address?.family ?? 'IPv4',
    insecure: spec.insecureSkipVerify === 'Remove' ? 'remove' : 'refuse',
    ...placementOf(spec),
    ...serviceOf(spec),
    ...(spec.talosconfigSecret === undefined ? {} : { talosconfigSecret: spec.talosconfigSecret }),
    ...(spec.hostedOn === undefined ? {} : { hostedOn: spec.hostedOn }),
  };
}

/** @throws TypeError unless `trustChecks` found nothing */
function caOf({ caSecret, caConfigMap }: Spec): RegistryTrust['ca'] {
  if (caSecret !== undefined) return { kind: 'Secret', ...caSecret };
  if (caConfigMap !== undefined) return { kind: 'ConfigMap', ...caConfigMap };
  throw new TypeError('a spec without a CA passed the checks');
}

function serviceOf({ address }: Spec): { readonly service?: ObjectName } {
  if (address?.serviceName === undefined || address.serviceNamespace === undefined) return {};
  return { service: { namespace: address.serviceNamespace, name: address.serviceName } };
}
