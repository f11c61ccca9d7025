/**
 * The manifests of a command with the values of its configs: hydrated, and once more with stand-ins for all secrets.
 *
 * Invariant: the manifests are judged before a cluster is asked: what is wrong in Git needs no credentials to be said.
 */
import type { Diagnostic } from '../diagnostic.ts';
import { hydrateAll } from '../manifest/hydrate.ts';
import { type Intent, offlineIntent } from '../manifest/intent.ts';
import type { ResolvedConfig } from '../resolve/resolve-config.ts';
import type { Inputs } from './inputs.ts';
import type { Options } from './options.ts';
import { renderingOf } from './rendering.ts';

export interface Judged {
  /** With placeholders: one text for each manifest. */
  readonly output: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  /** `secret`: hydrating it will need values from clusters. */
  readonly content: 'plain' | 'secret';
}

export interface Hydration {
  readonly resolved: readonly ResolvedConfig[];
  /** One text for each manifest. */
  readonly output: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** @throws Refusal */
export function judgeInputs(inputs: Inputs): Judged {
  const intents = inputs.config.configs.map(offlineIntent);
  const content = intents.some(({ values }) => values === 'unknown') ? 'secret' : 'plain';
  return { ...hydrateWith(inputs, intents), content };
}

/** Asks the clusters. @throws Refusal with any code of `src/resolve/`, `src/trust/` and `src/manifest/` */
export async function hydrateInputs(
  inputs: Inputs,
  options: Options,
  env: NodeJS.ProcessEnv,
): Promise<Hydration> {
  const rendering = renderingOf(inputs, options);
  const { resolveConfig } = await import('../resolve/resolve-config.ts');
  const resolved = await Promise.all(
    inputs.config.configs.map((one) => resolveConfig(one, { env, ...options, rendering })),
  );
  const { output, diagnostics } = hydrateWith(
    inputs,
    resolved.map(({ intent }) => intent),
  );
  return {
    resolved,
    output,
    diagnostics: [...diagnostics, ...resolved.flatMap((one) => one.diagnostics)],
  };
}

/**
 * The same manifests with stand-ins for all secrets: nothing that has to be found again in a text, however spelled.
 * `describeCa` is what stands in the place of a CA.
 */
export function redactedOutput(
  inputs: Inputs,
  resolved: readonly ResolvedConfig[],
  describeCa: (fingerprints: readonly string[]) => string,
): readonly string[] {
  const { output } = hydrateWith(
    inputs,
    resolved.map(({ redacted: { intent } }) => intent),
  );
  const cas = resolved.flatMap(({ redacted }) => redacted.cas);
  return output.map((manifest) =>
    cas.reduce(
      (masked, { standIn, fingerprints }) => masked.replaceAll(standIn, describeCa(fingerprints)),
      manifest,
    ),
  );
}

function hydrateWith({ config, manifests }: Inputs, intents: readonly Intent[]) {
  const { output, diagnostics } = hydrateAll(manifests, intents);
  return { output, diagnostics: [...config.diagnostics, ...diagnostics] };
}
