/**
 * What the function needs from outside and what it gives back, so that its logic is tested without processes, clusters
 * or clocks.
 */
import { type Diagnostic, warning } from '../diagnostic.ts';
import type { Rendering } from '../manifest/rendered-clusters.ts';
import type { ResolvedConfig } from '../resolve/resolve-config.ts';
import type { Config } from '../spec/config.ts';

export interface Ports {
  /** The values of a config, for what is rendered. @throws Refusal with any code of `src/resolve/` */
  resolve(config: Config, rendering: Rendering): Promise<ResolvedConfig>;
  /** Whether hydrated output may be written to disk: only by the explicit word of the operator. */
  readonly persist: 'refuse' | 'allow';
}

export interface Outcome {
  /** What goes to stdout, whole. */
  readonly output: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly status: 'done' | 'refused';
  /** Whether the output holds values that were read from a cluster. */
  readonly content: 'hydrated' | 'committed';
}

/** The environment variable by which an operator allows hydrated output to reach a disk. */
export const PERSIST_VARIABLE = 'REGISTRY_TRUST_ALLOW_PERSIST';

export function persistDiagnostics(ports: Ports): readonly Diagnostic[] {
  if (ports.persist === 'refuse') return [];
  return [
    warning(
      'PERSIST_ALLOWED',
      `${PERSIST_VARIABLE}=yes: the CA and the address may be written to disk by whatever reads this output.`,
      'Unset it, and pipe the output to kubectl apply --server-side.',
    ),
  ];
}
