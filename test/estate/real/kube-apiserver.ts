/**
 * A real kube-apiserver with its etcd, at a random port of a loopback address, ready when the promise is fulfilled: TLS,
 * RBAC, no anonymous access, and an audit log that says what a client asked. Everything about it is in one temporary
 * folder, which goes when it stops.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandResult } from '../../support/command.ts';
import { loudly } from '../../support/loudly.ts';
import { httpsGet } from '../https-get.ts';
import { realTool } from '../tools/build.ts';
import { type AuditEvent, readAuditLog } from './audit-log.ts';
import {
  type ClientCertificate,
  type ClientCertificateState,
  type ClusterKeys,
  makeClusterKeys,
} from './cluster-keys.ts';
import { kubectlOutput, runKubectl } from './kubectl.ts';
import { endOf, type ServerProcess, startServerProcess } from './server-process.ts';

/** `admin` by client certificate and `admin-token` may do everything, `powerless` is known and may do nothing. */
export type ClusterUser = 'admin' | 'admin-token' | 'powerless';
export type Credentials = { readonly token: string } | ClientCertificate;

export interface RealCluster {
  readonly name: string;
  readonly url: string;
  readonly host: string;
  /** In its certificate beside the address; no resolver knows it. */
  readonly dnsName: string;
  readonly port: number;
  readonly servingCaPem: string;
  readonly pid: number;
  readonly logFile: string;
  /** Texts that must never be seen in an output: its tokens and the lines of its private keys. */
  readonly canaries: readonly string[];
  /** Everything it was asked so far. */
  auditLog(): readonly AuditEvent[];
  /** The text of a kubeconfig. */
  kubeconfig(user: ClusterUser | Credentials): string;
  /** The path of a kubeconfig, which goes when the cluster stops. */
  kubeconfigPath(user: ClusterUser | Credentials): string;
  /** A token of a service account that exists, good for an hour. */
  createToken(namespace: string, serviceAccount: string): Promise<string>;
  /** For a user in `system:masters`. */
  clientCertificate(state: ClientCertificateState): Promise<ClientCertificate>;
  /** `kubectl apply --server-side` of YAML or JSON as `admin`; rejects when it complains. */
  apply(manifest: string): Promise<string>;
  /** As `admin`. */
  kubectl(...args: readonly string[]): Promise<CommandResult>;
  stop(): Promise<void>;
}

const READY_LIMIT_MS = 120_000;
const READY_POLL_MS = 100;

/** Rejects when it doesn't become ready, and shows the end of its log. */
export async function startKubeApiserver(options: {
  readonly host: string;
  readonly name: string;
}): Promise<RealCluster> {
  const folder = mkdtempSync(join(tmpdir(), `registry-trust-${options.name}-`));
  try {
    return await loudly(() => startIn(folder, options.host, options.name));
  } catch (cause) {
    rmSync(folder, { recursive: true, force: true });
    throw cause;
  }
}

async function startIn(folder: string, host: string, name: string): Promise<RealCluster> {
  const keys = await makeClusterKeys(folder, name, host);
  const admin = await keys.clientCertificate('valid');
  const auditFile = join(folder, 'audit.log');
  const server = await startServerProcess({
    file: realTool('kube-apiserver'),
    args: [host, ...keys.flags, ...flags(folder, auditFile)],
    // The memory limit only makes Go collect sooner.
    env: { TMPDIR: folder, HOME: folder, GOMEMLIMIT: '300MiB' },
    logFile: join(folder, 'kube-apiserver.log'),
  });
  const url = `https://${host}:${server.port}`;
  await untilReady(server, url, keys);
  const credentials: Readonly<Record<ClusterUser, Credentials>> = {
    admin,
    'admin-token': { token: keys.adminToken },
    powerless: { token: keys.powerlessToken },
  };
  const kubeconfig = (user: ClusterUser | Credentials): string =>
    kubeconfigText(url, keys.servingCaPem, typeof user === 'string' ? credentials[user] : user);
  const kubeconfigPath = (user: ClusterUser | Credentials): string => {
    const path = join(mkdtempSync(join(folder, 'kubeconfig-')), 'config');
    writeFileSync(path, kubeconfig(user), { mode: 0o600 });
    return path;
  };
  const adminPath = kubeconfigPath('admin');
  return {
    name,
    url,
    host,
    dnsName: keys.dnsName,
    port: server.port,
    servingCaPem: keys.servingCaPem,
    pid: server.pid,
    logFile: server.logFile,
    canaries: [
      keys.adminToken,
      keys.powerlessToken,
      ...[...keys.privateKeysPem, admin.keyPem].flatMap(keyLines),
    ],
    auditLog: () => readAuditLog(auditFile),
    kubeconfig,
    kubeconfigPath,
    createToken: async (namespace, serviceAccount) =>
      (await kubectlOutput(adminPath, ['create', 'token', serviceAccount, '-n', namespace])).trim(),
    clientCertificate: keys.clientCertificate,
    apply: (manifest) => kubectlOutput(adminPath, ['apply', '--server-side', '-f', '-'], manifest),
    kubectl: (...args) => runKubectl(adminPath, args),
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The lines of a PEM key that are long enough to be found in an output only when the key is there. */
export function keyLines(privateKeyPem: string): readonly string[] {
  return privateKeyPem.split('\n').filter((line) => line.length === 64);
}

function flags(folder: string, auditFile: string): readonly string[] {
  const certificates = join(folder, 'generated');
  mkdirSync(certificates);
  return [
    `--audit-log-path=${auditFile}`,
    `--cert-dir=${certificates}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    '--authorization-mode=RBAC',
    '--anonymous-auth=false',
    '--service-cluster-ip-range=10.96.0.0/16',
    // Nobody connects to it: it only stops the search for an address of this machine.
    '--advertise-address=192.0.2.1',
    '--endpoint-reconciler-type=none',
  ];
}

async function untilReady(server: ServerProcess, url: string, keys: ClusterKeys): Promise<void> {
  const deadline = Date.now() + READY_LIMIT_MS;
  for (;;) {
    const reply = await httpsGet(`${url}/readyz`, {
      ca: keys.servingCaPem,
      headers: { authorization: `Bearer ${keys.adminToken}` },
    }).catch((cause: Error) => ({ status: undefined, body: cause.message }));
    if (reply.status === 200) return;
    if (server.hasEnded() || Date.now() > deadline) {
      await server.stop();
      throw new Error(`kube-apiserver isn't ready: ${reply.body}\n${endOf(server.logFile)}`);
    }
    await sleep(READY_POLL_MS);
  }
}

function kubeconfigText(url: string, servingCaPem: string, credentials: Credentials): string {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const user =
    'token' in credentials
      ? { token: credentials.token }
      : {
          'client-certificate-data': base64(credentials.certificatePem),
          'client-key-data': base64(credentials.keyPem),
        };
  const cluster = { server: url, 'certificate-authority-data': base64(servingCaPem) };
  return JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'real',
      clusters: [{ name: 'real', cluster }],
      users: [{ name: 'real', user }],
      contexts: [{ name: 'real', context: { cluster: 'real', user: 'real' } }],
    },
    null,
    2,
  );
}
