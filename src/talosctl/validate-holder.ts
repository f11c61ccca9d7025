/**
 * What talosctl says of the machine configuration that a holder's patches lead to: generated as the provider generates it,
 * with secrets of its own that nobody keeps, then validated. The mode is `cloud`: `metal` would ask for an install disk
 * that is often only in the infrastructure provider's hands.
 */
import type { KnownContract } from '../machine-config/replay/generated-base.ts';
import type { MachineConfigInput } from '../manifest/machine-config-input.ts';
import type { Talosctl } from './find-talosctl.ts';
import { runTalosctl, type TalosctlAnswer } from './run-talosctl.ts';

export type Verdict =
  | { readonly kind: 'valid' }
  /** `ended`: it was killed, or said too much. */
  | { readonly kind: 'refused'; readonly stage: Stage; readonly exitCode: number | 'ended' }
  | { readonly kind: 'skipped'; readonly reason: string }
  | { readonly kind: 'time-limit' };

/** Which of the two steps refused. */
export type Stage = 'generate' | 'validate';

/** Never rejects. */
export async function validateHolder(
  talosctl: Talosctl,
  input: MachineConfigInput,
  signal: AbortSignal,
): Promise<Verdict> {
  const tooOld = newerThan(talosctl, input);
  if (tooOld !== undefined) return { kind: 'skipped', reason: tooOld };
  const generated = await generate(talosctl, input, signal);
  if (generated.kind !== 'done') return refusal('generate', generated);
  const validated = await runTalosctl({
    path: talosctl.path,
    args: ['validate', '--mode', 'cloud', '--config', '=0'],
    texts: [generated.stdout],
    signal,
  });
  return validated.kind === 'done' ? { kind: 'valid' } : refusal('validate', validated);
}

function generate(
  { path }: Talosctl,
  { base, role, patches }: MachineConfigInput,
  signal: AbortSignal,
): Promise<TalosctlAnswer> {
  const patchArgs = (flag: string, first: number): readonly string[] =>
    patches.flatMap((_, i) => [flag, `@${first + i}`]);
  switch (base.kind) {
    case 'own': {
      const args = ['machineconfig', 'patch', '=0', ...patchArgs('--patch', 1)];
      return runTalosctl({ path, args, texts: [base.text, ...patches], signal });
    }
    case 'generated': {
      const args = [
        ...['gen', 'config', 'review', 'https://192.0.2.1:6443'],
        ...['--output-types', role, '--output', '-', '--with-docs=false', '--with-examples=false'],
        ...versionArgs(base.contract),
        ...patchArgs('--config-patch', 0),
      ];
      return runTalosctl({ path, args, texts: patches, signal });
    }
  }
}

function versionArgs(contract: KnownContract): readonly string[] {
  return contract.kind === 'unset' ? [] : ['--talos-version', `v${contract.major}.${contract.minor}`];
}

/** talosctl generates no configuration of a contract that is newer than itself. */
function newerThan({ version }: Talosctl, { base }: MachineConfigInput): string | undefined {
  if (version === undefined || base.kind === 'own' || base.contract.kind === 'unset') return undefined;
  const { major, minor } = base.contract;
  const isNewer = major > version.major || (major === version.major && minor > version.minor);
  return isNewer ? `talosctl ${version.text} is older than the holder’s talosVersion` : undefined;
}

function refusal(stage: Stage, answer: Exclude<TalosctlAnswer, { readonly kind: 'done' }>): Verdict {
  switch (answer.kind) {
    case 'time limit':
      return { kind: 'time-limit' };
    case 'no memory':
      return { kind: 'skipped', reason: '/dev/shm takes no file to hand it over by' };
    case 'not started':
      return { kind: 'skipped', reason: `talosctl can’t be started (${answer.code})` };
    case 'failed':
      return { kind: 'refused', stage, exitCode: answer.exitCode };
  }
}
