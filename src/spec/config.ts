/** The kinds of config: one object is one intention. */
import type { ClusterNetwork } from './cluster-network.ts';
import type { RegistryMirror } from './registry-mirror.ts';
import type { RegistryTrust } from './registry-trust.ts';

export type Config = RegistryTrust | RegistryMirror | ClusterNetwork;
