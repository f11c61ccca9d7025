/** What the registry itself answered, as a node will ask it. */
import type { Code, Diagnostic } from '../../diagnostic.ts';
import { type Endpoint, endpointText } from '../../resolve/probe/connect-to.ts';
import { describeProbe } from '../../resolve/probe/describe-probe.ts';
import { portOf, probeRegistry } from '../../resolve/probe/probe-registry.ts';
import type { ResolvedRegistry } from '../../resolve/resolve-config.ts';
import type { Trusted } from '../../trust/chain.ts';

export type ProbeView =
  | { readonly kind: 'skipped' }
  | {
      readonly kind: 'asked';
      /** `ip:port`. */
      readonly endpoint: string;
      /** How it ended; the diagnostics have the sentence. */
      readonly code: Code;
      /** Of a chain that nodes trust. */
      readonly certificate?: {
        readonly subject: string;
        readonly fingerprint: string;
        /** ISO 8601. */
        readonly notAfter: string;
        /** Fingerprints of the certificates of the bundle that lead to it. */
        readonly signedBy: readonly string[];
      };
    };

export interface ProbeReport {
  readonly view: ProbeView;
  readonly diagnostics: readonly Diagnostic[];
}

/** @param connectTo in place of the registry's address. @throws the signal's reason, unless its time limit ran out */
export async function probeForReview(
  { trust: { host }, ca, address }: ResolvedRegistry,
  connectTo: Endpoint | undefined,
  signal: AbortSignal,
): Promise<ProbeReport> {
  const endpoint = connectTo ?? { ip: address.ip, port: portOf(host) };
  const now = new Date();
  const outcome = await probeRegistry({ host, endpoint, ca, now }, signal);
  const diagnostics = describeProbe({ host, endpoint, ca, outcome, now });
  const chain = outcome.kind === 'answered' ? { certificate: certificateOf(outcome.chain) } : {};
  return {
    view: { kind: 'asked', endpoint: endpointText(endpoint), code: diagnostics[0].code, ...chain },
    diagnostics,
  };
}

function certificateOf({ leaf, anchors }: Trusted) {
  return {
    subject: leaf.subject,
    fingerprint: leaf.fingerprint,
    notAfter: leaf.notAfter.toISOString(),
    signedBy: anchors.map(({ fingerprint }) => fingerprint),
  };
}
