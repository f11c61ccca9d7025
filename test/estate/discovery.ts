/** Discovery documents of the stand-in API server: the kinds that a bootstrap manifest of ours has. */

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope?: 'cluster';
}

const KINDS: readonly Kind[] = [
  { group: '', version: 'v1', kind: 'Secret', plural: 'secrets' },
  { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps' },
  { group: '', version: 'v1', kind: 'Service', plural: 'services' },
  { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', scope: 'cluster' },
  { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments' },
  { group: 'cluster.x-k8s.io', version: 'v1beta1', kind: 'Cluster', plural: 'clusters' },
  { group: 'cluster.x-k8s.io', version: 'v1beta1', kind: 'MachineDeployment', plural: 'machinedeployments' },
  {
    group: 'bootstrap.cluster.x-k8s.io',
    version: 'v1alpha3',
    kind: 'TalosConfigTemplate',
    plural: 'talosconfigtemplates',
  },
  { group: 'bootstrap.cluster.x-k8s.io', version: 'v1alpha3', kind: 'TalosConfig', plural: 'talosconfigs' },
  {
    group: 'controlplane.cluster.x-k8s.io',
    version: 'v1alpha3',
    kind: 'TalosControlPlane',
    plural: 'taloscontrolplanes',
  },
];

const GROUP_VERSIONS = [
  ...new Set(KINDS.filter(({ group }) => group !== '').map(({ group, version }) => `${group}/${version}`)),
];

/** Path → body. */
export const DISCOVERY: Readonly<Record<string, unknown>> = {
  '/version': { major: '1', minor: '36', gitVersion: 'v1.36.3' },
  '/api': { kind: 'APIVersions', versions: ['v1'] },
  '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: GROUP_VERSIONS.map(groupOf) },
  '/api/v1': resourceList('', 'v1', 'v1'),
  ...Object.fromEntries(
    GROUP_VERSIONS.map((groupVersion) => {
      const [group = '', version = ''] = groupVersion.split('/');
      return [`/apis/${groupVersion}`, resourceList(group, version, groupVersion)];
    }),
  ),
};

function groupOf(groupVersion: string) {
  const [name, version] = groupVersion.split('/');
  return { name, versions: [{ groupVersion, version }], preferredVersion: { groupVersion, version } };
}

function resourceList(group: string, version: string, groupVersion: string) {
  const resources = KINDS.filter((kind) => kind.group === group && kind.version === version).map(
    ({ kind, plural, scope }) => ({
      name: plural,
      singularName: kind.toLowerCase(),
      namespaced: scope !== 'cluster',
      kind,
      verbs: ['create', 'get', 'list', 'patch'],
    }),
  );
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources };
}
