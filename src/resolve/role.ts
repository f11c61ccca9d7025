/** The clusters that values are read from. Each has its own kubeconfig; one never stands in for the other. */

export type Role = 'ca' | 'infra' | 'workload';

export interface RoleNames {
  /** As in "the CA cluster". */
  readonly title: string;
  readonly flag: string;
  readonly variable: string;
}

export const ROLES: Readonly<Record<Role, RoleNames>> = {
  ca: { title: 'CA cluster', flag: '--ca-kubeconfig', variable: 'REGISTRY_CA_KUBECONFIG' },
  infra: { title: 'infra cluster', flag: '--infra-kubeconfig', variable: 'TALOS_INFRA_KUBECONFIG' },
  workload: {
    title: 'workload cluster',
    flag: '--workload-kubeconfig',
    variable: 'TALOS_WORKLOAD_KUBECONFIG',
  },
};
