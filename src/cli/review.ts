/**
 * `review`: everything that a person wants to see before applying, with nothing applied: each registry and what it is
 * resolved to, the patch of each manifest, what Talos makes of it, what talosctl says, and with `--diff` how it differs
 * from what is live.
 *
 * The report is the result, so it goes to stdout; it has fingerprints in place of CAs and stand-ins in place of
 * credentials, on a terminal and elsewhere.
 */
import { type Diagnostic, hasErrors } from '../diagnostic.ts';
import { effectiveViews } from '../manifest/effective-view.ts';
import { startLimit } from '../resolve/limit.ts';
import { type Endpoint, parseConnectTo } from '../resolve/probe/connect-to.ts';
import type { ResolvedRegistry } from '../resolve/resolve-config.ts';
import { writeWhole } from '../stdio/write-output.ts';
import { ownNames } from './effective.ts';
import { hydrateInputs, judgeInputs, redactedOutput } from './hydration.ts';
import { type Inputs, readInputs } from './inputs.ts';
import { colourOf, type Options } from './options.ts';
import { report } from './output.ts';
import { reviewLive } from './review/live-view.ts';
import { patchView } from './review/patch-view.ts';
import { probeForReview } from './review/probe-view.ts';
import { type RegistryView, registryView } from './review/registry-view.ts';
import { type Review, reviewText } from './review/review-text.ts';
import { reviewWithTalosctl } from './review/talosctl-view.ts';

export async function review(options: Options, env: NodeJS.ProcessEnv): Promise<number> {
  const connectTo = options.connectTo === undefined ? undefined : parseConnectTo(options.connectTo);
  const inputs = await readInputs(options);
  const { configs, diagnostics } = inputs.config;
  if (configs.length === 0) {
    const diff = options.live === 'ignore' ? {} : { diff: [] };
    return conclude({ ...NOTHING, ...diff, diagnostics }, options, env);
  }
  judgeInputs(inputs);
  const limit = startLimit(options.timeoutMs);
  try {
    const found = await reviewInputs({ inputs, options, env, connectTo, signal: limit.signal });
    return await conclude(found, options, env);
  } finally {
    limit.end();
  }
}

/** Not enabled: the manifests pass as they are. */
const NOTHING: Omit<Review, 'diagnostics'> = {
  registries: [],
  patches: [],
  effective: [],
  talosctl: { kind: 'skipped', reason: 'nothing is enabled' },
};

async function reviewInputs(args: {
  readonly inputs: Inputs;
  readonly options: Options;
  readonly env: NodeJS.ProcessEnv;
  readonly connectTo: Endpoint | undefined;
  readonly signal: AbortSignal;
}): Promise<Review> {
  const { inputs, options, env, connectTo, signal } = args;
  const { resolved, output, diagnostics } = await hydrateInputs(inputs, options, env);
  const redacted = redactedOutput(inputs, resolved, describeCa);
  const hydrated = inputs.manifests.map((manifest, i) => ({ ...manifest, text: output[i] ?? manifest.text }));
  const found = resolved.flatMap(({ registry }) => registry ?? []);
  // None shall wait for another: each has what is left of the time.
  const [registries, talosctl, live] = await Promise.all([
    Promise.all(found.map((registry) => reviewRegistry(registry, options, connectTo, signal))),
    reviewWithTalosctl(hydrated, env, signal),
    options.live === 'ignore'
      ? undefined
      : reviewLive({ committed: inputs.manifests, hydrated, options: { env, ...options }, signal }),
  ]);
  const isNew = (one: Diagnostic): boolean =>
    !diagnostics.some(({ code, message }) => code === one.code && message === one.message);
  return {
    registries: registries.map(({ view }) => view),
    patches: inputs.manifests.map((committed, i) =>
      patchView({
        committed,
        hydrated: output[i] ?? committed.text,
        redacted: redacted[i] ?? committed.text,
      }),
    ),
    effective: effectiveViews(hydrated, inputs.config.configs.flatMap(ownNames)),
    talosctl: talosctl.view,
    ...(live === undefined ? {} : { diff: live.views }),
    diagnostics: [
      ...diagnostics,
      ...registries.flatMap((registry) => registry.diagnostics),
      ...talosctl.diagnostics,
      ...(live?.diagnostics ?? []).filter(isNew),
    ],
  };
}

async function reviewRegistry(
  registry: ResolvedRegistry,
  { probe }: Options,
  connectTo: Endpoint | undefined,
  signal: AbortSignal,
): Promise<{ readonly view: RegistryView; readonly diagnostics: readonly Diagnostic[] }> {
  if (probe === 'skip') return { view: registryView(registry, { kind: 'skipped' }), diagnostics: [] };
  const { view, diagnostics } = await probeForReview(registry, connectTo, signal);
  return { view: registryView(registry, view), diagnostics };
}

function describeCa(fingerprints: readonly string[]): string {
  return `(CA ${fingerprints.join(', ')})`;
}

async function conclude(found: Review, options: Options, env: NodeJS.ProcessEnv): Promise<number> {
  if (options.output === 'json') {
    await writeWhole(1, `${JSON.stringify(found, null, 2)}\n`);
  } else {
    await report(found.diagnostics, { output: 'text', colour: colourOf(2, env) });
    await writeWhole(1, reviewText(found, colourOf(1, env)));
  }
  if (hasErrors(found.diagnostics)) return 1;
  return (found.diff ?? []).every(({ state }) => state === 'same') ? 0 : 2;
}
