/**
 * The CRDs of Cluster API and of its Talos providers. They are copies of public files beside the project, not in it:
 * where they are absent, tests that need them say so in one line and are skipped.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../../support/command.ts';
import type { RealCluster } from './kube-apiserver.ts';

const CRDS = join(ROOT, '..', 'shared', 'crds');
const CURRENT = ['cluster-api/v1.14.0', 'bootstrap-talos/v0.6.12', 'control-plane-talos/v0.5.12'] as const;

/** With the version of the examples stored: without its webhook a newer Cluster API loses the group of a `configRef`. */
export const STORED_AS_WRITTEN = ['cluster-api/v1.8.4', ...CURRENT.slice(1)];

/** Prints the reason when they are absent. */
export function haveCrds(): boolean {
  const found = existsSync(CRDS);
  if (!found) console.log('skipped what needs CRDs: they are not at ../shared/crds');
  return found;
}

/**
 * Applies them and waits until the server serves them.
 * @param versions folders of `../shared/crds`, by default the current ones
 */
export async function applyCrds(cluster: RealCluster, versions: readonly string[] = CURRENT): Promise<void> {
  const list = filesOf(versions).flatMap((file) => ['-f', file]);
  const applied = await cluster.kubectl('apply', '--server-side', ...list);
  if (applied.code !== 0) throw new Error(applied.stderr);
  const established = await cluster.kubectl('wait', '--for=condition=established', '--timeout=60s', ...list);
  if (established.code !== 0) throw new Error(established.stderr);
}

/** The plural of each kind, as the CRDs have it. */
export function pluralsByKind(): ReadonlyMap<string, string> {
  const names = filesOf(CURRENT).map((file) => parse(readFileSync(file, 'utf8')).spec.names);
  return new Map(names.map(({ kind, plural }) => [kind, plural]));
}

function filesOf(versions: readonly string[]): readonly string[] {
  return versions.flatMap((version) =>
    readdirSync(join(CRDS, version))
      .filter((name) => name.endsWith('.yaml'))
      .map((name) => join(CRDS, version, name)),
  );
}
