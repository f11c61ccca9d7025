/**
 * `render`: the hydrated manifest on stdout, whole or not at all. Rules of the terminal: a regular file as stdout is
 * refused, on a terminal the CA is masked unless `--show`, and what isn't hydrated may go anywhere.
 */
import type { Diagnostic } from '../diagnostic.ts';
import { isTerminal } from '../stdio/read-input.ts';
import { refuseRegularFile, writeWhole } from '../stdio/write-output.ts';
import { hydrateInputs, judgeInputs, redactedOutput } from './hydration.ts';
import { type Inputs, joinStreams, readInputs } from './inputs.ts';
import { colourOf, type Options } from './options.ts';
import { report } from './output.ts';

export async function render(options: Options, env: NodeJS.ProcessEnv): Promise<number> {
  const inputs = await readInputs(options);
  const { output, diagnostics } = await renderInputs(inputs, options, env);
  await report(diagnostics, { output: options.output, colour: colourOf(2, env) });
  await writeWhole(1, joinStreams(output));
  return 0;
}

interface Rendered {
  readonly output: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

async function renderInputs(inputs: Inputs, options: Options, env: NodeJS.ProcessEnv): Promise<Rendered> {
  const { config, manifests } = inputs;
  if (config.configs.length === 0)
    return { output: manifests.map(({ text }) => text), diagnostics: config.diagnostics };
  const judged = judgeInputs(inputs);
  if (options.values === 'offline') return judged;
  if (judged.content === 'secret') refuseRegularFile();
  const { resolved, output, diagnostics } = await hydrateInputs(inputs, options, env);
  const isRedacted = isTerminal(1) && options.terminal === 'redact';
  const describeCa = (fingerprints: readonly string[]) =>
    `(CA ${fingerprints.join(', ')}, shown with --show)`;
  return { output: isRedacted ? redactedOutput(inputs, resolved, describeCa) : output, diagnostics };
}
