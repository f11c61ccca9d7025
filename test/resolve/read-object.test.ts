import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Cluster, openCluster } from '../../src/resolve/cluster.ts';
import { readObject } from '../../src/resolve/read-object.ts';
import { issue, makeCa } from '../estate/certificates.ts';
import { type Fault, startKubernetesApi } from '../estate/kubernetes-api.ts';
import { closedPort } from '../support/closed-port.ts';
import {
  base64,
  codesBy,
  type EstateFolder,
  kubeconfigOf,
  refusalBy,
  startEstateFolder,
  TRUST,
} from './support.ts';

const read = suite('read object');

const { kind, namespace, name } = TRUST.ca;
const REF = { kind, namespace, name };
const SECRET_PATH = `GET /api/v1/namespaces/${namespace}/secrets/${name}`;
const never = new AbortController().signal;

let place: EstateFolder;
read.before(async () => {
  place = await startEstateFolder();
});
read.after(() => place.stop());
read.after.each(() => {
  place.estate.caCluster.api.fault = 'none';
});

function open(kubeconfig: string): Promise<Cluster> {
  return openCluster({ role: 'ca', kubeconfig }, { env: {} }, never);
}

async function readFrom(
  kubeconfig: string,
  options: { readonly requestMs?: number; readonly signal?: AbortSignal } = {},
) {
  const { requestMs = 5_000, signal = never } = options;
  return readObject(await open(kubeconfig), REF, { requestMs, signal });
}

read('gives the object, by the one request for it', async () => {
  const { api } = place.estate.caCluster;
  const before = api.requests.length;
  const secret = await readFrom(place.ca);
  assert.equal(Object.keys(secret.data ?? {}).sort(), ['ca.crt', 'tls.crt', 'tls.key']);
  assert.equal(api.requests.slice(before), [SECRET_PATH]);
});

for (const [context, code] of [
  ['wrong-ca', 'CLUSTER_TLS'],
  ['bad-token', 'CLUSTER_UNAUTHORIZED'],
  ['powerless', 'CLUSTER_FORBIDDEN'],
] as const) {
  read(`context ${context} is ${code}`, async () => {
    const [diagnostic, ...others] = await refusalBy(() => readFrom(`${place.ca}#${context}`));
    assert.is(diagnostic?.code, code);
    assert.equal(others, []);
    assert.equal(diagnostic?.at, { apiVersion: 'v1', ...REF });
    assert.match(diagnostic?.message ?? '', 'CA cluster');
  });
}

const FAULTS: readonly (readonly [Fault, string])[] = [
  ['reset', 'CLUSTER_UNREACHABLE'],
  ['html', 'CLUSTER_ERROR'],
  [429, 'CLUSTER_ERROR'],
  [500, 'CLUSTER_ERROR'],
  [503, 'CLUSTER_ERROR'],
];

for (const [fault, code] of FAULTS) {
  read(`a server with the fault ${fault} is ${code}`, async () => {
    place.estate.caCluster.api.fault = fault;
    const diagnostics = await refusalBy(() => readFrom(place.ca));
    assert.equal(
      diagnostics.map((diagnostic) => diagnostic.code),
      [code],
    );
    assert.not.match(JSON.stringify(diagnostics), /unwell|log in</);
  });
}

read('a silent server is CLUSTER_TIMEOUT at the limit', async () => {
  place.estate.caCluster.api.fault = 'silent';
  const start = performance.now();
  assert.equal(await codesBy(() => readFrom(place.ca, { requestMs: 100 })), ['CLUSTER_TIMEOUT']);
  assert.ok(performance.now() - start < 2_000, 'it must not wait for longer');
});

read('the caller ends it with a reason of its own', async () => {
  place.estate.caCluster.api.fault = 'silent';
  const caller = new AbortController();
  setTimeout(() => caller.abort('enough'), 50);
  try {
    await readFrom(place.ca, { signal: caller.signal });
    assert.unreachable();
  } catch (reason) {
    assert.is(reason, 'enough');
  }
});

read('an object that is not there is SOURCE_NOT_FOUND', async () => {
  const cluster = await open(place.ca);
  const limits = { requestMs: 5_000, signal: never };
  const [diagnostic] = await refusalBy(() => readObject(cluster, { ...REF, name: 'gone' }, limits));
  assert.is(diagnostic?.code, 'SOURCE_NOT_FOUND');
  assert.is(diagnostic?.at?.name, 'gone');
});

read('another object than the one asked for is CLUSTER_ERROR', async () => {
  place.estate.caCluster.api.put({
    resource: 'secrets',
    namespace,
    name: 'swapped',
    body: { metadata: { namespace, name } },
  });
  const cluster = await open(place.ca);
  const limits = { requestMs: 5_000, signal: never };
  assert.equal(await codesBy(() => readObject(cluster, { ...REF, name: 'swapped' }, limits)), [
    'CLUSTER_ERROR',
  ]);
});

read('a closed port is CLUSTER_REFUSED', async () => {
  const kubeconfig = place.write(
    'closed',
    kubeconfigOf({ server: `https://127.0.0.1:${await closedPort()}` }, { token: 't' }),
  );
  assert.equal(await codesBy(() => readFrom(kubeconfig)), ['CLUSTER_REFUSED']);
});

read('a name that does not exist is CLUSTER_UNREACHABLE', async () => {
  const kubeconfig = place.write(
    'nowhere',
    kubeconfigOf({ server: 'https://api.invalid:6443' }, { token: 't' }),
  );
  assert.equal(await codesBy(() => readFrom(kubeconfig)), ['CLUSTER_UNREACHABLE']);
});

read('a certificate for another name is CLUSTER_TLS', async () => {
  const server = place.estate.caCluster.api.url.replace('127.0.0.1', 'localhost');
  const { cluster } = JSON.parse(place.estate.caCluster.kubeconfig).clusters[0];
  const kubeconfig = place.write('name', kubeconfigOf({ ...cluster, server }, { token: 't' }));
  const [diagnostic] = await refusalBy(() => readFrom(kubeconfig));
  assert.is(diagnostic?.code, 'CLUSTER_TLS');
  assert.match(diagnostic?.message ?? '', 'other names');
});

for (const [title, validity, words] of [
  ['expired', { notBefore: new Date('2020-01-01'), notAfter: new Date('2021-01-01') }, 'expired'],
  ['not yet valid', { notBefore: new Date('2100-01-01'), notAfter: new Date('2101-01-01') }, 'not valid yet'],
] as const) {
  read(`a certificate that is ${title} is CLUSTER_TLS`, async () => {
    const servingCa = await makeCa();
    const serving = await issue(servingCa, { ips: ['127.0.0.1'], ...validity });
    const api = await startKubernetesApi({
      host: '127.0.0.1',
      serving,
      objects: [],
      token: 't',
      powerlessToken: 'p',
    });
    try {
      const cluster = { server: api.url, 'certificate-authority-data': base64(servingCa.certificatePem) };
      const [diagnostic] = await refusalBy(() =>
        readFrom(place.write('time', kubeconfigOf(cluster, { token: 't' }))),
      );
      assert.is(diagnostic?.code, 'CLUSTER_TLS');
      assert.match(diagnostic?.message ?? '', words);
    } finally {
      await api.stop();
    }
  });
}

/** A port that was free a moment ago. Not a low one: fetch never connects to some of those. */
read.run();
