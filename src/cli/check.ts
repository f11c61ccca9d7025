/**
 * `check`: everything that can be judged without credentials and network, for CI and before a commit. The report is the
 * result, so it goes to stdout.
 */
import { hydrateAll } from '../manifest/hydrate.ts';
import { offlineIntent } from '../manifest/intent.ts';
import { writeWhole } from '../stdio/write-output.ts';
import { readInputs } from './inputs.ts';
import { type Options, stderrColour } from './options.ts';
import { report } from './output.ts';

export async function check(options: Options, env: NodeJS.ProcessEnv): Promise<number> {
  const { config, manifests } = await readInputs(options);
  if (config.kind === 'none')
    return conclude(options, env, config.diagnostics, 'not enabled: the manifests pass unchanged');
  const { diagnostics, holders } = hydrateAll(manifests, config.configs.map(offlineIntent));
  return conclude(
    options,
    env,
    diagnostics,
    `ok: ${holders} ${holders === 1 ? 'holder' : 'holders'} for ${config.configs.map((one) => offlineIntent(one).subject).join(', ')}`,
  );
}

async function conclude(
  options: Options,
  env: NodeJS.ProcessEnv,
  diagnostics: Parameters<typeof report>[0],
  summary: string,
): Promise<number> {
  await report(diagnostics, {
    output: options.output,
    colour: stderrColour(env),
    to: options.output === 'json' ? 1 : 2,
  });
  if (options.output === 'text') await writeWhole(1, `${summary}\n`);
  return 0;
}
