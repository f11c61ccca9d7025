/**
 * Intent: images of a registry are pulled through mirrors. Endpoints that are there already keep their order and come
 * first; what is missing is added behind them.
 */
import { endpointIdentity, type MirrorEndpoint } from '../../trust/mirror.ts';
import type { Value } from '../../yaml/value.ts';
import type { MirrorSettings } from '../replay/effective.ts';
import type { NamedSetting } from '../setting.ts';
import type { Wanted } from './wanted.ts';

/** Credentials as Talos names them; absent ones are not set. */
export interface Credentials {
  readonly username?: string;
  readonly password?: string;
  readonly auth?: string;
  readonly identityToken?: string;
}

export interface MirrorValues {
  readonly registry: string;
  readonly endpoints: readonly MirrorEndpoint[];
  readonly fallback: 'use' | 'skip';
  /** By `hostKey`. */
  readonly credentials: ReadonlyMap<string, Credentials>;
}

export function wantedMirror(values: MirrorValues): Wanted {
  const { registry, endpoints, fallback, credentials } = values;
  return {
    settings: [
      mirrorSetting(values),
      ...[...credentials].map(([host, given]) => credentialSetting(host, given)),
    ],
    expected: (before) => ({
      ...before,
      mirrors: new Map(before.mirrors).set(registry, {
        endpoints: joined(before.mirrors.get(registry)?.endpoints ?? [], endpoints),
        fallback: fallback === 'skip' ? 'skip' : (before.mirrors.get(registry)?.fallback ?? 'use'),
      }),
      auth: new Map([
        ...before.auth,
        ...[...credentials].map(
          ([host, given]) =>
            [host, new Map([...(before.auth.get(host) ?? []), ...Object.entries(given)])] as const,
        ),
      ]),
    }),
  };
}

function mirrorSetting({ registry, endpoints, fallback }: MirrorValues): NamedSetting {
  const skip: { readonly [key: string]: Value } = fallback === 'skip' ? { skipFallback: true } : {};
  const overrides = endpoints.some(({ path }) => path === 'override');
  return {
    kind: 'named',
    leaf: 'registries',
    anchor: ['mirrors', registry],
    value: {
      endpoints: endpoints.map(({ url }) => url),
      ...(overrides ? { overridePath: true } : {}),
      ...skip,
    },
    document: {
      kind: 'RegistryMirrorConfig',
      name: registry,
      value: {
        endpoints: endpoints.map(({ url, path }) =>
          path === 'override' ? { url, overridePath: true } : { url },
        ),
        ...skip,
      },
    },
  };
}

function credentialSetting(host: string, given: Credentials): NamedSetting {
  const value: { readonly [key: string]: Value } = { ...given };
  return {
    kind: 'named',
    leaf: 'registries',
    anchor: ['config', host],
    value: { auth: value },
    document: { kind: 'RegistryAuthConfig', name: host, value },
  };
}

function joined(
  before: MirrorSettings['endpoints'],
  wanted: readonly MirrorEndpoint[],
): MirrorSettings['endpoints'] {
  const present = new Set(before.map(({ url }) => endpointIdentity(url)));
  const missing = wanted.filter(({ url }) => !present.has(endpointIdentity(url)));
  return [...before, ...missing.map(({ url, path }) => ({ url, overridePath: path === 'override' }))];
}
