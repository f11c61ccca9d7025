/**
 * The registry asked as a node will ask it: TLS to the address in the host's name, our CA bundle alone trusted,
 * GET /v2/. Nothing is sent over a connection that a node would not trust.
 */
import type { CaBundle } from '../../trust/ca-bundle.ts';
import { type ChainRefused, judgeChain, type Trusted } from '../../trust/chain.ts';
import type { RegistryHost } from '../../trust/registry-host.ts';
import { type Answer, askRegistry } from './ask-registry.ts';
import type { Endpoint } from './connect-to.ts';
import type { ConnectionFailure } from './connection-failure.ts';
import { openTls } from './tls-connection.ts';

export type ProbeOutcome =
  | { readonly kind: 'not-connected'; readonly failure: ConnectionFailure }
  | { readonly kind: 'not-trusted'; readonly verdict: ChainRefused }
  | { readonly kind: 'answered'; readonly chain: Trusted; readonly answer: Answer };

export interface ProbeArgs {
  readonly host: RegistryHost;
  /** Where to connect: the registry's address and port, or what stands in for them. */
  readonly endpoint: Endpoint;
  readonly ca: CaBundle;
  readonly now: Date;
}

/** The port at which nodes ask a registry. */
export function portOf(host: RegistryHost): number {
  return host.port ?? 443;
}

/** What a failure is called is in `describe-probe.ts`. @throws the signal's reason, unless its time limit ran out */
export async function probeRegistry(
  { host, endpoint, ca, now }: ProbeArgs,
  signal: AbortSignal,
): Promise<ProbeOutcome> {
  const connection = await openTls(endpoint, host.name, signal);
  if (connection.kind === 'not-connected') return connection;
  const { socket, served } = connection;
  const chain = judgeChain({ served, ca, host, now });
  if (chain.kind !== 'trusted') {
    socket.destroy();
    return { kind: 'not-trusted', verdict: chain };
  }
  return { kind: 'answered', chain, answer: await askRegistry(host, socket, signal) };
}
