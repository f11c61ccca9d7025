/**
 * The files of a command: a cluster's folder (`cluster-config.yaml`, `cluster-base.yaml`), or manifests with `--config`.
 */
import type { Manifest } from '../manifest/hydrate.ts';
import { type ConfigResult, NO_CONFIG, readConfig } from '../spec/config-source.ts';
import { isTerminal, readFile, readStdin } from '../stdio/read-input.ts';
import { flagConfigs } from './flag-configs.ts';
import { type Options, UsageError } from './options.ts';

export interface Inputs {
  readonly config: ConfigResult;
  readonly manifests: readonly Manifest[];
}

/** Whether a command means something without a config. */
export type Needs = 'config' | 'config-optional';

const CONFIG_FILE = 'cluster-config.yaml';
const BASE_FILE = 'cluster-base.yaml';
const STDIN = '-';

/** @throws UsageError, Refusal FILE_UNREADABLE, CONFIG_NOT_FOUND, CONFIG_*, YAML_INVALID */
export async function readInputs(options: Options, needs: Needs = 'config'): Promise<Inputs> {
  const inputs = await readFiles(options, needs);
  const flags = flagConfigs(options);
  if (flags.length === 0) return inputs;
  const { configs, diagnostics } = inputs.config;
  return { ...inputs, config: { configs: [...configs, ...flags], diagnostics } };
}

async function readFiles(options: Options, needs: Needs): Promise<Inputs> {
  const { cluster, config, against, files } = options;
  if (cluster !== undefined) {
    if (config !== undefined || files.length > 0)
      throw new UsageError('--cluster names all files; give either it or --config with files.');
    return clusterInputs(cluster);
  }
  if (config === undefined && needs === 'config' && flagConfigs(options).length === 0)
    throw new UsageError('Give --cluster NAME, or --config FILE with manifests (- for standard input).');
  const paths = files.length === 0 ? [STDIN] : files;
  if ([config, against, ...paths].filter((path) => path === STDIN).length > 1)
    throw new UsageError('Standard input can be read only once.');
  return {
    config: config === undefined ? NO_CONFIG : readConfig(await readText(config), atFile(config)),
    manifests: await Promise.all(paths.map(readManifest)),
  };
}

/** Several manifests as one stream; a lone one stays as it is, byte for byte. */
export function joinStreams(texts: readonly string[]): string {
  return texts.reduce((joined, text) => {
    const ended = joined === '' || joined.endsWith('\n') ? joined : `${joined}\n`;
    return ended === '' || /^---(?:\s|$)/.test(text) ? ended + text : `${ended}---\n${text}`;
  }, '');
}

function clusterInputs(folder: string): Inputs {
  const { join } = process.getBuiltinModule('node:path');
  const configPath = join(folder, CONFIG_FILE);
  const basePath = join(folder, BASE_FILE);
  return {
    config: readConfig(readFile(configPath), { file: configPath }),
    manifests: [{ text: readFile(basePath), file: basePath }],
  };
}

/** @throws UsageError, Refusal FILE_UNREADABLE */
export async function readManifest(path: string): Promise<Manifest> {
  return { text: await readText(path), ...atFile(path) };
}

async function readText(path: string): Promise<string> {
  if (path !== STDIN) return readFile(path);
  if (isTerminal(0)) throw new UsageError('Standard input is a terminal; pipe a manifest or name a file.');
  return readStdin();
}

function atFile(path: string): { readonly file?: string } {
  return path === STDIN ? {} : { file: path };
}
