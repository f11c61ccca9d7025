import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Certificate, issue, makeCa } from './certificates.ts';
import { errorCodeOf, httpsGet } from './https-get.ts';
import { type Fault, type KubernetesApi, startKubernetesApi } from './kubernetes-api.ts';

const kubernetes = suite('kubernetes api');

const SECRET = '/api/v1/namespaces/n/secrets/s';
const BODY = { kind: 'Secret', metadata: { name: 's' } };

let ca: Certificate;
let serving: Certificate;
let api: KubernetesApi;

kubernetes.before(async () => {
  ca = await makeCa();
  serving = await issue(ca, { ips: ['127.0.0.1'] });
});
kubernetes.before.each(async () => {
  api = await startKubernetesApi({
    host: '127.0.0.1',
    serving,
    objects: [{ resource: 'secrets', namespace: 'n', name: 's', body: BODY }],
    token: 'good',
    powerlessToken: 'powerless',
  });
});
kubernetes.after.each(() => api.stop());

function ask(path: string, { token = 'good', method = 'GET' }: { token?: string; method?: string } = {}) {
  const headers = token === '' ? {} : { authorization: `Bearer ${token}` };
  return httpsGet(`${api.url}${path}`, { ca: ca.certificatePem, method, headers });
}

kubernetes('gives an object, and tells what it was asked', async () => {
  const reply = await ask(SECRET);
  assert.is(reply.status, 200);
  assert.equal(JSON.parse(reply.body), BODY);
  assert.equal(api.requests, [`GET ${SECRET}`]);
});

kubernetes('gives what was put later', async () => {
  api.put({ resource: 'configmaps', namespace: 'n', name: 'c', body: { kind: 'ConfigMap' } });
  assert.is((await ask('/api/v1/namespaces/n/configmaps/c')).status, 200);
});

/** Of a request: its answer's code, reason, message and details, as kube-apiserver 1.36 has them. */
const FAILURES: readonly (readonly [
  string,
  string,
  { readonly token?: string; readonly method?: string },
  readonly [number, string, string, object | undefined],
])[] = [
  ['no token', SECRET, { token: '' }, [401, 'Unauthorized', 'Unauthorized', undefined]],
  ['a wrong token', SECRET, { token: 'bad' }, [401, 'Unauthorized', 'Unauthorized', undefined]],
  ['a wrong token, discovery', '/api', { token: 'bad' }, [401, 'Unauthorized', 'Unauthorized', undefined]],
  [
    'a token that may not',
    SECRET,
    { token: 'powerless' },
    [
      403,
      'Forbidden',
      'secrets "s" is forbidden: User "powerless" cannot get resource "secrets" in API group "" in the namespace "n"',
      { name: 's', kind: 'secrets' },
    ],
  ],
  [
    'a token that may not, no such object',
    '/api/v1/namespaces/n/services/gone',
    { token: 'powerless', method: 'DELETE' },
    [
      403,
      'Forbidden',
      'services "gone" is forbidden: User "powerless" cannot delete resource "services" in API group "" in the namespace "n"',
      { name: 'gone', kind: 'services' },
    ],
  ],
  [
    'a token that may not, no object',
    '/metrics',
    { token: 'powerless' },
    [403, 'Forbidden', 'forbidden: User "powerless" cannot get path "/metrics"', {}],
  ],
  [
    'no such object',
    '/api/v1/namespaces/n/secrets/gone',
    {},
    [404, 'NotFound', 'secrets "gone" not found', { name: 'gone', kind: 'secrets' }],
  ],
  [
    'an object of another namespace',
    '/api/v1/namespaces/other/secrets/s',
    {},
    [404, 'NotFound', 'secrets "s" not found', { name: 's', kind: 'secrets' }],
  ],
  ...['PUT', 'PATCH', 'DELETE'].map(
    (method) =>
      [
        method,
        SECRET,
        { method },
        [
          405,
          'MethodNotAllowed',
          'the server does not allow this method on the requested resource',
          undefined,
        ],
      ] as const,
  ),
];

for (const [title, path, options, [code, reason, message, details]] of FAILURES) {
  kubernetes(`${title}: a Status of ${code}`, async () => {
    const reply = await ask(path, options);
    assert.is(reply.status, code);
    assert.is(reply.headers['content-type'], 'application/json');
    assert.equal(JSON.parse(reply.body), {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      ...(details === undefined ? {} : { details }),
      code,
    });
  });
}

kubernetes('a path of nothing: 404 without a Status', async () => {
  const reply = await ask('/api/v1/namespaces/n/secrets');
  assert.equal([reply.status, reply.headers['content-type']], [404, 'text/plain']);
});

const DISCOVERED: readonly (readonly [string, readonly string[]])[] = [
  ['/api/v1', ['Secret', 'ConfigMap', 'Service', 'Namespace*']],
  ['/apis/cluster.x-k8s.io/v1beta1', ['Cluster', 'MachineDeployment']],
  ['/apis/bootstrap.cluster.x-k8s.io/v1alpha3', ['TalosConfigTemplate', 'TalosConfig']],
  ['/apis/controlplane.cluster.x-k8s.io/v1alpha3', ['TalosControlPlane']],
];

for (const [path, kinds] of DISCOVERED) {
  kubernetes(`${path} has its kinds, also for a token that may read nothing`, async () => {
    const { body } = await ask(`${path}?timeout=32s`, { token: 'powerless' });
    const { resources } = JSON.parse(body) as {
      readonly resources: readonly { readonly kind: string; readonly namespaced: boolean }[];
    };
    assert.equal(
      resources.map(({ kind, namespaced }) => (namespaced ? kind : `${kind}*`)),
      kinds,
    );
  });
}

kubernetes('/apis lists each group once, with its version', async () => {
  const { groups } = JSON.parse((await ask('/apis')).body) as {
    readonly groups: readonly { readonly preferredVersion: { readonly groupVersion: string } }[];
  };
  assert.equal(groups.map(({ preferredVersion }) => preferredVersion.groupVersion).sort(), [
    'apps/v1',
    'bootstrap.cluster.x-k8s.io/v1alpha3',
    'cluster.x-k8s.io/v1beta1',
    'controlplane.cluster.x-k8s.io/v1alpha3',
  ]);
});

const FAULTS: readonly (readonly [Fault, number, string, string])[] = [
  ['html', 200, 'text/html', '<html>'],
  [429, 429, 'application/json', '"reason":"TooManyRequests"'],
  [500, 500, 'application/json', '"reason":"InternalError"'],
  [503, 503, 'application/json', '"reason":"ServiceUnavailable"'],
];

for (const [fault, status, type, part] of FAULTS) {
  kubernetes(`the fault ${fault}, until it is taken back`, async () => {
    api.fault = fault;
    const reply = await ask(SECRET);
    assert.equal([reply.status, reply.headers['content-type']], [status, type]);
    assert.ok(reply.body.includes(part));
    api.fault = 'none';
    assert.is((await ask(SECRET)).status, 200);
  });
}

kubernetes('the fault reset ends the connection', async () => {
  api.fault = 'reset';
  assert.is(await errorCodeOf(ask(SECRET)), 'ECONNRESET');
});

kubernetes('the fault silent never answers; to stop the server ends who waits', async () => {
  api.fault = 'silent';
  const waiting = errorCodeOf(ask(SECRET));
  while (api.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const first = await Promise.race([
    waiting,
    new Promise((resolve) => setTimeout(() => resolve('still silent'), 50)),
  ]);
  assert.is(first, 'still silent');
  await api.stop();
  assert.is(await waiting, 'ECONNRESET');
  assert.is(await errorCodeOf(ask(SECRET)), 'ECONNREFUSED');
});

kubernetes('nobody who does not trust its CA gets an answer', async () => {
  const foreign = await makeCa({ commonName: 'foreign' });
  const asked = httpsGet(api.url + SECRET, { ca: foreign.certificatePem });
  assert.is(await errorCodeOf(asked), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE');
  assert.equal(api.requests, []);
});

kubernetes.run();
