/**
 * `check`: everything that can be judged without credentials and network, for CI and before a commit. The report is the
 * result, so it goes to stdout. With `--against` also what applying would do to objects that are there.
 */
import { type Diagnostic, error, hasErrors, Refusal } from '../diagnostic.ts';
import { documentsOf, hydrateAll, type Manifest } from '../manifest/hydrate.ts';
import { offlineIntent } from '../manifest/intent.ts';
import { intentFromLive } from '../manifest/live-values.ts';
import { rootObject } from '../manifest/objects.ts';
import { comparedCount, rolloutDiagnostics } from '../manifest/rollout.ts';
import type { Config } from '../spec/config.ts';
import { writeWhole } from '../stdio/write-output.ts';
import { readInputs, readManifest } from './inputs.ts';
import { colourOf, type Options } from './options.ts';
import { report } from './output.ts';

export async function check(options: Options, env: NodeJS.ProcessEnv): Promise<number> {
  const { against } = options;
  const { config, manifests } = await readInputs(
    options,
    against === undefined ? 'config' : 'config-optional',
  );
  const { configs } = config;
  const judged = configs.length === 0 ? undefined : hydrateAll(manifests, configs.map(offlineIntent));
  const compared = against === undefined ? undefined : compare(manifests, configs, await readLive(against));
  const diagnostics = [
    ...config.diagnostics,
    ...(judged?.diagnostics ?? []),
    ...(compared?.diagnostics ?? []),
  ];
  const [first, ...rest] = diagnostics;
  if (first !== undefined && hasErrors(diagnostics)) throw new Refusal(first, ...rest);
  return conclude(options, env, diagnostics, summary(judged?.holders, configs, compared?.count));
}

/** Of a kubectl that failed nothing is left but an empty pipe, which must not pass for a cluster without objects. */
async function readLive(path: string): Promise<readonly Manifest[]> {
  const live = await readManifest(path);
  const isObject = documentsOf(live).some((document) => (rootObject(document.parse())?.kind ?? '') !== '');
  if (isObject) return [live];
  throw new Refusal(
    error(
      'HOLDER_NOT_FOUND',
      'What --against gives holds no Kubernetes object, so there is nothing to compare with.',
      'See whether the command that wrote it failed: it gives kubectl get -o yaml, or an earlier rendering.',
      { file: live.file ?? 'standard input' },
    ),
  );
}

interface Compared {
  readonly diagnostics: readonly Diagnostic[];
  /** Objects that are there. */
  readonly count: number;
}

/** Placeholders are compared with the values that live objects have for them. */
function compare(
  manifests: readonly Manifest[],
  configs: readonly Config[],
  live: readonly Manifest[],
): Compared {
  const intents = configs.map((config) => intentFromLive(config, live, manifests));
  const { output } = hydrateAll(manifests, intents, 'warning');
  const next = manifests.map((manifest, i) => ({ ...manifest, text: output[i] ?? manifest.text }));
  return { diagnostics: rolloutDiagnostics({ next, live }), count: comparedCount({ next, live }) };
}

function summary(holders: number | undefined, configs: readonly Config[], count: number | undefined): string {
  const compared =
    count === undefined
      ? ''
      : count === 0
        ? '; none of these objects is there yet, so nothing was compared'
        : '; applying changes nothing that replaces machines or is refused';
  if (holders === undefined) {
    return count === undefined ? 'not enabled: the manifests pass unchanged' : `ok${compared}`;
  }
  const subjects = configs.map((one) => offlineIntent(one).subject).join(', ');
  return `ok: ${holders} ${holders === 1 ? 'holder' : 'holders'} for ${subjects}${compared}`;
}

async function conclude(
  options: Options,
  env: NodeJS.ProcessEnv,
  diagnostics: Parameters<typeof report>[0],
  text: string,
): Promise<number> {
  await report(diagnostics, {
    output: options.output,
    colour: colourOf(2, env),
    to: options.output === 'json' ? 1 : 2,
  });
  if (options.output === 'text') await writeWhole(1, `${text}\n`);
  return 0;
}
