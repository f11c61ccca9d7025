import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Asked, describeFailure, describeTimeout } from '../../src/resolve/cluster-failure.ts';
import type { Kind } from '../../src/resolve/object-ref.ts';

const failure = suite('cluster failure');

const CLUSTER: Asked = {
  role: 'infra',
  server: '127.0.0.2:6443',
  at: { file: 'infra.yaml' },
  identity: 'verified',
  credentials: () => ({ kind: 'token' }),
};

function refOf(kind: Kind) {
  return { kind, namespace: 'ok-shared', name: 'ok-shared-ingress' } as const;
}

/** As client-node gives it. */
function answer(code: number, contentType = 'application/json'): Error {
  const body = '{"kind":"Status","message":"canary"}';
  return Object.assign(new Error('canary'), { code, body, headers: { 'content-type': contentType } });
}

const RULES: readonly (readonly [string, unknown, string])[] = [
  ['401', answer(401), 'CLUSTER_UNAUTHORIZED'],
  ['403', answer(403), 'CLUSTER_FORBIDDEN'],
  ['404', answer(404), 'SOURCE_NOT_FOUND'],
  ['404 as a web page', answer(404, 'text/html; charset=utf-8'), 'CLUSTER_ERROR'],
  ['403 as a web page', answer(403, 'text/html'), 'CLUSTER_ERROR'],
  ['429', answer(429), 'CLUSTER_ERROR'],
  ['500', answer(500), 'CLUSTER_ERROR'],
  ['302', answer(302), 'CLUSTER_ERROR'],
  ['not JSON', new SyntaxError('Unexpected token canary'), 'CLUSTER_ERROR'],
  [
    'network',
    new TypeError('fetch failed', { cause: Object.assign(new Error('canary'), { code: 'ECONNRESET' }) }),
    'CLUSTER_UNREACHABLE',
  ],
];

for (const [title, cause, code] of RULES) {
  failure(`${title} is ${code}`, () => {
    const found = describeFailure({ cause, cluster: CLUSTER, ref: refOf('Service'), progress: 'request' });
    assert.is(found.code, code);
    assert.equal(found.at, { apiVersion: 'v1', ...refOf('Service') });
    assert.match(found.message, 'infra cluster (127.0.0.2:6443)');
    assert.not.match(JSON.stringify(found), 'canary');
  });
}

failure('whatever fails before the connection is the kubeconfig’s', () => {
  const cause = new Error('canary from a plug-in');
  const found = describeFailure({ cause, cluster: CLUSTER, ref: refOf('Service'), progress: 'credentials' });
  assert.is(found.code, 'KUBECONFIG_INVALID');
  assert.equal(found.at, CLUSTER.at);
  assert.not.match(JSON.stringify(found), 'canary');
});

failure('a time limit says what was waited for', () => {
  const [asking, waiting] = (['credentials', 'request'] as const).map((progress) =>
    describeTimeout(CLUSTER, refOf('Service'), progress, { tries: 1, last: undefined }),
  );
  assert.is(asking?.code, 'CLUSTER_TIMEOUT');
  assert.is(waiting?.code, 'CLUSTER_TIMEOUT');
  assert.match(asking?.hint ?? '', 'plug-in');
  assert.not.match(waiting?.hint ?? '', 'plug-in');
});

failure.run();
