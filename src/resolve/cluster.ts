/**
 * A cluster that can be asked, opened from its role's kubeconfig.
 *
 * Invariant: this is the only place that loads client-node (by `client-node.ts`), when a cluster is opened: it costs more
 * to load than everything else a run does.
 */
import type { CoreV1Api, CustomObjectsApi } from '@kubernetes/client-node';
import { type Diagnostic, type Location, warning } from '../diagnostic.ts';
import { type ApiServer, apiServerOf } from './api-server.ts';
import { type Credentials, credentialsOf } from './credentials.ts';
import { plugInAuthenticator } from './exec-plug-in.ts';
import { loadKubeconfig, placeOf } from './kubeconfig.ts';
import { type ClusterRef, findKubeconfig, type Surroundings } from './kubeconfig-source.ts';
import { ROLES, type Role } from './role.ts';
import { openTransport, type Transport } from './transport.ts';

export interface Cluster {
  readonly role: Role;
  /** `host:port` of the server, for messages. */
  readonly server: string;
  /** Of the proxy on the way there, if any: `ClusterProxy.place`. */
  readonly proxy?: string;
  /** The kubeconfig it was opened from. */
  readonly at: Location;
  /** What that calls it. */
  readonly names: { readonly context?: string; readonly cluster: string };
  /** To be compared with another cluster's. */
  readonly apiServer: ApiServer | undefined;
  readonly api: CoreV1Api;
  readonly customObjects: CustomObjectsApi;
  /** Of objects that name none: the context's, or `default`. */
  readonly namespace: string;
  /** For one request, which ends with the signal. */
  readonly openTransport: (signal: AbortSignal) => Transport;
  /** Whether an answer is the cluster's for certain. */
  readonly identity: 'verified' | 'unverified';
  /** For a message: read when it is asked for. */
  readonly credentials: () => Credentials;
  /** Warnings: KUBECONFIG_INSECURE. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Opens a cluster without contacting it. `signal` ends the credential plug-in if there is one.
 * @throws Refusal KUBECONFIG_NOT_SET, KUBECONFIG_NOT_FOUND, KUBECONFIG_INVALID, KUBECONFIG_CONTEXT, PROXY_INVALID
 */
export async function openCluster(
  ref: ClusterRef,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<Cluster> {
  const { env } = surroundings;
  const source = findKubeconfig(ref, surroundings);
  const client = await import('./client-node.ts');
  const access = loadKubeconfig(client, ref.role, source, env);
  const { context, cluster, user, namespace, proxy } = access;
  const config = new client.KubeConfig();
  config.loadFromClusterAndUser(cluster, user);
  config.addAuthenticator(plugInAuthenticator(env, signal));
  const identity =
    cluster.skipTLSVerify || env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0' ? 'unverified' : 'verified';
  return {
    role: ref.role,
    server: new URL(cluster.server).host,
    ...(proxy === undefined ? {} : { proxy: proxy.place }),
    at: placeOf(source),
    names: { ...(context === undefined ? {} : { context }), cluster: cluster.name },
    apiServer: apiServerOf(access),
    api: config.makeApiClient(client.CoreV1Api),
    customObjects: config.makeApiClient(client.CustomObjectsApi),
    namespace,
    openTransport: (request) => openTransport(client, request),
    identity,
    credentials: () => credentialsOf(user),
    diagnostics: identity === 'verified' ? [] : [insecure(ref.role, placeOf(source))],
  };
}

function insecure(role: Role, at: Location): Diagnostic {
  return warning(
    'KUBECONFIG_INSECURE',
    `The certificate of the ${ROLES[role].title} is not verified, so anyone on the way can put values of their own in its answers.`,
    'Put certificate-authority-data in place of insecure-skip-tls-verify, and unset NODE_TLS_REJECT_UNAUTHORIZED.',
    at,
  );
}
