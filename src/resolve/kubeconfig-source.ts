/**
 * Where the kubeconfig of a role comes from: flag, then environment variable, then (in a Pod) the service account.
 *
 * Invariant: nothing else is looked at: neither ~/.kube/config, nor KUBECONFIG, nor the other role's kubeconfig. Reading
 * the CA from whatever cluster happens to be the current one would be a wrong trust anchor on every node.
 */
import { existsSync } from 'node:fs';
import { delimiter } from 'node:path';
import { refuse } from '../diagnostic.ts';
import { ROLES, type Role } from './role.ts';

/** A cluster by role; `kubeconfig` is the flag's text: `path`, `path#context`, or a list of paths like KUBECONFIG's. */
export interface ClusterRef {
  readonly role: Role;
  readonly kubeconfig?: string;
}

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where a Pod finds its service account. Given in tests only. */
  readonly serviceAccountFolder?: string;
}

export type KubeconfigSource =
  /** At least one path. Without `context`, the current one of the files is meant. */
  | { readonly kind: 'files'; readonly paths: readonly string[]; readonly context?: string }
  | { readonly kind: 'pod'; readonly server: string; readonly folder: string };

const SERVICE_ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * A kubeconfig where its path belongs (YAML, JSON, base64 of either), as CI systems hand secrets over. Diagnostics show
 * paths, so it must not be taken for one.
 */
const LOOKS_LIKE_CONTENT = /[\r\n\0{]|\bapiVersion:|^[A-Za-z0-9+/_-]{200,}={0,2}$|^[\s\S]{4096}/;

/** @throws Refusal KUBECONFIG_NOT_SET, KUBECONFIG_NOT_FOUND */
export function findKubeconfig(ref: ClusterRef, surroundings: Surroundings): KubeconfigSource {
  const { title, flag, variable } = ROLES[ref.role];
  const text = [ref.kubeconfig, surroundings.env[variable]].find(
    (value) => value !== undefined && value !== '',
  );
  if (text !== undefined && LOOKS_LIKE_CONTENT.test(text)) {
    return refuse(
      'KUBECONFIG_NOT_FOUND',
      `${flag} or ${variable} holds something else than a path, perhaps a kubeconfig itself.`,
      'Give the path of the file, or path#context.',
    );
  }
  if (text !== undefined) return fileSource(text) ?? refuseEmpty(ref.role);
  return (
    podSource(surroundings) ??
    refuse(
      'KUBECONFIG_NOT_SET',
      `No kubeconfig is set for the ${title}.`,
      `Set ${variable} or give ${flag}: path or path#context. No other kubeconfig is used in its place.`,
    )
  );
}

/** A path may have a `#` in it when a context follows: the last one divides. Contexts may have colons (EKS). */
function fileSource(text: string): KubeconfigSource | undefined {
  const mark = text.lastIndexOf('#');
  const context = mark === -1 ? {} : { context: text.slice(mark + 1) };
  const list = mark === -1 ? text : text.slice(0, mark);
  const paths = [...new Set(list.split(delimiter).filter((path) => path !== ''))];
  return paths.length === 0 ? undefined : { kind: 'files', paths, ...context };
}

function refuseEmpty(role: Role): never {
  const { flag, variable } = ROLES[role];
  return refuse(
    'KUBECONFIG_NOT_FOUND',
    `${flag} or ${variable} names no file.`,
    'Give path or path#context.',
  );
}

/** As client-go decides it: the token and the variables that the kubelet sets. */
function podSource({
  env,
  serviceAccountFolder = SERVICE_ACCOUNT_FOLDER,
}: Surroundings): KubeconfigSource | undefined {
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  if (host === '' || !existsSync(`${serviceAccountFolder}/token`)) return undefined;
  const port = env['KUBERNETES_SERVICE_PORT'] ?? '443';
  return {
    kind: 'pod',
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    folder: serviceAccountFolder,
  };
}
