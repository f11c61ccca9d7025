/** The configurations that a manifest leads to, judged by the talosctl on PATH if there is one. */
import { type Diagnostic, error, type Location, warning } from '../../diagnostic.ts';
import type { Manifest } from '../../manifest/hydrate.ts';
import { type MachineConfigSource, machineConfigSources } from '../../manifest/machine-config-input.ts';
import { canHoldUnnamed } from '../../stdio/unnamed-file.ts';
import { findTalosctl, type Talosctl } from '../../talosctl/find-talosctl.ts';
import { type Verdict, validateHolder } from '../../talosctl/validate-holder.ts';

export type TalosctlView =
  | { readonly kind: 'skipped'; readonly reason: string }
  | { readonly kind: 'asked'; readonly version?: string; readonly holders: readonly HolderVerdict[] };

export interface HolderVerdict {
  readonly at: Location;
  readonly verdict: Verdict;
}

/** Codes: TALOSCTL_REFUSED (an error), TALOSCTL_TIMEOUT (a warning). */
export async function reviewWithTalosctl(
  manifests: readonly Manifest[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<{ readonly view: TalosctlView; readonly diagnostics: readonly Diagnostic[] }> {
  const skipped = (reason: string) => ({ view: { kind: 'skipped', reason } as const, diagnostics: [] });
  if (!canHoldUnnamed()) return skipped('there is no memory file system at /dev/shm to hand it texts');
  const talosctl = await findTalosctl(env, signal);
  if (talosctl === undefined) return skipped('talosctl is not on PATH');
  const holders: HolderVerdict[] = [];
  for (const source of machineConfigSources(manifests))
    holders.push(await verdictOf(talosctl, source, signal));
  const version = talosctl.version === undefined ? {} : { version: talosctl.version.text };
  return { view: { kind: 'asked', ...version, holders }, diagnostics: holders.flatMap(diagnose) };
}

async function verdictOf(
  talosctl: Talosctl,
  source: MachineConfigSource,
  signal: AbortSignal,
): Promise<HolderVerdict> {
  switch (source.kind) {
    case 'known':
      return { at: source.input.at, verdict: await validateHolder(talosctl, source.input, signal) };
    case 'variables':
      return {
        at: source.at,
        verdict: { kind: 'skipped', reason: 'it has variables that are expanded later' },
      };
  }
}

function diagnose({ at, verdict }: HolderVerdict): readonly Diagnostic[] {
  switch (verdict.kind) {
    case 'valid':
    case 'skipped':
      return [];
    case 'time-limit':
      return [
        warning(
          'TALOSCTL_TIMEOUT',
          'talosctl did not judge this holder within the time limit.',
          'Raise --timeout.',
          at,
        ),
      ];
    case 'refused':
      return [
        error(
          'TALOSCTL_REFUSED',
          verdict.stage === 'generate'
            ? `talosctl can’t apply the patches of this holder (exit code ${verdict.exitCode}).`
            : `talosctl calls the configuration of this holder invalid (exit code ${verdict.exitCode}).`,
          'Its words may hold values, so they aren’t shown here. Look at registry-trust effective first; then run talosctl gen config --config-patch @FILE and talosctl validate with each patch of the holder.',
          at,
        ),
      ];
  }
}
