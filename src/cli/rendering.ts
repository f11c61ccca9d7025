/** What a command renders, as those who ask clusters for values see it. */
import { documentsOf } from '../manifest/hydrate.ts';
import type { Rendering } from '../manifest/rendered-clusters.ts';
import type { Inputs } from './inputs.ts';
import type { Options } from './options.ts';

export function renderingOf({ manifests }: Pick<Inputs, 'manifests'>, options: Options): Rendering {
  const { cluster, config, files } = options;
  const { basename, resolve } = process.getBuiltinModule('node:path');
  const named = cluster === undefined ? ['--config', config ?? 'CONFIG', ...files] : ['--cluster', cluster];
  const words = named.map((word) => shellWord(word, 'MANIFEST'));
  return {
    documents: () => manifests.flatMap(documentsOf),
    ...(cluster === undefined ? {} : { folder: basename(resolve(cluster)) }),
    pasteable: {
      arguments: words.join(' '),
      files: manifests.map(({ file }) => shellWord(file ?? '-', 'MANIFEST')),
    },
  };
}

/** A word that a shell takes as it is; standard input, and what would need quotes, is left to the reader. */
function shellWord(word: string, otherwise: string): string {
  return /^[\w./@:+=,-]{2,1000}$|^[\w.]$/.test(word) ? word : otherwise;
}
