/**
 * From a config to the values that are written, and what may be said about them: fingerprints, validity, address and
 * provenance, never the CA.
 */
import { type Diagnostic, info } from '../diagnostic.ts';
import type { TrustValues } from '../machine-config/intents/trust.ts';
import type { Rendering } from '../manifest/rendered-clusters.ts';
import type { RegistryTrust } from '../spec/registry-trust.ts';
import { type Resolved, resolve } from './resolve.ts';

export interface ResolveOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Limit for all queries together, in milliseconds. */
  readonly timeoutMs: number;
  /** Flags; each wins over its environment variable. */
  readonly caKubeconfig?: string;
  readonly infraKubeconfig?: string;
  readonly workloadKubeconfig?: string;
  readonly address?: string;
  readonly dnsServers?: readonly string[];
  /** What the values are for. */
  readonly rendering?: Rendering;
}

export interface ResolvedTrust {
  readonly values: TrustValues;
  readonly resolved: Resolved;
  readonly diagnostics: readonly Diagnostic[];
}

/** @throws Refusal with any code of this room and of `src/trust/` */
export async function resolveTrust(trust: RegistryTrust, options: ResolveOptions): Promise<ResolvedTrust> {
  const resolved = await resolve({ trust, now: new Date(), ...options });
  const { ca, address, diagnostics } = resolved;
  return {
    values: { caBase64: ca.base64.reveal(), ip: address.ip },
    resolved,
    diagnostics: [...diagnostics, summary(trust, resolved)],
  };
}

function summary(trust: RegistryTrust, { ca, address, provenance }: Resolved): Diagnostic {
  const certificates = ca.certificates.map(
    ({ fingerprint, notAfter }) => `${fingerprint} until ${notAfter.toISOString().slice(0, 10)}`,
  );
  return info(
    'HYDRATED',
    `${trust.host.key} is ${address.ip} (${provenance}); its CA is ${certificates.join(', ')}.`,
    'Nothing to do.',
  );
}
