import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ClusterRef, findKubeconfig, type Surroundings } from '../../src/resolve/kubeconfig-source.ts';
import { refusalBy } from './support.ts';

const kubeconfigSource = suite('kubeconfig source');

const ENV = { REGISTRY_CA_KUBECONFIG: 'ca.yaml', TALOS_INFRA_KUBECONFIG: 'infra.yaml' };

const RULES: readonly (readonly [string, ClusterRef, Surroundings['env'], object])[] = [
  ['variable of the CA cluster', { role: 'ca' }, ENV, { kind: 'files', paths: ['ca.yaml'] }],
  ['variable of the infra cluster', { role: 'infra' }, ENV, { kind: 'files', paths: ['infra.yaml'] }],
  [
    'flag over variable',
    { role: 'ca', kubeconfig: 'flag.yaml' },
    ENV,
    { kind: 'files', paths: ['flag.yaml'] },
  ],
  ['empty flag', { role: 'ca', kubeconfig: '' }, ENV, { kind: 'files', paths: ['ca.yaml'] }],
  ['context', { role: 'ca', kubeconfig: 'a#b' }, {}, { kind: 'files', paths: ['a'], context: 'b' }],
  [
    'last # divides',
    { role: 'ca', kubeconfig: 'a#b#c' },
    {},
    { kind: 'files', paths: ['a#b'], context: 'c' },
  ],
  [
    'context of a variable',
    { role: 'ca' },
    { REGISTRY_CA_KUBECONFIG: 'a#b' },
    { kind: 'files', paths: ['a'], context: 'b' },
  ],
  [
    'empty context is one',
    { role: 'ca', kubeconfig: 'a#' },
    {},
    { kind: 'files', paths: ['a'], context: '' },
  ],
];

for (const [title, ref, env, expected] of RULES) {
  kubeconfigSource(title, () => assert.equal(findKubeconfig(ref, { env }), expected));
}

const NOT_SET: readonly (readonly [string, ClusterRef, Surroundings['env']])[] = [
  ['nothing', { role: 'ca' }, {}],
  ['empty variable', { role: 'ca' }, { REGISTRY_CA_KUBECONFIG: '' }],
  ['only the infra cluster’s', { role: 'ca' }, { TALOS_INFRA_KUBECONFIG: 'infra.yaml' }],
  ['only the CA cluster’s', { role: 'infra' }, { REGISTRY_CA_KUBECONFIG: 'ca.yaml' }],
  ['only KUBECONFIG and HOME', { role: 'infra' }, { KUBECONFIG: 'any.yaml', HOME: '/root' }],
];

for (const [title, ref, env] of NOT_SET) {
  kubeconfigSource(`not set: ${title}`, async () => {
    const [diagnostic] = await refusalBy(() => findKubeconfig(ref, { env }));
    assert.is(diagnostic?.code, 'KUBECONFIG_NOT_SET');
    const names =
      ref.role === 'ca'
        ? ['--ca-kubeconfig', 'REGISTRY_CA_KUBECONFIG']
        : ['--infra-kubeconfig', 'TALOS_INFRA_KUBECONFIG'];
    for (const name of names) assert.ok(diagnostic?.hint.includes(name), `the hint names ${name}`);
  });
}

const folder = mkdtempSync(join(tmpdir(), 'service-account-'));
writeFileSync(join(folder, 'token'), 'token');
kubeconfigSource.after(() => rmSync(folder, { recursive: true }));

const POD = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '6443' };

for (const [host, server] of [
  ['10.96.0.1', 'https://10.96.0.1:6443'],
  ['fd00::1', 'https://[fd00::1]:6443'],
] as const) {
  kubeconfigSource(`in a Pod at ${host}`, () => {
    const env = { ...POD, KUBERNETES_SERVICE_HOST: host };
    assert.equal(findKubeconfig({ role: 'ca' }, { env, serviceAccountFolder: folder }), {
      kind: 'pod',
      server,
      folder,
    });
  });
}

kubeconfigSource('in a Pod, the variable wins', () => {
  const found = findKubeconfig({ role: 'ca' }, { env: { ...POD, ...ENV }, serviceAccountFolder: folder });
  assert.equal(found, { kind: 'files', paths: ['ca.yaml'] });
});

kubeconfigSource('neither token nor variable alone makes a Pod', async () => {
  const without = await refusalBy(() =>
    findKubeconfig({ role: 'ca' }, { env: {}, serviceAccountFolder: folder }),
  );
  assert.is(without[0]?.code, 'KUBECONFIG_NOT_SET');
  const elsewhere = await refusalBy(() =>
    findKubeconfig({ role: 'ca' }, { env: POD, serviceAccountFolder: join(folder, 'none') }),
  );
  assert.is(elsewhere[0]?.code, 'KUBECONFIG_NOT_SET');
});

const KUBECONFIG = 'apiVersion: v1\nkind: Config\nusers: [{name: a, user: {token: canary}}]\n';

for (const [title, text] of [
  ['YAML', KUBECONFIG],
  ['YAML in one line', KUBECONFIG.replaceAll('\n', ' ')],
  ['JSON', JSON.stringify({ users: [{ name: 'a', user: { token: 'canary' } }] })],
  ['base64', Buffer.from(KUBECONFIG.repeat(4)).toString('base64')],
  ['a long text', 'canary/'.repeat(1000)],
] as const) {
  for (const [place, ref, env] of [
    ['flag', { role: 'ca', kubeconfig: text }, {}],
    ['variable', { role: 'ca' }, { REGISTRY_CA_KUBECONFIG: text }],
  ] as const) {
    kubeconfigSource(`a kubeconfig itself is no path and isn't shown: ${title} in the ${place}`, async () => {
      const [diagnostic] = await refusalBy(() => findKubeconfig(ref, { env }));
      assert.is(diagnostic?.code, 'KUBECONFIG_NOT_FOUND');
      assert.not.match(JSON.stringify(diagnostic), /canary/);
      assert.not.ok(JSON.stringify(diagnostic).includes(text.slice(0, 20)));
    });
  }
}

kubeconfigSource.run();
