/**
 * A credential plug-in of a kubeconfig, run as kubectl runs it (client.authentication.k8s.io v1 and v1beta1). client-node's
 * own runner waits without limit, leaves stdin open, tells the plug-in nothing (KUBERNETES_EXEC_INFO) and takes an answer
 * without credentials for anonymous access.
 *
 * Invariants: a plug-in finds no stdin to ask on, ends with the signal, and runs once however often a request is tried;
 * nothing that it prints is repeated.
 */
import { readFileSync } from 'node:fs';
import { basename, isAbsolute, resolve as resolvePath } from 'node:path';
import type { Cluster, KubeConfig, User } from '@kubernetes/client-node';
import { type Ending, runProgram } from '../child-process.ts';
import type { Surroundings } from './kubeconfig-source.ts';

/** The name under which client-node finds it. */
export const PLUG_IN = 'registry-trust/plug-in';

type Authenticator = Parameters<KubeConfig['addAuthenticator']>[0];

const GROUP = 'client.authentication.k8s.io';
const VERSIONS: readonly unknown[] = [`${GROUP}/v1`, `${GROUP}/v1beta1`];
const MAX_OUTPUT_BYTES = 1_024 * 1_024;

/** `exec` of a user in a kubeconfig, as it stands there. */
export type ExecSpec = Readonly<Record<string, unknown>>;

export interface PlugIn {
  readonly spec: ExecSpec;
  /** Of the kubeconfig: a command with a slash is relative to it. */
  readonly folder: string;
  readonly cluster: Cluster;
}

/** Why there are no credentials. */
export class PlugInFailure extends Error {
  /** Completes "its credential plug-in …". */
  readonly problem: string;
  readonly hint: string;

  constructor(problem: string, hint: string) {
    super(problem);
    this.problem = problem;
    this.hint = hint;
  }
}

/** The user without the plug-in as client-node knows it, but as `plugInAuthenticator` does. */
export function withPlugIn({ exec: _, token: __, ...user }: User, plugIn: PlugIn): User {
  return { ...user, authProvider: { name: PLUG_IN, config: plugIn } };
}

/** Runs the plug-in of a user when a request needs it. `signal` ends it. */
export function plugInAuthenticator(env: Surroundings['env'], signal: AbortSignal): Authenticator {
  let running: Promise<ExecStatus> | undefined;
  return {
    isAuthProvider: (user) => user.authProvider?.name === PLUG_IN,
    applyAuthentication: async (user, options) => {
      running ??= run(user.authProvider.config as PlugIn, env, signal);
      const { token, clientCertificateData, clientKeyData } = await running;
      if (clientCertificateData !== undefined) options.cert = clientCertificateData;
      if (clientKeyData !== undefined) options.key = clientKeyData;
      if (token !== undefined) options.headers = { ...options.headers, Authorization: `Bearer ${token}` };
    },
  };
}

interface ExecStatus {
  readonly token?: string;
  readonly clientCertificateData?: string;
  readonly clientKeyData?: string;
}

async function run(
  { spec, folder, cluster }: PlugIn,
  env: Surroundings['env'],
  signal: AbortSignal,
): Promise<ExecStatus> {
  const { command, args, apiVersion, interactiveMode } = spec;
  if (typeof command !== 'string' || command === '')
    throw new PlugInFailure('has no command', 'Create the kubeconfig anew.');
  if (!VERSIONS.includes(apiVersion)) {
    throw new PlugInFailure(
      `is not of ${VERSIONS.join(' or ')}`,
      'Update the plug-in, then create the kubeconfig anew; kubectl takes no other version either.',
    );
  }
  if (interactiveMode === 'Always') {
    throw new PlugInFailure(
      'always asks questions (interactiveMode: Always)',
      'Give a kubeconfig with a token or a client certificate: nobody can answer here.',
    );
  }
  const ending = await runProgram({
    // As kubectl: a bare name is looked up in PATH.
    command: command.includes('/') && !isAbsolute(command) ? resolvePath(folder, command) : command,
    args: Array.isArray(args) ? args.map(String) : [],
    env: { ...env, ...envOf(spec), KUBERNETES_EXEC_INFO: execInfo(spec, cluster) },
    maxBytes: MAX_OUTPUT_BYTES,
    signal,
  });
  return readStatus(outputOf(ending, shownName(command)), apiVersion);
}

function outputOf(ending: Ending, name: string): string {
  switch (ending.kind) {
    case 'done':
      return ending.stdout;
    case 'not started':
      throw new PlugInFailure(
        `${name}can't be started (${ending.code})`,
        'Install it, or put its folder on PATH.',
      );
    case 'failed':
      throw new PlugInFailure(
        `${name}failed (${ending.exitCode === 'ended' ? 'it was ended' : `exit code ${ending.exitCode}`})`,
        'Run it by hand, or kubectl --kubeconfig … auth whoami: it says why. It must not ask questions here.',
      );
  }
}

function readStatus(output: string, apiVersion: unknown): ExecStatus {
  const answer = parse(output);
  if (answer?.['kind'] !== 'ExecCredential' || answer['apiVersion'] !== apiVersion) {
    throw new PlugInFailure(
      'printed something else than an ExecCredential of the version that the kubeconfig names',
      'Run it by hand; update it, or create the kubeconfig anew.',
    );
  }
  const status = (answer['status'] ?? {}) as Readonly<Record<string, unknown>>;
  const token = given(status['token']);
  const clientCertificateData = given(status['clientCertificateData']);
  const clientKeyData = given(status['clientKeyData']);
  const isPair = (clientCertificateData === undefined) === (clientKeyData === undefined);
  if (!isPair || (token === undefined && clientKeyData === undefined)) {
    throw new PlugInFailure(
      'gave neither a token nor a certificate with its key',
      'Log in with it by hand, then try again.',
    );
  }
  return {
    ...(token === undefined ? {} : { token }),
    ...(clientCertificateData === undefined ? {} : { clientCertificateData }),
    ...(clientKeyData === undefined ? {} : { clientKeyData }),
  };
}

function parse(output: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(output);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function given(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function envOf({ env }: ExecSpec): NodeJS.ProcessEnv {
  const entries = Array.isArray(env)
    ? (env as readonly { readonly name?: unknown; readonly value?: unknown }[])
    : [];
  return Object.fromEntries(
    entries.flatMap((entry) =>
      typeof entry?.name === 'string' && entry.name !== '' ? [[entry.name, String(entry.value ?? '')]] : [],
    ),
  );
}

/** What kubectl tells a plug-in. The password of a proxy is left out: the environment of a process is no place for it. */
function execInfo({ apiVersion, provideClusterInfo }: ExecSpec, cluster: Cluster): string {
  const spec = { interactive: false };
  return JSON.stringify({
    kind: 'ExecCredential',
    apiVersion,
    spec: provideClusterInfo === true ? { ...spec, cluster: clusterInfo(cluster) } : spec,
  });
}

function clusterInfo({ server, tlsServerName, skipTLSVerify, caData, caFile, proxyUrl }: Cluster): object {
  const ca = caFile === undefined ? caData : readFileSync(caFile).toString('base64');
  const proxy = proxyUrl === undefined ? null : URL.parse(proxyUrl);
  if (proxy !== null) proxy.username = proxy.password = '';
  return {
    server,
    ...(tlsServerName === undefined ? {} : { 'tls-server-name': tlsServerName }),
    ...(skipTLSVerify ? { 'insecure-skip-tls-verify': true } : {}),
    ...(ca === undefined ? {} : { 'certificate-authority-data': ca }),
    ...(proxy === null ? {} : { 'proxy-url': proxy.href }),
  };
}

/** With a space after it; nothing for what is no name. */
function shownName(command: string): string {
  const name = basename(command);
  return /^[\w.-]{1,64}$/.test(name) ? `${name} ` : '';
}
