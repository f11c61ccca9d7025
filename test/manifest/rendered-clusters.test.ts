/** Which clusters a manifest is of, where their API servers are going to be, and which of them a config is for. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { documentsOf } from '../../src/manifest/hydrate.ts';
import { renderedClusters } from '../../src/manifest/rendered-clusters.ts';
import type { Targets } from '../../src/spec/registry-trust.ts';

const rendered = suite('rendered clusters');

function clustersIn(documents: readonly string[], targets?: Targets, folder?: string): readonly string[] {
  const rendering = { documents: () => documentsOf({ text: documents.join('---\n') }) };
  return renderedClusters({ ...rendering, ...(folder === undefined ? {} : { folder }) }, targets).map(
    ({ namespace = '-', name, endpoints }) => [`${namespace}/${name}`, ...endpoints].join(' '),
  );
}

const object = (apiVersion: string, kind: string, metadata: string, spec = '{}'): string =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: ${metadata}\nspec: ${spec}\n`;
const cluster = (metadata: string, spec?: string): string =>
  object('cluster.x-k8s.io/v1beta1', 'Cluster', metadata, spec);
const proxmox = (metadata: string, spec?: string): string =>
  object('infrastructure.cluster.x-k8s.io/v1alpha1', 'ProxmoxCluster', metadata, spec);
const endpoint = (host: string, port = '6443'): string =>
  `{controlPlaneEndpoint: {host: "${host}", port: ${port}}}`;

const CASES: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['a Cluster', [cluster('{name: a, namespace: n}')], ['n/a']],
  ['its endpoint', [cluster('{name: a}', endpoint('API.a.internal.'))], ['-/a api.a.internal:6443']],
  ['an endpoint of IPv6', [cluster('{name: a}', endpoint('2001:DB8::0:1'))], ['-/a [2001:db8::1]:6443']],
  ['an endpoint that is to be filled', [cluster('{name: a}', endpoint('', '0'))], ['-/a']],
  ['an endpoint without port', [cluster('{name: a}', endpoint('10.0.0.1', '0'))], ['-/a 10.0.0.1:6443']],
  [
    'the port of the API server where the endpoint has none',
    [cluster('{name: a}', '{clusterNetwork: {apiServerPort: 443}, controlPlaneEndpoint: {host: 10.0.0.1}}')],
    ['-/a 10.0.0.1:443'],
  ],
  ['an endpoint that is a variable', [cluster('{name: a}', endpoint(`\${VIP}`))], ['-/a']],
  [
    'the endpoint of the infrastructure, by reference',
    [
      proxmox('{name: infra-1, namespace: n}', endpoint('10.0.0.1')),
      cluster('{name: a, namespace: n}', '{infrastructureRef: {kind: ProxmoxCluster, name: infra-1}}'),
    ],
    ['n/a 10.0.0.1:6443'],
  ],
  [
    'by label',
    [proxmox('{name: infra-1, labels: {cluster.x-k8s.io/cluster-name: a}}', endpoint('10.0.0.1'))],
    ['-/a 10.0.0.1:6443'],
  ],
  ['by its own name', [proxmox('{name: a}', endpoint('10.0.0.1'))], ['-/a 10.0.0.1:6443']],
  [
    'a reference in another namespace is none',
    [
      proxmox('{name: a, namespace: m}', endpoint('10.0.0.1')),
      cluster('{name: b, namespace: n}', '{infrastructureRef: {kind: ProxmoxCluster, name: a}}'),
      holder(),
    ],
    ['m/a 10.0.0.1:6443', 'n/b'],
  ],
  [
    'clusterName of machines',
    [object('cluster.x-k8s.io/v1beta1', 'MachineDeployment', '{name: workers}', '{clusterName: a}')],
    ['-/a'],
  ],
  [
    'a namespace that only one object has',
    [
      object('cluster.x-k8s.io/v1beta1', 'MachineDeployment', '{name: workers}', '{clusterName: a}'),
      cluster('{name: a, namespace: n}', endpoint('10.0.0.1')),
    ],
    ['n/a 10.0.0.1:6443'],
  ],
  [
    'in a List',
    [`apiVersion: v1\nkind: List\nitems:\n- ${cluster('{name: a}').trimEnd().replaceAll('\n', '\n  ')}\n`],
    ['-/a'],
  ],
  [
    'in JSON',
    [JSON.stringify({ apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'Cluster', metadata: { name: 'a' } })],
    ['-/a'],
  ],
  ['a name that is a variable', [cluster(`{name: "\${NAME}"}`)], []],
  [
    'another kind of Cluster',
    [object('postgresql.cnpg.io/v1', 'Cluster', '{name: a}', endpoint('10.0.0.1'))],
    [],
  ],
  ['clusterName of another API', [object('example.com/v1', 'Thing', '{name: x}', '{clusterName: a}')], []],
  ['a document that is no YAML', ['Cluster: [\n', cluster('{name: a}')], ['-/a']],
  [
    'the same name in two namespaces',
    [cluster('{name: a, namespace: m}'), cluster('{name: a, namespace: n}'), holder()],
    ['m/a', 'n/a'],
  ],
];

for (const [title, documents, expected] of CASES)
  rendered(title, () => assert.equal(clustersIn(documents), expected));

rendered('the folder names the cluster when no object does', () => {
  assert.equal(clustersIn([holder()], undefined, 'a'), ['-/a']);
  assert.equal(clustersIn([cluster('{name: b}')], undefined, 'a'), ['-/b']);
  assert.equal(clustersIn([holder()], undefined, 'Not a name'), []);
});

/** Two clusters: `a` with a control plane, `b` with workers, and one template that both use. */
const TWO = [
  cluster('{name: a}', '{controlPlaneRef: {kind: TalosControlPlane, name: a-cp}}'),
  object(
    'controlplane.cluster.x-k8s.io/v1alpha3',
    'TalosControlPlane',
    '{name: a-cp}',
    '{controlPlaneConfig: {controlplane: {generateType: controlplane}}}',
  ),
  cluster('{name: b}'),
  deployment('b', 'b-workers'),
  holder('b-workers'),
  deployment('a', 'shared'),
  deployment('b', 'shared'),
  holder('shared'),
  holder('labelled', ', labels: {cluster.x-k8s.io/cluster-name: b}'),
  holder('nobody'),
];

const TARGETED: readonly (readonly [string, Targets | undefined, readonly string[]])[] = [
  ['all', undefined, ['-/a', '-/b']],
  ['a control plane', { names: ['a-cp'] }, ['-/a']],
  ['workers', { names: ['b-workers'] }, ['-/b']],
  ['what both use', { names: ['shared'] }, ['-/a', '-/b']],
  ['a holder with a label', { names: ['labelled'] }, ['-/b']],
  ['a holder that nothing refers to may be of any', { names: ['nobody'] }, ['-/a', '-/b']],
];

for (const [title, targets, expected] of TARGETED)
  rendered(`targets: ${title}`, () => assert.equal(clustersIn(TWO, targets), expected));

rendered('documents that name no cluster are not parsed', () => {
  const parsed: number[] = [];
  const documents = [holder(), 'kind: ConfigMap\n', cluster('{name: a}')].map((text, i) => {
    const [document] = documentsOf({ text });
    assert.ok(document);
    return {
      text,
      parse: () => {
        parsed.push(i);
        return document.parse();
      },
    };
  });
  renderedClusters({ documents: () => documents }, undefined);
  assert.equal(parsed, [2]);
});

rendered.run();

function holder(name = 'template', more = ''): string {
  return object(
    'bootstrap.cluster.x-k8s.io/v1alpha3',
    'TalosConfigTemplate',
    `{name: ${name}${more}}`,
    '{template: {spec: {generateType: worker}}}',
  );
}

function deployment(clusterName: string, template: string): string {
  return object(
    'cluster.x-k8s.io/v1beta1',
    'MachineDeployment',
    `{name: ${clusterName}-${template}}`,
    `{clusterName: ${clusterName}, template: {spec: {bootstrap: {configRef: {kind: TalosConfigTemplate, name: ${template}}}}}}`,
  );
}
