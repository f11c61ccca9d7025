/**
 * What nodes need of a registry, from the places where it is kept: the CA from its cluster, the address from the
 * operator, DNS or the infra cluster.
 *
 * Invariants: both are looked for at the same time and both failures are reported; when this returns or throws, nothing
 * that it started is left (sockets, queries, timers, credential plug-ins).
 */
import { type Diagnostic, Refusal } from '../diagnostic.ts';
import type { Rendering } from '../manifest/rendered-clusters.ts';
import type { RegistryTrust } from '../spec/registry-trust.ts';
import type { Address } from '../trust/address.ts';
import type { CaBundle } from '../trust/ca-bundle.ts';
import { type Provenance, type ResolvedAddress, resolveAddress } from './address-source.ts';
import { type ResolvedCa, resolveCa } from './ca-source.ts';
import { type Cluster, openCluster } from './cluster.ts';
import { guardSelfReference } from './guard-self-reference.ts';
import type { ClusterRef, Surroundings } from './kubeconfig-source.ts';
import { startLimit } from './limit.ts';
import type { Limits } from './read-object.ts';
import { refusalOf, withWarnings } from './refusals.ts';
import type { RetryPolicy } from './retry.ts';

export interface ResolveArgs extends Surroundings {
  readonly trust: RegistryTrust;
  /** Flags: `path` or `path#context`. Each wins over its environment variable. */
  readonly caKubeconfig?: string;
  readonly infraKubeconfig?: string;
  readonly workloadKubeconfig?: string;
  /** What the values are for: without it no cluster is known to be the CA's own. */
  readonly rendering?: Rendering;
  /** Flag: the address itself. It wins over REGISTRY_ADDRESS. */
  readonly address?: string;
  /** `ip` or `ip:port`; default the system's resolvers. */
  readonly dnsServers?: readonly string[];
  /** For everything together. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly now: Date;
  /** Given in tests only. */
  readonly retry?: RetryPolicy;
}

export interface Resolved {
  readonly ca: CaBundle;
  readonly address: Address;
  readonly provenance: Provenance;
  /** Warnings and infos. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Parts of the whole limit: a silent resolver leaves time for the Service, and a slow failure of a cluster for a second try. */
const DNS_SHARE = 1 / 4;
const REQUEST_SHARE = 1 / 2;

/**
 * @throws Refusal any code of this folder, of `parseCaBundle` and of `parseAddress`
 * @throws the signal's reason when the caller aborts it
 */
export async function resolve(args: ResolveArgs): Promise<Resolved> {
  const { timeoutMs, signal } = args;
  const run = new AbortController();
  const limit = startLimit(
    timeoutMs,
    signal === undefined ? run.signal : AbortSignal.any([run.signal, signal]),
  );
  try {
    const opening = openCluster(clusterRef('ca', args.caKubeconfig), args, limit.signal);
    const [opened, ca, address] = await Promise.allSettled([
      opening,
      opening.then((cluster) => findCa(args, cluster, limit.signal)),
      findAddress(args, limit.signal),
    ]);
    signal?.throwIfAborted();
    const selfReference = await guardSelfReference({ ...args, opened, ca });
    if (ca.status === 'rejected' || address.status === 'rejected')
      throw combined([ca, address], selfReference);
    return {
      ca: ca.value.bundle,
      address: address.value.address,
      provenance: address.value.provenance,
      diagnostics: [...ca.value.diagnostics, ...address.value.diagnostics, ...selfReference],
    };
  } finally {
    run.abort();
    limit.end();
  }
}

async function findCa(args: ResolveArgs, cluster: Cluster, signal: AbortSignal): Promise<ResolvedCa> {
  const { trust, now } = args;
  const limits = limitsOf(args, signal);
  const { bundle, diagnostics } = await withWarnings(cluster.diagnostics, () =>
    resolveCa({ ca: trust.ca, cluster, limits, now }),
  );
  return { bundle, diagnostics: [...cluster.diagnostics, ...diagnostics] };
}

function findAddress(args: ResolveArgs, signal: AbortSignal): Promise<ResolvedAddress> {
  const { trust, env, dnsServers, timeoutMs } = args;
  const override = [args.address, env['REGISTRY_ADDRESS']].find((text) => text !== undefined && text !== '');
  return resolveAddress({
    trust,
    ...(override === undefined ? {} : { override }),
    ...(dnsServers === undefined ? {} : { dnsServers }),
    openInfra: () => openCluster(clusterRef('infra', args.infraKubeconfig), args, signal),
    limits: { dnsMs: timeoutMs * DNS_SHARE, ...limitsOf(args, signal) },
  });
}

function limitsOf({ timeoutMs, retry }: ResolveArgs, signal: AbortSignal): Limits {
  return { requestMs: timeoutMs * REQUEST_SHARE, signal, ...(retry === undefined ? {} : { retry }) };
}

function clusterRef(role: ClusterRef['role'], kubeconfig: string | undefined): ClusterRef {
  return kubeconfig === undefined ? { role } : { role, kubeconfig };
}

type Side = PromiseSettledResult<{ readonly diagnostics: readonly Diagnostic[] }>;

/** One refusal of all that was found, a common reason first; whatever else was thrown is a fault of ours. */
function combined(sides: readonly Side[], more: readonly Diagnostic[]): unknown {
  const found = more.filter(isError);
  for (const side of sides) {
    if (side.status === 'fulfilled') found.push(...side.value.diagnostics);
    else if (side.reason instanceof Refusal) found.push(...side.reason.diagnostics);
    else return side.reason;
  }
  return refusalOf([...found, ...more.filter((diagnostic) => !isError(diagnostic))]);
}

function isError({ severity }: Diagnostic): boolean {
  return severity === 'error';
}
