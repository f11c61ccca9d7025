/** What the tests of this folder share. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Diagnostic, Refusal } from '../../src/diagnostic.ts';
import type { RegistryTrust } from '../../src/spec/registry-trust.ts';
import { parseRegistryHost } from '../../src/trust/registry-host.ts';
import { type Estate, REGISTRY_HOST, startEstate } from '../estate/estate.ts';

/** The config that fits the stand-in estate. */
export const TRUST: RegistryTrust = {
  host: parseRegistryHost(REGISTRY_HOST),
  ca: { kind: 'Secret', namespace: 'cert-manager', name: 'ok-shared-internal-ca', key: 'ca.crt' },
  service: { namespace: 'ok-shared', name: 'ok-shared-ingress' },
  family: 'IPv4',
  kind: 'RegistryTrust',
  insecure: 'refuse',
  patchFormat: 'auto',
  mode: 'Hydrate',
};

/** The diagnostics a call is refused with; none when it isn't. What else it throws is thrown. */
export async function refusalBy(call: () => unknown): Promise<readonly Diagnostic[]> {
  try {
    await call();
    return [];
  } catch (cause) {
    if (cause instanceof Refusal) return cause.diagnostics;
    throw cause;
  }
}

/** The same, codes only. */
export async function codesBy(call: () => unknown): Promise<readonly string[]> {
  return (await refusalBy(call)).map(({ code }) => code);
}

export interface EstateFolder {
  readonly estate: Estate;
  /** Kubeconfigs of the estate's clusters. */
  readonly ca: string;
  readonly infra: string;
  /** Writes a file of this name and gives its path. */
  write(name: string, content: string | object): string;
  stop(): Promise<void>;
}

/** A running estate and a folder with its kubeconfigs. */
export async function startEstateFolder(): Promise<EstateFolder> {
  const folder = mkdtempSync(join(tmpdir(), 'resolve-'));
  const estate = await startEstate();
  return {
    estate,
    ...estate.writeKubeconfigs(folder),
    write: (name, content) => {
      const path = join(folder, name);
      writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
      return path;
    },
    stop: async () => {
      await estate.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A kubeconfig of one context. */
export function kubeconfigOf(cluster: object, user: object) {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'only',
    contexts: [{ name: 'only', context: { cluster: 'only', user: 'only' } }],
    clusters: [{ name: 'only', cluster }],
    users: [{ name: 'only', user }],
  };
}

export function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
