/**
 * No arguments: the KRM function on stdin and stdout. A ResourceList is answered with a ResourceList in every case; a
 * plain stream is answered with a plain stream or nothing.
 */
import { diagnosticsOf } from '../diagnostic.ts';
import type { Rendering } from '../manifest/rendered-clusters.ts';
import type { ResolvedConfig } from '../resolve/resolve-config.ts';
import type { Config } from '../spec/config.ts';
import { isTerminal, readStdin } from '../stdio/read-input.ts';
import { reportText } from '../stdio/report.ts';
import { refuseRegularFile, writeWhole } from '../stdio/write-output.ts';
import { type Outcome, PERSIST_VARIABLE, type Ports } from './ports.ts';
import { looksLikeResourceList, readResourceList } from './resource-list.ts';
import { runList } from './run-list.ts';
import { runStream } from './run-stream.ts';

const DEFAULT_TIMEOUT_MS = 30_000;

/** Runs the function and gives the process's exit code: 0 done, 1 refused, 64 when nothing is piped in. */
export async function runFunction(env: NodeJS.ProcessEnv): Promise<number> {
  if (isTerminal(0)) {
    await writeWhole(
      2,
      'registry-trust: pipe a ResourceList or YAML documents in, or see registry-trust --help\n',
    );
    return 64;
  }
  const outcome = await outcomeOrRefusal(env);
  await writeWhole(2, reportText(outcome.diagnostics, 'plain'));
  await writeWhole(1, outcome.output);
  return outcome.status === 'done' ? 0 : 1;
}

/**
 * The function without its process: text in, text out. What was sent as a ResourceList is echoed when it is refused;
 * a plain stream has no place for results and gives nothing.
 */
export async function functionOutcome(input: string, ports: Ports): Promise<Outcome> {
  let echo = looksLikeResourceList(input) ? input : '';
  try {
    const list = readResourceList(input);
    if (list !== undefined) return await runList(list, ports);
    echo = '';
    return await runStream(input, ports);
  } catch (cause) {
    return refused(cause, echo);
  }
}

async function outcomeOrRefusal(env: NodeJS.ProcessEnv): Promise<Outcome> {
  const persist = env[PERSIST_VARIABLE] === 'yes' ? 'allow' : 'refuse';
  try {
    const outcome = await functionOutcome(await readStdin(), {
      persist,
      resolve: (config, rendering) => resolveFromClusters(config, rendering, env),
    });
    if (outcome.content === 'hydrated' && persist === 'refuse') refuseRegularFile();
    return outcome;
  } catch (cause) {
    return refused(cause, '');
  }
}

/** Loaded only here: most runs of the function call no cluster, and client-node costs more than all the rest. */
async function resolveFromClusters(
  config: Config,
  rendering: Rendering,
  env: NodeJS.ProcessEnv,
): Promise<ResolvedConfig> {
  const { resolveConfig } = await import('../resolve/resolve-config.ts');
  return resolveConfig(config, { env, timeoutMs: DEFAULT_TIMEOUT_MS, rendering });
}

function refused(cause: unknown, output: string): Outcome {
  return { output, diagnostics: diagnosticsOf(cause), status: 'refused', content: 'committed' };
}
