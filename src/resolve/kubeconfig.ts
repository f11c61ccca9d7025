/**
 * A kubeconfig file, read for one context.
 *
 * Invariant: what comes out has exactly one context, cluster and user, the ones that were named. client-node alone would
 * take a current-context that doesn't exist for "no cluster", a context without user for anonymous access without the
 * cluster's CA, and ignores `tokenFile`.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Cluster, KubeConfig, User } from '@kubernetes/client-node';
import { type Location, refuse } from '../diagnostic.ts';
import type { KubeconfigSource } from './kubeconfig-source.ts';
import { ROLES, type Role } from './role.ts';

type ClientNode = typeof import('./client-node.ts');
type Access = { readonly cluster: Cluster; readonly user: User };
type FileSource = Extract<KubeconfigSource, { readonly kind: 'file' }>;
type PodSource = Extract<KubeconfigSource, { readonly kind: 'pod' }>;

/**
 * Reads the source of a role. Paths inside a file are relative to it.
 * @throws Refusal KUBECONFIG_NOT_FOUND, KUBECONFIG_INVALID, KUBECONFIG_CONTEXT
 */
export function loadKubeconfig(client: ClientNode, role: Role, source: KubeconfigSource): KubeConfig {
  const access = source.kind === 'pod' ? podAccess(source) : fileAccess(client, role, source);
  const config = new client.KubeConfig();
  config.loadFromClusterAndUser(checkServer(role, access.cluster, placeOf(source)), access.user);
  return config;
}

/** Where diagnostics about a source point. */
export function placeOf(source: KubeconfigSource): Location {
  return { file: source.kind === 'file' ? source.path : `${source.folder}/token` };
}

function podAccess({ server, folder }: PodSource): Access {
  return {
    cluster: { name: 'pod', server, caFile: `${folder}/ca.crt`, skipTLSVerify: false },
    user: withTokenFile({ name: 'pod' }, `${folder}/token`),
  };
}

function fileAccess(client: ClientNode, role: Role, source: FileSource): Access {
  const at = placeOf(source);
  const text = readText(role, source.path);
  const config =
    parse(client, text) ?? invalid(role, 'is not a kubeconfig: no YAML mapping with clusters', at);
  const context = chooseContext(config, role, source);
  const cluster = config.getCluster(context.cluster);
  if (cluster === null) return invalid(role, `has no complete cluster for context ${context.name}`, at);
  const user = config.getUser(context.user ?? '');
  if (user === null) return invalid(role, `has no user for context ${context.name}`, at);
  config.makePathsAbsolute(dirname(source.path));
  const tokenFile = tokenFileOf(client, text, user.name);
  if (tokenFile === undefined) return { cluster, user };
  return { cluster, user: withTokenFile(user, resolve(dirname(source.path), tokenFile)) };
}

function readText(role: Role, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? 'unknown';
    const { title, flag, variable } = ROLES[role];
    return refuse(
      'KUBECONFIG_NOT_FOUND',
      `The kubeconfig of the ${title} can't be read (${code}).`,
      `Correct the path in ${flag} or ${variable}; a part after # is the name of a context.`,
      { file: path },
    );
  }
}

/** The cause is dropped: it quotes the file. Entries that are incomplete count as absent. */
function parse(client: ClientNode, text: string): KubeConfig | undefined {
  const config = new client.KubeConfig();
  try {
    config.loadFromString(text, { onInvalidEntry: 'filter' });
  } catch {
    return undefined;
  }
  return config.clusters.length === 0 ? undefined : config;
}

function chooseContext(config: KubeConfig, role: Role, source: FileSource): KubeConfig['contexts'][number] {
  const name: unknown = source.context ?? config.getCurrentContext();
  const context = config.contexts.find((candidate) => candidate.name === name);
  if (context !== undefined) return context;
  const names = config.contexts.map((candidate) => candidate.name);
  const wanted =
    source.context === undefined
      ? 'current-context, or one that does not exist'
      : `context ${source.context}`;
  return refuse(
    'KUBECONFIG_CONTEXT',
    `The kubeconfig of the ${ROLES[role].title} has no ${wanted}.`,
    names.length === 0
      ? 'It has no complete context at all.'
      : `Append #context to the path: one of ${names.join(', ')}.`,
    placeOf(source),
  );
}

/** `tokenFile` is the field of the kubeconfig format; it wins over `token`. */
function tokenFileOf(client: ClientNode, text: string, userName: string): string | undefined {
  type RawUser = { readonly name?: unknown; readonly user?: { readonly tokenFile?: unknown } | null };
  const { users } = client.loadYaml<{ readonly users: readonly (RawUser | null)[] }>(text);
  const tokenFile = users.find((entry) => entry?.name === userName)?.user?.tokenFile;
  return typeof tokenFile === 'string' && tokenFile !== '' ? tokenFile : undefined;
}

function withTokenFile({ token: _, ...user }: User, path: string): User {
  return { ...user, authProvider: { name: 'tokenFile', config: { tokenFile: path } } };
}

function checkServer(role: Role, cluster: Cluster, at: Location): Cluster {
  const protocol = URL.parse(String(cluster.server))?.protocol;
  if (protocol === 'https:' || (protocol === 'http:' && cluster.skipTLSVerify)) return cluster;
  return invalid(
    role,
    protocol === 'http:' ? 'names a server without TLS' : 'names a server that is no https URL',
    at,
  );
}

function invalid(role: Role, problem: string, at: Location): never {
  const hint = `Try: kubectl --kubeconfig … config view --minify. Create the file anew when that fails too.`;
  return refuse('KUBECONFIG_INVALID', `The kubeconfig of the ${ROLES[role].title} ${problem}.`, hint, at);
}
