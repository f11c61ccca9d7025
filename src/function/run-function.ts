/**
 * No arguments: the KRM function on stdin and stdout. A ResourceList is answered with a ResourceList in every case; a
 * plain stream is answered with a plain stream or nothing.
 */
import { diagnosticsOf } from '../diagnostic.ts';
import type { ResolvedTrust } from '../resolve/resolve-trust.ts';
import type { RegistryTrust } from '../spec/registry-trust.ts';
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
  try {
    const list = readResourceList(input);
    return list === undefined ? await runStream(input, ports) : await runList(list, ports);
  } catch (cause) {
    return refused(cause, looksLikeResourceList(input) ? input : '');
  }
}

async function outcomeOrRefusal(env: NodeJS.ProcessEnv): Promise<Outcome> {
  const persist = env[PERSIST_VARIABLE] === 'yes' ? 'allow' : 'refuse';
  try {
    const outcome = await functionOutcome(await readStdin(), {
      persist,
      resolve: (trust) => resolveFromClusters(trust, env),
    });
    if (outcome.content === 'hydrated' && persist === 'refuse') refuseRegularFile();
    return outcome;
  } catch (cause) {
    return refused(cause, '');
  }
}

/** Loaded only here: most runs of the function call no cluster, and client-node costs more than all the rest. */
async function resolveFromClusters(trust: RegistryTrust, env: NodeJS.ProcessEnv): Promise<ResolvedTrust> {
  const { resolveTrust } = await import('../resolve/resolve-trust.ts');
  return resolveTrust(trust, { env, timeoutMs: DEFAULT_TIMEOUT_MS });
}

function refused(cause: unknown, output: string): Outcome {
  return { output, diagnostics: diagnosticsOf(cause), status: 'refused', content: 'committed' };
}
