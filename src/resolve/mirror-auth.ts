/**
 * Credentials of mirrors, from a Secret on the workload cluster: `basic-auth` for every endpoint, or `dockerconfigjson`
 * with an entry for each. A cluster that is new has no such Secret yet, and Talos needs a reboot to take credentials, so
 * without a workload cluster the config is refused.
 */
import { isUtf8 } from 'node:buffer';
import type { Diagnostic, Location } from '../diagnostic.ts';
import { refuse } from '../diagnostic.ts';
import type { Credentials, MirrorValues } from '../machine-config/intents/mirror.ts';
import type { RegistryMirror } from '../spec/registry-mirror.ts';
import type { ObjectName } from '../spec/registry-trust.ts';
import { openCluster } from './cluster.ts';
import { startLimit } from './limit.ts';
import { locationOf } from './object-ref.ts';
import { readObject } from './read-object.ts';
import { withWarnings } from './refusals.ts';
import type { ResolveOptions } from './resolve-trust.ts';
import { ROLES } from './role.ts';

export interface ResolvedMirrorAuth {
  readonly credentials: MirrorValues['credentials'];
  readonly diagnostics: readonly Diagnostic[];
}

/** @throws Refusal MIRROR_AUTH_NEW_CLUSTER, SOURCE_KEY_MISSING, SOURCE_BAD_BASE64, and those of `readObject` */
export async function resolveMirrorAuth(
  { endpoints }: RegistryMirror,
  secret: ObjectName,
  options: ResolveOptions,
): Promise<ResolvedMirrorAuth> {
  const { flag, variable } = ROLES.workload;
  const kubeconfig = [options.workloadKubeconfig, options.env[variable]].find(isGiven);
  // Not the service account of a Pod either: where this runs is hardly the workload cluster.
  if (kubeconfig === undefined) {
    return refuse(
      'MIRROR_AUTH_NEW_CLUSTER',
      'authSecretRef names a Secret on the workload cluster, but none is given: a new cluster has no Secret yet.',
      `Leave authSecretRef out until the cluster is there, then give its kubeconfig by ${flag} or ${variable}.`,
    );
  }
  const run = new AbortController();
  const limit = startLimit(options.timeoutMs, run.signal);
  try {
    const cluster = await openCluster({ role: 'workload', kubeconfig }, options, limit.signal);
    const ref = { kind: 'Secret', ...secret } as const;
    return await withWarnings(cluster.diagnostics, async () => {
      const { data = {} } = await readObject(cluster, ref, {
        requestMs: options.timeoutMs,
        signal: limit.signal,
      });
      const at = locationOf(ref);
      const hosts = [...new Set(endpoints.map(({ hostKey }) => hostKey))];
      return {
        credentials: new Map(hosts.map((host) => [host, credentialsFor(host, data, at)])),
        diagnostics: cluster.diagnostics,
      };
    });
  } finally {
    run.abort();
    limit.end();
  }
}

const DOCKER_CONFIG = '.dockerconfigjson';

function credentialsFor(host: string, data: Readonly<Record<string, string>>, at: Location): Credentials {
  const text = (key: string): string | undefined => decoded(data[key], at);
  const config = text(DOCKER_CONFIG);
  if (config !== undefined) return dockerCredentials(host, config, at);
  const [username, password] = [text('username'), text('password')];
  if (isGiven(username) && isGiven(password)) return { username, password };
  return refuse(
    'SOURCE_KEY_MISSING',
    'The Secret has neither username and password nor .dockerconfigjson.',
    'Use a Secret of type kubernetes.io/basic-auth or kubernetes.io/dockerconfigjson.',
    at,
  );
}

function dockerCredentials(host: string, config: string, at: Location): Credentials {
  const { auths } = parsedJson(config, at) as { readonly auths?: unknown };
  const entries = typeof auths === 'object' && auths !== null ? Object.entries(auths) : [];
  const entry = entryOf(host, entries);
  const fields = (['username', 'password', 'auth', 'identitytoken'] as const).flatMap((key) => {
    const value = entry?.[key];
    return typeof value === 'string' && value !== '' ? [[key, value] as const] : [];
  });
  const { identitytoken, auth, ...basic } = Object.fromEntries(fields);
  // Talos takes one way only: a token, else the text, else the two parts (test/vectors, `doc-auth-both`).
  if (identitytoken !== undefined) return { identityToken: identitytoken };
  if (auth !== undefined) {
    decoded(auth, at);
    return { auth };
  }
  if (basic['username'] !== undefined && basic['password'] !== undefined) return basic;
  return refuse(
    'SOURCE_KEY_MISSING',
    `The .dockerconfigjson has no credentials for ${host}.`,
    'Add an entry for this host under auths.',
    at,
  );
}

type Entry = Readonly<Record<string, unknown>> | null | undefined;

/** `host`, `https://host` or `https://host/v1/`, the nearest to the host first; a longer path is a repository's. */
function entryOf(host: string, entries: readonly (readonly [string, unknown])[]): Entry {
  const keys = [(key: string) => key === host, (key: string) => API_KEY.exec(key)?.[1] === host];
  return keys.flatMap((isMeant) => entries.filter(([key]) => isMeant(key)))[0]?.[1] as Entry;
}

const API_KEY = /^(?:https?:\/\/)?([^/]+)(?:\/v[12])?\/?$/;

function isGiven(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}

function parsedJson(text: string, at: Location): unknown {
  try {
    return (JSON.parse(text) as unknown) ?? {};
  } catch {
    return refuse('SOURCE_KEY_MISSING', 'The .dockerconfigjson is not JSON.', 'Make the Secret anew.', at);
  }
}

function decoded(value: string | undefined, at: Location): string | undefined {
  if (value === undefined) return undefined;
  const bytes = Buffer.from(value, 'base64');
  if (bytes.toString('base64') !== value)
    return refuse(
      'SOURCE_BAD_BASE64',
      'The value is not base64.',
      'A proxy may have changed the answer.',
      at,
    );
  if (isUtf8(bytes)) return bytes.toString('utf8');
  return refuse('SOURCE_BAD_BASE64', 'The value is not text (UTF-8).', 'Make the Secret anew.', at);
}
