/** The real kubectl with one kubeconfig and nothing else of the machine that runs the tests. */
import { dirname } from 'node:path';
import { type CommandResult, run } from '../../support/command.ts';
import { realTool } from '../tools/build.ts';

/** @param kubeconfig its path; kubectl keeps its cache beside it */
export function runKubectl(
  kubeconfig: string,
  args: readonly string[],
  input?: string,
): Promise<CommandResult> {
  return run(realTool('kubectl'), args, {
    env: { KUBECONFIG: kubeconfig, HOME: dirname(kubeconfig) },
    ...(input === undefined ? {} : { input }),
  });
}

/** What it printed; rejects with what it complained about. */
export async function kubectlOutput(
  kubeconfig: string,
  args: readonly string[],
  input?: string,
): Promise<string> {
  const { code, stdout, stderr } = await runKubectl(kubeconfig, args, input);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
  return stdout;
}
