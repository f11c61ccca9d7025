/** What an orchestrator sends to the function for the example cluster: its committed manifests and the example config. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './command.ts';

export function functionInput(
  manifest: string = readFileSync(join(ROOT, 'examples/ok-consumer/cluster-base.yaml'), 'utf8'),
  config: string = functionConfig(),
): string {
  const documents = manifest.split(/^---\n/m).map((text) => text.replace(/^#.*\n/gm, ''));
  const items = documents.map((text) => `- ${text.trimEnd().replaceAll('\n', '\n  ')}\n`).join('');
  const indented = config.trimEnd().replaceAll('\n', '\n  ');
  return `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n${items}functionConfig:\n  ${indented}\n`;
}

/** The example config as an object of a stream. */
export function functionConfig(): string {
  return readFileSync(join(ROOT, 'function-config/registry-trust.yaml'), 'utf8').replace(/^#.*\n/gm, '');
}
