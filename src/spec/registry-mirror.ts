/** A RegistryMirror parsed once into typed values. */
import { type Diagnostic, diagnosticsOf, error } from '../diagnostic.ts';
import {
  endpointIdentity,
  type MirrorEndpoint,
  parseMirrorEndpoint,
  parseMirroredRegistry,
} from '../trust/mirror.ts';
import { isMapping, targetChecks } from './cross-checks.ts';
import { type Placement, parseSpec, placementOf } from './parse-spec.ts';
import { located, type SpecPlace } from './place.ts';
import type { ObjectName } from './registry-trust.ts';
import { mirrorSchema } from './schema.ts';

export interface RegistryMirror extends Placement {
  readonly kind: 'RegistryMirror';
  /** The key in `machine.registries.mirrors`: `host`, `host:port` or `*`. */
  readonly registry: string;
  readonly endpoints: readonly MirrorEndpoint[];
  readonly fallback: 'use' | 'skip';
  /** Secret on the workload cluster. */
  readonly auth?: ObjectName;
}

/** @throws Refusal CONFIG_MISSING_KEY, CONFIG_UNKNOWN_KEY, CONFIG_INVALID, MIRROR_INVALID */
export function parseRegistryMirror(value: unknown, place: SpecPlace): RegistryMirror {
  const spec = parseSpec(mirrorSchema, mirrorChecks, value, place);
  return {
    kind: 'RegistryMirror',
    registry: parseMirroredRegistry(spec.registry),
    endpoints: spec.endpoints.map(({ url, overridePath }) => ({
      ...parseMirrorEndpoint(url),
      path: overridePath ? 'override' : 'append',
    })),
    fallback: spec.skipFallback ? 'skip' : 'use',
    ...placementOf(spec),
    ...(spec.authSecretRef === undefined ? {} : { auth: spec.authSecretRef }),
  };
}

function mirrorChecks(value: unknown, place: SpecPlace): readonly Diagnostic[] {
  if (!isMapping(value)) return [];
  const { registry, endpoints, patchFormat } = value;
  const list: readonly unknown[] = Array.isArray(endpoints) ? endpoints : [];
  const of = (key: string): readonly unknown[] => list.map((one) => (isMapping(one) ? one[key] : undefined));
  return [
    ...targetChecks(value, place),
    ...textProblems(registry, parseMirroredRegistry, place, ['registry']),
    ...of('url').flatMap((url, i) =>
      textProblems(url, parseMirrorEndpoint, place, ['endpoints', String(i), 'url']),
    ),
    ...duplicateProblems(of('url'), place),
    ...pathProblems(of('overridePath'), patchFormat, place),
  ];
}

function textProblems(
  text: unknown,
  parse: (text: string) => unknown,
  place: SpecPlace,
  path: readonly string[],
): readonly Diagnostic[] {
  if (typeof text !== 'string' || text === '') return [];
  try {
    parse(text);
    return [];
  } catch (cause) {
    return diagnosticsOf(cause).map((diagnostic) => ({ ...diagnostic, at: located(place, path) }));
  }
}

/** A slash at the end or a default port makes no other endpoint. */
function duplicateProblems(urls: readonly unknown[], place: SpecPlace): readonly Diagnostic[] {
  const identities = urls.map((url) => (typeof url === 'string' ? endpointIdentity(url) : undefined));
  const second = identities.findIndex((url, i) => url !== undefined && identities.indexOf(url) < i);
  if (second === -1) return [];
  const at = located(place, ['endpoints', String(second), 'url']);
  return [error('MIRROR_INVALID', 'An endpoint is listed twice.', 'Keep one of them.', at)];
}

/** Legacy fields have one overridePath for a whole mirror (facts: "The forms of registry trust"). */
function pathProblems(
  flags: readonly unknown[],
  patchFormat: unknown,
  place: SpecPlace,
): readonly Diagnostic[] {
  const isMixed = new Set(flags.map((flag) => flag === true)).size > 1;
  if (!isMixed || patchFormat === 'documents') return [];
  return [
    error(
      'MIRROR_INVALID',
      'Endpoints differ in overridePath, which only the documents of Talos 1.12 can say.',
      'Give all endpoints the same overridePath, or set patchFormat: documents.',
      located(place, ['endpoints']),
    ),
  ];
}
