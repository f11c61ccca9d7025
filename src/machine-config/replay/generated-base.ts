/**
 * What a provider generates, as far as owned settings depend on it: how many documents there are, and what stands in
 * the sections that patches for them need. test/vectors/bases.json has the whole texts, and a test compares.
 */
import type { Contract } from '../contract.ts';
import { BEHAVIOUR, type Machinery } from './machinery.ts';
import { rawOfJson } from './raw.ts';
import type { Base } from './replay.ts';

/** A contract that is known; a variable stands for any. */
export type KnownContract = Exclude<Contract, { readonly kind: 'variable' }>;

/** Sections that no patch of ours reads are left out. Subnets are the usual ones: the Cluster object may have others. */
export function generatedBase(machinery: Machinery, contract: KnownContract): Base {
  const minor = contractMinor(machinery, contract);
  const network = minor >= 13 ? {} : { network: {} };
  const cluster = {
    network: { dnsDomain: 'cluster.local', podSubnets: ['10.244.0.0/16'], serviceSubnets: ['10.96.0.0/12'] },
  };
  const legacy = {
    version: 'v1alpha1',
    machine: { type: 'worker', ...network },
    ...(minor >= 14 ? { cluster: {} } : { cluster }),
  };
  const others = minor >= 12 ? [{ apiVersion: 'v1alpha1', kind: 'HostnameConfig', auto: 'stable' }] : [];
  return { origin: 'generated', documents: [legacy, ...others].map(rawOfJson) };
}

/** Older machinery treats a newer contract, and an unset one, like its own newest. */
function contractMinor(machinery: Machinery, contract: KnownContract): number {
  const newest = BEHAVIOUR[machinery].documents === 'unknown' ? 11 : Number(machinery.split('.')[1]);
  if (contract.kind === 'unset' || contract.major > 1) return newest;
  return contract.major < 1 ? 0 : Math.min(contract.minor, newest);
}
