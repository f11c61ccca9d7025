/**
 * `effective`: what Talos makes of the patches of each holder, and where it comes from. The view is the result, so it
 * goes to stdout; it has fingerprints in place of secrets.
 */
import { effectiveViews } from '../manifest/effective-view.ts';
import { offlineIntent } from '../manifest/intent.ts';
import type { Config } from '../spec/config.ts';
import { writeWhole } from '../stdio/write-output.ts';
import { effectiveText } from './effective-text.ts';
import { readInputs } from './inputs.ts';
import type { Options } from './options.ts';

export async function effective(options: Options): Promise<number> {
  const { config, manifests } = await readInputs(options, 'config-optional');
  const ours = config.configs.flatMap(ownNames);
  const views = effectiveViews(manifests, ours);
  const text =
    options.output === 'json' ? `${JSON.stringify({ holders: views }, null, 2)}\n` : effectiveText(views);
  await writeWhole(1, text);
  return 0;
}

/** Names by which an entry is known as a config's. */
export function ownNames(config: Config): readonly string[] {
  if (config.kind === 'ClusterNetwork') return ['podSubnets', 'serviceSubnets'];
  return config.kind === 'RegistryMirror' && config.auth !== undefined
    ? [config.registry, ...config.endpoints.map(({ hostKey }) => hostKey)]
    : [offlineIntent(config).subject];
}
