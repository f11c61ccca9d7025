/**
 * `render`: the hydrated manifest on stdout, whole or not at all. Rules of the terminal: a regular file as stdout is
 * refused, on a terminal the CA is masked unless `--show`, and what isn't hydrated may go anywhere.
 */
import type { Diagnostic } from '../diagnostic.ts';
import { hydrateAll } from '../manifest/hydrate.ts';
import { type Intent, offlineIntent } from '../manifest/intent.ts';
import type { ResolvedConfig } from '../resolve/resolve-config.ts';
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
  if (config.configs.length === 0)
    return { text: joinStreams(manifests.map(({ text }) => text)), diagnostics: config.diagnostics };
  const offline = config.configs.map(offlineIntent);
  const judged = hydrateInputs(inputs, offline);
  if (options.values === 'offline') return judged;
  if (offline.some(({ values }) => values === 'unknown')) refuseRegularFile();
  const { resolveConfig } = await import('../resolve/resolve-config.ts');
  const resolved = await Promise.all(config.configs.map((one) => resolveConfig(one, { env, ...options })));
  const hydrated = hydrateInputs(
    inputs,
    resolved.map(({ intent }) => intent),
  );
  const isRedacted = isTerminal(1) && options.terminal === 'redact';
  return {
    text: isRedacted ? redacted(inputs, resolved) : hydrated.text,
    diagnostics: [...hydrated.diagnostics, ...resolved.flatMap(({ diagnostics }) => diagnostics)],
  };
}

/** The same manifest with stand-ins for all secrets: nothing that has to be found again in a text, however spelled. */
function redacted(inputs: Inputs, resolved: readonly ResolvedConfig[]): string {
  const { text } = hydrateInputs(
    inputs,
    resolved.map(({ redacted: { intent } }) => intent),
  );
  return resolved
    .flatMap(({ redacted: { shown } }) => shown)
    .reduce((output, { standIn, text: shown }) => output.replaceAll(standIn, shown), text);
}

function hydrateInputs(
  { config, manifests }: Inputs,
  intents: readonly Intent[],
): { readonly text: string; readonly diagnostics: readonly Diagnostic[] } {
  const { output, diagnostics } = hydrateAll(manifests, intents);
  return { text: joinStreams(output), diagnostics: [...config.diagnostics, ...diagnostics] };
}
