/**
 * One kubeconfig or several, merged as kubectl merges those in KUBECONFIG: of entries with the same name, and of current
 * contexts, the first file's counts.
 *
 * Invariant: every file is there. kubectl passes over those that are missing; here the next file's entry of that name, or
 * its current context, would be another cluster, and its CA a wrong trust anchor on every node.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Cluster, Context, KubeConfig, User } from '@kubernetes/client-node';
import { refuse } from '../diagnostic.ts';
import { ROLES, type Role } from './role.ts';

type ClientNode = typeof import('./client-node.ts');

export interface MergedKubeconfig {
  readonly currentContext: string | undefined;
  /** Names of complete contexts. */
  readonly contextNames: readonly string[];
  context(name: string): Found<Context>;
  cluster(name: string): Found<Cluster>;
  user(name: string): Found<MergedUser>;
}

export interface MergedUser {
  readonly user: User;
  /** Absolute. client-node doesn't know the field. */
  readonly tokenFile?: string;
  /** Of the file that has it. */
  readonly folder: string;
}

export type Found<T> =
  | { readonly kind: 'found'; readonly value: T }
  /** `duplicate`: in one file, twice; which is meant nobody can say. */
  | { readonly kind: 'missing' | 'incomplete' | 'duplicate' };

/**
 * @returns the index of the first file that is no kubeconfig
 * @throws Refusal KUBECONFIG_NOT_FOUND for a file that can't be read
 */
export function readKubeconfigs(
  client: ClientNode,
  role: Role,
  paths: readonly string[],
): MergedKubeconfig | { readonly notOne: string } {
  const files: KubeconfigFile[] = [];
  for (const path of paths) {
    const file = parse(client, readText(role, path), path);
    if (file === undefined) return { notOne: path };
    files.push(file);
  }
  return {
    currentContext: files.map(({ raw }) => raw['current-context']).find(isName),
    contextNames: [...new Set(files.flatMap(({ config }) => config.contexts.map(({ name }) => name)))],
    context: (name) => find(files, 'contexts', name, ({ config }) => config.getContextObject(name)),
    cluster: (name) => find(files, 'clusters', name, ({ config }) => config.getCluster(name)),
    user: (name) => find(files, 'users', name, (file) => userOf(file, name)),
  };
}

type Section = 'contexts' | 'clusters' | 'users';

interface RawEntry {
  readonly name?: unknown;
  readonly user?: { readonly tokenFile?: unknown } | null;
}

type Raw = Readonly<Partial<Record<string, unknown>>>;

interface KubeconfigFile {
  readonly config: KubeConfig;
  readonly raw: Raw;
  readonly folder: string;
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
      `Correct the path in ${flag} or ${variable}; a part after # is the name of a context. Of a list, every file must be there.`,
      { file: path },
    );
  }
}

/** The cause is dropped: it quotes the file. */
function parse(client: ClientNode, text: string, path: string): KubeconfigFile | undefined {
  const config = new client.KubeConfig();
  const folder = dirname(path);
  try {
    config.loadFromString(text, { onInvalidEntry: 'filter' });
    config.makePathsAbsolute(folder);
    const raw: unknown = client.loadYaml(text);
    return isMapping(raw) && SECTIONS.some((section) => entriesOf(raw, section).length > 0)
      ? { config, raw, folder }
      : undefined;
  } catch {
    return undefined;
  }
}

const SECTIONS: readonly Section[] = ['contexts', 'clusters', 'users'];

function find<T>(
  files: readonly KubeconfigFile[],
  section: Section,
  name: string,
  read: (file: KubeconfigFile) => T | null,
): Found<T> {
  const count = ({ raw }: KubeconfigFile) =>
    entriesOf(raw, section).filter((one) => one?.name === name).length;
  const owner = files.find((file) => count(file) > 0);
  if (owner === undefined) return { kind: 'missing' };
  if (count(owner) > 1) return { kind: 'duplicate' };
  const value = read(owner);
  return value === null ? { kind: 'incomplete' } : { kind: 'found', value };
}

function userOf({ config, raw, folder }: KubeconfigFile, name: string): MergedUser | null {
  const user = config.getUser(name);
  const tokenFile = entriesOf(raw, 'users').find((one) => one?.name === name)?.user?.tokenFile;
  if (user === null) return null;
  return { user, folder, ...(isName(tokenFile) ? { tokenFile: resolve(folder, tokenFile) } : {}) };
}

function entriesOf(raw: Raw, section: Section): readonly (RawEntry | null)[] {
  const entries = raw[section];
  return Array.isArray(entries) ? entries : [];
}

function isMapping(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
