/**
 * `render`: the hydrated manifest on stdout, whole or not at all. Rules of the terminal: a regular file as stdout is
 * refused, on a terminal the CA is masked unless `--show`, and what isn't hydrated may go anywhere.
 */
import type { Diagnostic } from '../diagnostic.ts';
import type { TrustValues } from '../machine-config/form.ts';
import { hydrateAll } from '../manifest/hydrate.ts';
import { intentOf, type TrustIntent } from '../manifest/intent.ts';
import { isTerminal } from '../stdio/read-input.ts';
import { refuseRegularFile, writeWhole } from '../stdio/write-output.ts';
import { type Inputs, joinStreams, readInputs } from './inputs.ts';
import { type Options, stderrColour } from './options.ts';
import { report } from './output.ts';

export async function render(options: Options, env: NodeJS.ProcessEnv): Promise<number> {
  const inputs = await readInputs(options);
  const { text, diagnostics } = await renderInputs(inputs, options, env);
  await report(diagnostics, { output: options.output, colour: stderrColour(env) });
  await writeWhole(1, text);
  return 0;
}

async function renderInputs(inputs: Inputs, options: Options, env: NodeJS.ProcessEnv) {
  const { config, manifests } = inputs;
  if (config.kind === 'none')
    return { text: joinStreams(manifests.map(({ text }) => text)), diagnostics: config.diagnostics };
  const judged = hydrateInputs(inputs, intentOf(config.trust, 'unknown'));
  if (options.values === 'offline') return judged;
  refuseRegularFile();
  const { resolveTrust } = await import('../resolve/resolve-trust.ts');
  const resolved = await resolveTrust(config.trust, { env, ...options });
  const shown =
    isTerminal(1) && options.terminal === 'redact'
      ? masked(resolved.values, resolved.fingerprints)
      : resolved.values;
  const hydrated = hydrateInputs(inputs, intentOf(config.trust, shown));
  return { text: hydrated.text, diagnostics: [...hydrated.diagnostics, ...resolved.diagnostics] };
}

function hydrateInputs(
  { manifests }: Inputs,
  intent: TrustIntent,
): { readonly text: string; readonly diagnostics: readonly Diagnostic[] } {
  const { output, diagnostics } = hydrateAll(manifests, [intent]);
  return { text: joinStreams(output), diagnostics };
}

function masked(values: TrustValues, fingerprints: readonly string[]): TrustValues {
  return { ip: values.ip, caBase64: `(CA ${fingerprints.join(', ')}: shown with --show)` };
}
