/**
 * What a role's source says for one context, as client-node takes it.
 *
 * Invariant: what comes out has exactly one context, cluster and user, the ones that were named, and the way there that
 * kubectl would take. client-node alone would take a current-context that doesn't exist for "no cluster", a context
 * without user for anonymous access without the cluster's CA, ignores `tokenFile` and HTTPS_PROXY, and would run or ask
 * what never ends (credential plug-ins, providers of clouds and of OIDC).
 */
import { existsSync, readFileSync } from 'node:fs';
import type { Cluster, Context, User } from '@kubernetes/client-node';
import { type Location, refuse } from '../diagnostic.ts';
import { withPlugIn } from './exec-plug-in.ts';
import { type Found, type MergedKubeconfig, type MergedUser, readKubeconfigs } from './kubeconfig-list.ts';
import type { KubeconfigSource, Surroundings } from './kubeconfig-source.ts';
import { type ClusterProxy, findProxy } from './proxy.ts';
import { ROLES, type Role } from './role.ts';

type ClientNode = typeof import('./client-node.ts');
type FilesSource = Extract<KubeconfigSource, { readonly kind: 'files' }>;
type PodSource = Extract<KubeconfigSource, { readonly kind: 'pod' }>;

export interface Access {
  /** Its name; a Pod's service account has none. */
  readonly context?: string;
  /** With the proxy. */
  readonly cluster: Cluster;
  readonly user: User;
  /** Of objects that name none. */
  readonly namespace: string;
  readonly proxy?: ClusterProxy;
}

/**
 * Reads the source of a role. Paths inside a file are relative to it.
 * @throws Refusal KUBECONFIG_NOT_FOUND, KUBECONFIG_INVALID, KUBECONFIG_CONTEXT, PROXY_INVALID
 */
export function loadKubeconfig(
  client: ClientNode,
  role: Role,
  source: KubeconfigSource,
  env: Surroundings['env'],
): Access {
  const access = source.kind === 'pod' ? podAccess(source, env) : fileAccess(client, role, source);
  const { cluster } = access;
  const at = placeOf(source);
  checkServer(role, cluster, at);
  const proxy = findProxy({ server: cluster.server, proxyUrl: cluster.proxyUrl, env, at });
  if (proxy === undefined) return access;
  return { ...access, cluster: { ...cluster, proxyUrl: proxy.uri.reveal() }, proxy };
}

/** Where diagnostics about a source point. */
export function placeOf(source: KubeconfigSource): Location {
  return { file: source.kind === 'files' ? source.paths.join(', ') : `${source.folder}/token` };
}

function podAccess({ server, folder }: PodSource, env: Surroundings['env']): Access {
  return {
    cluster: { name: 'pod', server, caFile: `${folder}/ca.crt`, skipTLSVerify: false },
    user: withTokenFile({ name: 'pod' }, `${folder}/token`),
    namespace: podNamespace(folder, env),
  };
}

/** As kubectl in a Pod. */
function podNamespace(folder: string, env: Surroundings['env']): string {
  const path = `${folder}/namespace`;
  return (
    env['POD_NAMESPACE'] || (existsSync(path) ? readFileSync(path, 'utf8').trim() : '') || DEFAULT_NAMESPACE
  );
}

const DEFAULT_NAMESPACE = 'default';

function fileAccess(client: ClientNode, role: Role, source: FilesSource): Access {
  const at = placeOf(source);
  const merged = readKubeconfigs(client, role, source.paths);
  if ('notOne' in merged)
    return invalid(role, 'is not a kubeconfig: no YAML mapping with clusters', { file: merged.notOne });
  const context = chooseContext(merged, role, source);
  const part = <T>(found: Found<T>, what: string): T => {
    switch (found.kind) {
      case 'found':
        return found.value;
      case 'duplicate':
        return invalid(role, `has two ${what}s of the same name for context ${context.name}`, at);
      case 'missing':
      case 'incomplete':
        return invalid(role, `has no complete ${what} for context ${context.name}`, at);
    }
  };
  const cluster = part(merged.cluster(context.cluster), 'cluster');
  const user = part(merged.user(context.user ?? ''), 'user');
  return {
    context: context.name,
    cluster,
    user: credentialsOf(role, user, cluster, at),
    namespace: context.namespace || DEFAULT_NAMESPACE,
  };
}

function chooseContext(merged: MergedKubeconfig, role: Role, source: FilesSource): Context {
  const name = source.context ?? merged.currentContext;
  const found = name === undefined ? undefined : merged.context(name);
  if (found?.kind === 'found') return found.value;
  if (found?.kind === 'duplicate')
    return invalid(role, 'has two contexts of the name that is asked for', placeOf(source));
  const wanted =
    source.context === undefined
      ? 'current-context, or one that does not exist'
      : `context ${source.context}`;
  const names = merged.contextNames.filter((candidate) => CONTEXT_NAME.test(candidate));
  return refuse(
    'KUBECONFIG_CONTEXT',
    `The kubeconfig of the ${ROLES[role].title} has no ${wanted}.`,
    names.length === 0
      ? 'It has no complete context at all.'
      : `Append #context to the path: one of ${names.join(', ')}.`,
    placeOf(source),
  );
}

/** Those of cloud providers have colons and slashes. */
const CONTEXT_NAME = /^[\w.@:/#+ -]{1,253}$/;

/** One way to log in, in the order of kubectl. */
function credentialsOf(role: Role, merged: MergedUser, cluster: Cluster, at: Location): User {
  const { tokenFile, folder } = merged;
  const { exec, authProvider, ...user } = merged.user;
  if (tokenFile !== undefined) return withTokenFile(user, tokenFile);
  const others = [user.token, user.certData, user.certFile, user.username];
  if (others.some((value) => (value ?? '') !== '')) return user;
  if (exec !== undefined && exec !== null) return withPlugIn(user, { spec: exec, folder, cluster });
  if (authProvider === undefined || authProvider === null) return user;
  // kubectl writes a new one into the kubeconfig when it expires.
  const idToken: unknown = authProvider.name === 'oidc' ? authProvider.config?.['id-token'] : undefined;
  if (typeof idToken === 'string' && idToken !== '') return { ...user, token: idToken };
  const hint =
    'Replace it by the provider’s credential plug-in (exec), or by a token; kubectl dropped all of them but oidc.';
  return refuse(
    'KUBECONFIG_INVALID',
    `The kubeconfig of the ${ROLES[role].title} logs in by an auth-provider that gives no token.`,
    hint,
    at,
  );
}

/** `tokenFile` is the field of the kubeconfig format; it wins over `token`. */
function withTokenFile({ token: _, ...user }: User, path: string): User {
  return { ...user, authProvider: { name: 'tokenFile', config: { tokenFile: path } } };
}

function checkServer(role: Role, cluster: Cluster, at: Location): void {
  const protocol = URL.parse(String(cluster.server))?.protocol;
  if (protocol === 'https:' || (protocol === 'http:' && cluster.skipTLSVerify)) return;
  invalid(
    role,
    protocol === 'http:' ? 'names a server without TLS' : 'names a server that is no https URL',
    at,
  );
}

function invalid(role: Role, problem: string, at: Location): never {
  const hint = `Try: kubectl --kubeconfig … config view --minify. Create the file anew when that fails too.`;
  return refuse('KUBECONFIG_INVALID', `The kubeconfig of the ${ROLES[role].title} ${problem}.`, hint, at);
}
