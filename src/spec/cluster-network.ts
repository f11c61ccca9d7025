/** A ClusterNetwork parsed once into typed values. */
import { type Diagnostic, diagnosticsOf, error } from '../diagnostic.ts';
import { parseSubnets, refuseSubnetPairs } from '../trust/subnets.ts';
import { isMapping, type Members, targetChecks } from './cross-checks.ts';
import { type Placement, parseSpec, placementOf } from './parse-spec.ts';
import { located, type SpecPlace } from './place.ts';
import { networkSchema } from './schema.ts';

export interface ClusterNetwork extends Placement {
  readonly kind: 'ClusterNetwork';
  /** CIDRs in canonical spelling; empty: left as they are. */
  readonly podSubnets: readonly string[];
  readonly serviceSubnets: readonly string[];
}

/** @throws Refusal CONFIG_MISSING_KEY, CONFIG_UNKNOWN_KEY, CONFIG_INVALID, SUBNET_INVALID */
export function parseClusterNetwork(value: unknown, place: SpecPlace): ClusterNetwork {
  const spec = parseSpec(networkSchema, networkChecks, value, place);
  return {
    kind: 'ClusterNetwork',
    podSubnets: spec.podSubnets ?? [],
    serviceSubnets: spec.serviceSubnets ?? [],
    ...placementOf(spec),
  };
}

const KEYS = ['podSubnets', 'serviceSubnets'] as const;

function networkChecks(value: unknown, place: SpecPlace): readonly Diagnostic[] {
  if (!isMapping(value)) return [];
  const lists = KEYS.map((key) => textsOf(value[key]));
  const own = KEYS.flatMap((key, i) =>
    problemsOf(() => parseSubnets(lists[i] ?? [], key), located(place, [key])),
  );
  return [
    ...targetChecks(value, place),
    ...missing(value, place),
    ...own,
    ...(own.length > 0
      ? []
      : problemsOf(() => refuseSubnetPairs(lists[0] ?? [], lists[1] ?? []), located(place, []))),
  ];
}

function missing(spec: Members, place: SpecPlace): readonly Diagnostic[] {
  if (KEYS.some((key) => Object.hasOwn(spec, key))) return [];
  const message = 'Neither podSubnets nor serviceSubnets is given.';
  return [error('CONFIG_MISSING_KEY', message, 'Give one of them, or both.', located(place, []))];
}

function problemsOf(parse: () => unknown, at: Diagnostic['at']): readonly Diagnostic[] {
  try {
    parse();
    return [];
  } catch (cause) {
    return diagnosticsOf(cause).map((diagnostic) => (at === undefined ? diagnostic : { ...diagnostic, at }));
  }
}

/** Other shapes are the schema's to refuse. */
function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string' && one !== '') : [];
}
