import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import * as client from '../../src/resolve/client-node.ts';
import { loadKubeconfig } from '../../src/resolve/kubeconfig.ts';
import { refusalBy } from './support.ts';

const kubeconfig = suite('kubeconfig');

const folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
const path = join(folder, 'config');
kubeconfig.after(() => rmSync(folder, { recursive: true }));

const CANARY = 'canary-token';

const WHOLE = {
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'one',
  contexts: [
    { name: 'one', context: { cluster: 'a', user: 'alice' } },
    { name: 'two', context: { cluster: 'b', user: 'bob' } },
    { name: 'lost', context: { cluster: 'gone', user: 'alice' } },
    { name: 'nobody', context: { cluster: 'a' } },
    { name: 'stranger', context: { cluster: 'a', user: 'gone' } },
    { name: 'plain', context: { cluster: 'plain', user: 'alice' } },
    { name: 'odd', context: { cluster: 'odd', user: 'alice' } },
  ],
  clusters: [
    { name: 'a', cluster: { server: 'https://a.example:6443', 'certificate-authority': 'ca.crt' } },
    { name: 'b', cluster: { server: 'https://b.example' } },
    { name: 'plain', cluster: { server: 'http://a.example' } },
    { name: 'odd', cluster: { server: 'a.example:6443' } },
    { name: 'incomplete', cluster: {} },
  ],
  users: [
    { name: 'alice', user: { token: CANARY } },
    { name: 'bob', user: { token: CANARY, tokenFile: 'token' } },
  ],
};

function load(content: object | string, context?: string) {
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  const source = { kind: 'files', paths: [path], ...(context === undefined ? {} : { context }) } as const;
  return loadKubeconfig(client, 'ca', source, {});
}

for (const [title, context, server, user] of [
  ['the current context', undefined, 'https://a.example:6443', 'alice'],
  ['a named context', 'two', 'https://b.example', 'bob'],
] as const) {
  kubeconfig(title, () => {
    const access = load(WHOLE, context);
    assert.equal([access.cluster.server, access.user.name], [server, user]);
  });
}

for (const [title, namespace, found] of [
  ['of the context', 'team', 'team'],
  ['default where the context has none', undefined, 'default'],
  ['default where it is empty', '', 'default'],
] as const) {
  kubeconfig(`namespace: ${title}`, () => {
    const [one, ...others] = WHOLE.contexts;
    const context = { ...one?.context, ...(namespace === undefined ? {} : { namespace }) };
    const access = load({ ...WHOLE, contexts: [{ name: 'one', context }, ...others] });
    assert.is(access.namespace, found);
  });
}

kubeconfig('namespace in a Pod: POD_NAMESPACE, else that of the service account, as kubectl has it', () => {
  const pod = mkdtempSync(join(folder, 'pod-'));
  const source = { kind: 'pod', server: 'https://10.0.0.1:443', folder: pod } as const;
  const inPod = (env: Readonly<Record<string, string>>) =>
    loadKubeconfig(client, 'infra', source, env).namespace;
  assert.is(inPod({}), 'default');
  writeFileSync(join(pod, 'namespace'), 'team\n');
  assert.is(inPod({}), 'team');
  assert.is(inPod({ POD_NAMESPACE: 'other' }), 'other');
});

kubeconfig('paths are relative to the file', () => {
  assert.is(load(WHOLE).cluster.caFile, join(folder, 'ca.crt'));
  const { user } = load(WHOLE, 'two');
  assert.equal(user.authProvider, { name: 'tokenFile', config: { tokenFile: join(folder, 'token') } });
});

kubeconfig('tokenFile wins over token', () => {
  assert.is(load(WHOLE, 'two').user.token, undefined);
  assert.is(load(WHOLE, 'one').user.token, CANARY);
});

kubeconfig('an empty entry among the users is passed over', () => {
  const config = load({ ...WHOLE, users: [null, ...WHOLE.users] }, 'two');
  assert.is(config.user.authProvider?.name, 'tokenFile');
});

kubeconfig('in a Pod: the service account', () => {
  const config = loadKubeconfig(
    client,
    'infra',
    {
      kind: 'pod',
      server: 'https://10.96.0.1:443',
      folder: '/sa',
    },
    {},
  );
  assert.is(config.cluster.server, 'https://10.96.0.1:443');
  assert.is(config.cluster.caFile, '/sa/ca.crt');
  assert.is(config.cluster.skipTLSVerify, false);
  assert.equal(config.user.authProvider.config, { tokenFile: '/sa/token' });
});

const REFUSED: readonly (readonly [string, object | string, string | undefined, string])[] = [
  ['not YAML', `: ${CANARY}: {`, undefined, 'KUBECONFIG_INVALID'],
  ['a text', CANARY, undefined, 'KUBECONFIG_INVALID'],
  ['empty', '', undefined, 'KUBECONFIG_INVALID'],
  ['a list', [], undefined, 'KUBECONFIG_INVALID'],
  ['no clusters', { ...WHOLE, clusters: [] }, undefined, 'KUBECONFIG_INVALID'],
  ['cluster of the context is not there', WHOLE, 'lost', 'KUBECONFIG_INVALID'],
  ['context without user', WHOLE, 'nobody', 'KUBECONFIG_INVALID'],
  ['user of the context is not there', WHOLE, 'stranger', 'KUBECONFIG_INVALID'],
  ['server without TLS', WHOLE, 'plain', 'KUBECONFIG_INVALID'],
  ['server that is no URL', WHOLE, 'odd', 'KUBECONFIG_INVALID'],
  ['unknown context', WHOLE, 'three', 'KUBECONFIG_CONTEXT'],
  ['empty context', WHOLE, '', 'KUBECONFIG_CONTEXT'],
  ['no current-context', { ...WHOLE, 'current-context': undefined }, undefined, 'KUBECONFIG_CONTEXT'],
  ['empty current-context', { ...WHOLE, 'current-context': '' }, undefined, 'KUBECONFIG_CONTEXT'],
  [
    'current-context that is not there',
    { ...WHOLE, 'current-context': 'gone' },
    undefined,
    'KUBECONFIG_CONTEXT',
  ],
  ['no contexts', { ...WHOLE, contexts: undefined }, undefined, 'KUBECONFIG_CONTEXT'],
];

for (const [title, content, context, code] of REFUSED) {
  kubeconfig(`refused: ${title}`, async () => {
    const diagnostics = await refusalBy(() => load(content, context));
    assert.equal(
      diagnostics.map((diagnostic) => diagnostic.code),
      [code],
    );
    assert.equal(diagnostics[0]?.at, { file: path });
    assert.not.match(JSON.stringify(diagnostics), CANARY);
  });
}

kubeconfig('the hint lists the contexts', async () => {
  const [diagnostic] = await refusalBy(() => load(WHOLE, 'three'));
  for (const name of ['one', 'two', 'lost']) assert.ok(diagnostic?.hint.includes(name));
});

for (const [title, missing] of [
  ['file', 'none'],
  ['folder', ''],
] as const) {
  kubeconfig(`a ${title} that can't be read`, async () => {
    const source = { kind: 'files', paths: [join(folder, missing)] } as const;
    const [diagnostic] = await refusalBy(() => loadKubeconfig(client, 'infra', source, {}));
    assert.is(diagnostic?.code, 'KUBECONFIG_NOT_FOUND');
    assert.ok(diagnostic?.hint.includes('--infra-kubeconfig'));
  });
}

kubeconfig.run();
