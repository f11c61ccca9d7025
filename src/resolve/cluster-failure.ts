/**
 * Why a cluster didn't give an object, as a diagnostic.
 *
 * Invariant: nothing of what the server, a credential plug-in or a library said is repeated: a code, a status number,
 * a user name that looks like one, or a sentence of ours.
 */
import { type Diagnostic, error } from '../diagnostic.ts';
import { accessHint, refusedUser } from './access-hint.ts';
import type { Cluster } from './cluster.ts';
import { unauthorized } from './credentials.ts';
import { PlugInFailure } from './exec-plug-in.ts';
import { type Failure, failureCode, isBrokenOff, networkFailure, shownCode } from './network-failure.ts';
import { type CustomRef, locationOf, type ObjectRef } from './object-ref.ts';
import { proxyFailure, proxyStatus } from './proxy-failure.ts';
import { type GaveUp, parseHttpDate, parseRetryAfter } from './retry.ts';
import { ROLES } from './role.ts';
import { statusBody } from './status-body.ts';
import { BodyTooLarge, MAX_BODY_BYTES, type Progress } from './transport.ts';

/** What is said of a cluster. */
export type Asked = Pick<Cluster, 'role' | 'server' | 'proxy' | 'at' | 'identity' | 'credentials'>;

/** This try's number, and what the one before failed with. */
export interface FailedTries {
  readonly tries: number;
  readonly last: unknown;
}

/**
 * Codes: CLUSTER_*, SOURCE_NOT_FOUND and CRD_MISSING; KUBECONFIG_INVALID when it wasn't even asked.
 * @param args `tries` for a failure that was tried again
 */
export function describeFailure(args: {
  readonly cause: unknown;
  readonly cluster: Asked;
  readonly ref: ObjectRef | CustomRef;
  readonly progress: Progress;
  readonly tries?: { readonly tries: number; readonly reason: GaveUp };
}): Diagnostic {
  const { cause, cluster, ref, progress, tries } = args;
  const failure = progress === 'credentials' ? credentialFailure(cause) : requestFailure(cause, cluster, ref);
  const at = failure.code === 'KUBECONFIG_INVALID' ? cluster.at : locationOf(ref);
  const problem = tries === undefined ? failure.problem : `${failure.problem}${inTries(tries)}`;
  return error(failure.code, `The ${placeOf(cluster)} ${problem}.`, failure.hint, at);
}

/** The same for a time limit that ended a request. */
export function describeTimeout(
  cluster: Asked,
  ref: ObjectRef | CustomRef,
  progress: Progress,
  { tries, last }: FailedTries,
): Diagnostic {
  const place = `the ${placeOf(cluster)}`;
  const before = tries === 1 ? '' : `, in try ${tries} (the one before: ${inShort(last)})`;
  return error(
    'CLUSTER_TIMEOUT',
    progress === 'credentials'
      ? `The credentials for ${place} took too long${before}.`
      : `No answer from ${place} within the time limit${before}.`,
    progress === 'credentials'
      ? 'Run the kubeconfig’s credential plug-in by hand; it must not ask questions.'
      : 'Check the way to the server (VPN, firewall, load balancer); --timeout raises the limit.',
    locationOf(ref),
  );
}

/** Whether the same request may be answered in a moment. */
export function transience(cause: unknown): 'transient' | 'lasting' {
  const status = statusOf(cause) ?? proxyStatus(cause);
  if (status !== undefined) return TRANSIENT_STATUS.has(status) ? 'transient' : 'lasting';
  // JSON that ends too soon: an answer that broke off where its length wasn't known.
  return isBrokenOff(cause) || cause instanceof SyntaxError ? 'transient' : 'lasting';
}

const TRANSIENT_STATUS: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

/** How long the server asks to wait, in milliseconds by its own clock. */
export function retryAfterMs(cause: unknown): number | undefined {
  const now = parseHttpDate(headerOf(cause, 'date') ?? '') ?? new Date();
  return parseRetryAfter(headerOf(cause, 'retry-after'), now);
}

function placeOf({ role, server, proxy }: Asked): string {
  return `${ROLES[role].title} (${proxy === undefined ? server : `${server} by the proxy ${proxy}`})`;
}

function inTries({ tries, reason }: { readonly tries: number; readonly reason: GaveUp }): string {
  const made = tries === 1 ? '1 try was made' : `${tries} tries were made`;
  switch (reason.kind) {
    case 'tries':
      return `; ${made}`;
    case 'limit':
      return `; ${made} within the time limit`;
    case 'asked to wait':
      return `; ${made}, as it asks to wait for ${reason.seconds} s, which is longer than the time limit allows`;
  }
}

/** A status or a code. */
function inShort(cause: unknown): string {
  const status = statusOf(cause);
  if (status !== undefined) return `status ${status}`;
  const code = failureCode(cause);
  return code === undefined ? 'an answer that broke off' : shownCode(code);
}

function credentialFailure(cause: unknown): Failure {
  if (cause instanceof PlugInFailure) {
    const problem = `was not asked: its credential plug-in ${cause.problem}`;
    return { code: 'KUBECONFIG_INVALID', problem, hint: cause.hint };
  }
  const code = failureCode(cause);
  const problem =
    code !== undefined && FILE_CODES.has(code)
      ? `was not asked: a file that its kubeconfig names can't be read (${code})`
      : 'was not asked: its kubeconfig gives no usable credentials (a token, a certificate or a key)';
  return {
    code: 'KUBECONFIG_INVALID',
    problem,
    hint: 'Try: kubectl --kubeconfig … auth whoami. It shows what the file lacks.',
  };
}

/** Which file isn't said: where its path belongs, its content may stand. */
const FILE_CODES: ReadonlySet<string> = new Set(['ENOENT', 'EACCES', 'EISDIR', 'ENOTDIR', 'ENAMETOOLONG']);

function requestFailure(cause: unknown, cluster: Asked, ref: ObjectRef | CustomRef): Failure {
  return (
    statusFailure(cause, cluster, ref) ??
    (cluster.proxy === undefined ? undefined : proxyFailure(cause, cluster.proxy)) ??
    networkFailure(cause) ??
    strangeAnswer(oddity(cause))
  );
}

function oddity(cause: unknown): string {
  if (cause instanceof BodyTooLarge) return `answered with more than ${MAX_BODY_BYTES / 1_024 / 1_024} MiB`;
  if (cause instanceof SyntaxError) return 'gave an answer that broke off, or is not JSON';
  return 'gave something else than the object that was asked for';
}

function statusFailure(cause: unknown, cluster: Asked, ref: ObjectRef | CustomRef): Failure | undefined {
  const status = statusOf(cause);
  if (status === undefined) return undefined;
  if (status >= 300 && status < 400) return redirected(status);
  if (status !== 401 && isHtml(cause))
    return strangeAnswer(`answered ${status} with a web page instead of Kubernetes objects`);
  const { kind, namespace, name } = ref;
  switch (status) {
    case 401:
      return unauthorized(cluster.credentials(), new Date());
    case 403:
      return {
        code: 'CLUSTER_FORBIDDEN',
        problem: `forbids reading ${kind} ${namespace}/${name} (403)`,
        hint: accessHint(
          ref,
          cluster.identity === 'verified' ? refusedUser(property(cause, 'body')) : undefined,
        ),
      };
    case 404:
      if ('apiVersion' in ref) return crdMissing(ref);
      return {
        code: 'SOURCE_NOT_FOUND',
        problem: `has no ${kind} ${namespace}/${name}`,
        hint: 'Check the name and namespace in the config, and that the kubeconfig is of the cluster that has it.',
      };
    default:
      return strangeAnswer(`answered with status ${status}`);
  }
}

/** Where the kind is served, an object that isn't there is no failure (`isAbsent`). */
function crdMissing({ apiVersion, kind }: CustomRef): Failure {
  return {
    code: 'CRD_MISSING',
    problem: `does not serve ${kind} of ${apiVersion}: the provider’s CRDs aren’t installed there, or not in this version`,
    hint: `See what it serves: kubectl --kubeconfig … api-resources --api-group=${apiVersion.split('/')[0]}. Is the kubeconfig of the management cluster? clusterctl init installs the providers; before that there is nothing to compare with, so leave --diff out.`,
  };
}

/** Whether an answer says that the kind is served, and that there is no object of this name. */
export function isAbsent(cause: unknown, { name }: CustomRef): boolean {
  if (statusOf(cause) !== 404) return false;
  const { reason, details } = statusBody(property(cause, 'body'));
  return reason === 'NotFound' && details?.name === name;
}

function redirected(status: number): Failure {
  return {
    code: 'CLUSTER_ERROR',
    problem: `answered with a redirect (${status}), which is not followed: the credentials are for this server only`,
    hint: 'An API server never redirects; a gateway or a login page does. Put the API server’s own address in the kubeconfig.',
  };
}

function strangeAnswer(problem: string): Failure {
  const hint =
    'Try: kubectl --kubeconfig … get --raw /readyz. The server may be starting or overloaded, or a gateway stands before it.';
  return { code: 'CLUSTER_ERROR', problem, hint };
}

function isHtml(cause: unknown): boolean {
  return headerOf(cause, 'content-type')?.startsWith('text/html') === true;
}

/** Of an answer, as client-node throws it. */
function statusOf(cause: unknown): number | undefined {
  const code = property(cause, 'code');
  return typeof code === 'number' ? code : undefined;
}

function headerOf(cause: unknown, name: string): string | undefined {
  const value = property(property(cause, 'headers'), name);
  return typeof value === 'string' ? value : undefined;
}

function property(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
