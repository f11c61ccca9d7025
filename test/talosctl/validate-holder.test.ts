/** What talosctl is asked, and what is made of its answers: on a stand-in that reads files as the real one does. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { MachineConfigInput } from '../../src/manifest/machine-config-input.ts';
import { findTalosctl } from '../../src/talosctl/find-talosctl.ts';
import { type Verdict, validateHolder } from '../../src/talosctl/validate-holder.ts';
import { installTalosctl, type TalosctlStandIn, TRAPS } from '../estate/talosctl.ts';

const validate = suite('validate holder');

let folder: string;
let standIn: TalosctlStandIn;
let env: NodeJS.ProcessEnv;
const signal = new AbortController().signal;

validate.before(() => {
  folder = mkdtempSync(join(tmpdir(), 'registry-trust-talosctl-'));
  standIn = installTalosctl(folder);
  env = { PATH: `relative:/nonexistent:${standIn.folder}` };
});

validate.after(() => rmSync(folder, { recursive: true, force: true }));

const INPUT: MachineConfigInput = {
  at: { kind: 'TalosControlPlane', name: 'cp' },
  role: 'controlplane',
  base: { kind: 'generated', contract: { kind: 'version', major: 1, minor: 9 } },
  patches: ['[{"op":"add","path":"/machine/registries","value":{}}]', 'machine: {}\n'],
};

async function verdictOn(input: Partial<MachineConfigInput>, version?: string): Promise<Verdict> {
  const found = await findTalosctl(env, signal);
  assert.ok(found !== undefined);
  const talosctl = version === undefined ? found : { path: found.path };
  return validateHolder(talosctl, { ...INPUT, ...input }, signal);
}

validate('talosctl is found on PATH with its version, and only in absolute folders', async () => {
  const found = await findTalosctl(env, signal);
  assert.equal(found, {
    path: join(standIn.folder, 'talosctl'),
    version: { major: 1, minor: 13, text: 'v1.13.9' },
  });
  assert.is(await findTalosctl({}, signal), undefined);
  assert.is(await findTalosctl({ PATH: 'bin:.' }, signal), undefined);
});

validate('a configuration is generated with all patches in their order, then validated', async () => {
  assert.equal(await verdictOn({}), { kind: 'valid' });
  const [generated, validated] = standIn.calls().slice(-2);
  assert.equal(generated?.files, INPUT.patches);
  assert.equal(generated?.args.slice(0, 3), ['gen', 'config', 'review']);
  assert.ok(generated?.args.join(' ').includes('--output-types controlplane --output - '));
  assert.ok(generated?.args.join(' ').includes('--talos-version v1.9 --config-patch @/proc/self/fd/3'));
  assert.is(validated?.args.join(' '), 'validate --mode cloud --config /proc/self/fd/3');
});

validate('without a contract talosctl chooses its own', async () => {
  await verdictOn({ base: { kind: 'generated', contract: { kind: 'unset' } }, role: 'worker' });
  const [generated] = standIn.calls().slice(-2);
  assert.not(generated?.args.includes('--talos-version'));
  assert.ok(generated?.args.includes('worker'));
});

validate('an own configuration is patched instead of generated; more than ten patches are fine', async () => {
  const patches = Array.from({ length: 12 }, (_, i) => `machine: {sysctls: {n: "${i}"}}`);
  assert.equal(await verdictOn({ base: { kind: 'own', text: 'machine: {}\n' }, patches }), { kind: 'valid' });
  const [patched] = standIn.calls().slice(-2);
  assert.equal(patched?.args.slice(0, 3), ['machineconfig', 'patch', '/proc/self/fd/3']);
  assert.equal(patched?.files, ['machine: {}\n', ...patches]);
});

validate('nothing of a patch is in the arguments or the environment, nor anything of ours', async () => {
  process.env['CANARY'] = 'canary';
  await verdictOn({ patches: ['secret: canary\n'] });
  delete process.env['CANARY'];
  for (const { args, env: seen } of standIn.calls().slice(-2)) {
    assert.not.match(args.join(' '), /canary/);
    assert.equal(Object.keys(seen).sort(), ['HOME', 'PATH']);
  }
});

const REFUSED: readonly (readonly [keyof typeof TRAPS, Verdict])[] = [
  ['generate', { kind: 'refused', stage: 'generate', exitCode: 1 }],
  ['validate', { kind: 'refused', stage: 'validate', exitCode: 1 }],
];

for (const [trap, verdict] of REFUSED) {
  validate(`a refusal of ${trap} says at which step`, async () => {
    assert.equal(await verdictOn({ patches: [`machine: {note: ${TRAPS[trap]}}`] }), verdict);
  });
}

validate('a contract newer than talosctl is not judged; without a version it is tried', async () => {
  const newer = { base: { kind: 'generated', contract: { kind: 'version', major: 1, minor: 14 } } } as const;
  assert.is((await verdictOn(newer)).kind, 'skipped');
  assert.is((await verdictOn(newer, 'unknown')).kind, 'valid');
});

validate('a talosctl that hangs ends with the signal', async () => {
  const controller = new AbortController();
  const path = join(standIn.folder, 'talosctl');
  const verdict = validateHolder({ path }, { ...INPUT, patches: [TRAPS.hang] }, controller.signal);
  const started = standIn.calls().length;
  while (standIn.calls().length === started) await new Promise((resolve) => setTimeout(resolve, 10));
  controller.abort();
  assert.equal(await verdict, { kind: 'time-limit' });
});

validate('a talosctl that can’t be started judges nothing', async () => {
  const verdict = await validateHolder({ path: '/nonexistent/talosctl' }, INPUT, signal);
  assert.equal(verdict, { kind: 'skipped', reason: 'talosctl can’t be started (ENOENT)' });
});

validate.run();
