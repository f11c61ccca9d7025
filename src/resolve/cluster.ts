/**
 * A cluster that can be asked, opened from its role's kubeconfig.
 *
 * Invariant: this is the only place that loads client-node (by `client-node.ts`), when a cluster is opened: it costs more
 * to load than everything else a run does.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { CoreV1Api, KubeConfig, Observable } from '@kubernetes/client-node';
import { type Diagnostic, type Location, warning } from '../diagnostic.ts';
import { loadKubeconfig, placeOf } from './kubeconfig.ts';
import { type ClusterRef, findKubeconfig, type Surroundings } from './kubeconfig-source.ts';
import { ROLES, type Role } from './role.ts';

export interface Cluster {
  readonly role: Role;
  /** `host:port` of the server, for messages. */
  readonly server: string;
  /** The kubeconfig it was opened from. */
  readonly at: Location;
  readonly api: CoreV1Api;
  /** What client-node's middleware gives its results as. */
  readonly observable: <T>(value: T) => Observable<T>;
  /** Warnings: KUBECONFIG_INSECURE. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Opens a cluster without contacting it. `signal` ends the credential plug-in if there is one.
 * @throws Refusal KUBECONFIG_NOT_SET, KUBECONFIG_NOT_FOUND, KUBECONFIG_INVALID, KUBECONFIG_CONTEXT
 */
export async function openCluster(
  ref: ClusterRef,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<Cluster> {
  const source = findKubeconfig(ref, surroundings);
  const client = await import('./client-node.ts');
  const config = loadKubeconfig(client, ref.role, source);
  endPlugInsWith(signal, config);
  const cluster = config.getCurrentCluster();
  const verified =
    cluster?.skipTLSVerify !== true && surroundings.env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0';
  return {
    role: ref.role,
    server: new URL(cluster?.server ?? '').host,
    at: placeOf(source),
    api: config.makeApiClient(client.CoreV1Api),
    observable: (value) => new client.Observable(Promise.resolve(value)),
    diagnostics: verified ? [] : [insecure(ref.role, placeOf(source))],
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

/**
 * client-node waits for a credential plug-in without limit and leaves its stdin open, so one that asks for a password
 * would hang for ever. Ours has no stdin and is killed with the signal; its pipes are closed too, as its own children
 * may hold them.
 */
function endPlugInsWith(signal: AbortSignal, config: KubeConfig): void {
  const start = (command: string, args: readonly string[] | undefined, options: object): ChildProcess => {
    const child = spawn(command, args ?? [], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    const end = () => {
      child.kill('SIGKILL');
      child.stdout.destroy();
      child.stderr.destroy();
    };
    if (signal.aborted) end();
    signal.addEventListener('abort', end, { once: true });
    child.once('exit', () => signal.removeEventListener('abort', end));
    return child;
  };
  for (const authenticator of config['authenticators']) {
    if ('execFn' in authenticator) authenticator.execFn = start;
  }
}
