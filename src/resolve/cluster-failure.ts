/**
 * Why a cluster didn't give an object, as a diagnostic.
 *
 * Invariant: nothing of what the server, a credential plug-in or a library said is repeated: a code, a status number,
 * or a sentence of ours.
 */
import { type Diagnostic, error, type Location } from '../diagnostic.ts';
import type { Cluster } from './cluster.ts';
import { type Failure, networkFailure } from './network-failure.ts';
import { ROLES } from './role.ts';

export type Kind = 'Secret' | 'ConfigMap' | 'Service';

/** An object of the core API group. */
export interface ObjectRef<K extends Kind = Kind> {
  readonly kind: K;
  readonly namespace: string;
  readonly name: string;
}

/** What is said of a cluster. */
export type Asked = Pick<Cluster, 'role' | 'server' | 'at'>;

/** How far a request got: client-node obtains credentials before it connects. */
export type Progress = 'credentials' | 'request';

export function locationOf({ kind, namespace, name }: ObjectRef, pointer?: string): Location {
  return { apiVersion: 'v1', kind, namespace, name, ...(pointer === undefined ? {} : { pointer }) };
}

/** Codes: CLUSTER_* and SOURCE_NOT_FOUND; KUBECONFIG_INVALID when it wasn't even asked. */
export function describeFailure(args: {
  readonly cause: unknown;
  readonly cluster: Asked;
  readonly ref: ObjectRef;
  readonly progress: Progress;
}): Diagnostic {
  const { cause, cluster, ref, progress } = args;
  const failure = progress === 'credentials' ? CREDENTIALS : requestFailure(cause, ref);
  const place = `The ${ROLES[cluster.role].title} (${cluster.server})`;
  const at = failure.code === 'KUBECONFIG_INVALID' ? cluster.at : locationOf(ref);
  return error(failure.code, `${place} ${failure.problem}.`, failure.hint, at);
}

/** The same for a time limit that ended a request. */
export function describeTimeout(cluster: Asked, ref: ObjectRef, progress: Progress): Diagnostic {
  const place = `the ${ROLES[cluster.role].title} (${cluster.server})`;
  return error(
    'CLUSTER_TIMEOUT',
    progress === 'credentials'
      ? `The credentials for ${place} took too long.`
      : `No answer from ${place} within the time limit.`,
    progress === 'credentials'
      ? 'Run the kubeconfig’s credential plug-in by hand; it must not ask questions.'
      : 'Check the way to the server (VPN, firewall, load balancer); --timeout raises the limit.',
    locationOf(ref),
  );
}

const CREDENTIALS: Failure = {
  code: 'KUBECONFIG_INVALID',
  problem:
    'was not asked: its kubeconfig gives no usable credentials (a plug-in, a token file, a certificate or a key)',
  hint: 'Try: kubectl --kubeconfig … auth whoami. It shows what the plug-in or the file lacks.',
};

const RESOURCES: Readonly<Record<Kind, string>> = {
  Secret: 'secrets',
  ConfigMap: 'configmaps',
  Service: 'services',
};

function requestFailure(cause: unknown, ref: ObjectRef): Failure {
  return (
    statusFailure(cause, ref) ??
    networkFailure(cause) ??
    strangeAnswer('gave something else than the object that was asked for')
  );
}

function statusFailure(cause: unknown, ref: ObjectRef): Failure | undefined {
  const status = property(cause, 'code');
  if (typeof status !== 'number') return undefined;
  if (status !== 401 && isHtml(cause))
    return strangeAnswer(`answered ${status} with a web page instead of Kubernetes objects`);
  const { kind, namespace, name } = ref;
  switch (status) {
    case 401:
      return {
        code: 'CLUSTER_UNAUTHORIZED',
        problem: 'does not accept the credentials (401)',
        hint: 'The token or certificate has expired or is of another cluster: log in again and renew the kubeconfig.',
      };
    case 403:
      return {
        code: 'CLUSTER_FORBIDDEN',
        problem: `forbids reading ${kind} ${namespace}/${name} (403)`,
        hint: `Bind a Role in namespace ${namespace} with the rule {apiGroups: [""], resources: [${RESOURCES[kind]}], resourceNames: [${name}], verbs: [get]}.`,
      };
    case 404:
      return {
        code: 'SOURCE_NOT_FOUND',
        problem: `has no ${kind} ${namespace}/${name}`,
        hint: 'Check the name and namespace in the config, and that the kubeconfig is of the cluster that has it.',
      };
    default:
      return strangeAnswer(`answered with status ${status}`);
  }
}

function strangeAnswer(problem: string): Failure {
  const hint = 'Try: kubectl --kubeconfig … get --raw /readyz. A proxy may stand before the server.';
  return { code: 'CLUSTER_ERROR', problem, hint };
}

function isHtml(cause: unknown): boolean {
  const type = property(property(cause, 'headers'), 'content-type');
  return typeof type === 'string' && type.startsWith('text/html');
}

function property(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
