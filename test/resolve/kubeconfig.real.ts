/**
 * Every form of kubeconfig before a real API server: whose credentials arrive there, by its own audit log, or with which
 * code the built command refuses. `PRINT_TABLE=1` prints how each run ended.
 */
import { dirname } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { resolve } from '../../src/resolve/resolve.ts';
import { ACCEPTED, REFUSED } from './kubeconfig-cases.ts';
import { foreignJwt, type KubeconfigMaker, kubeconfigMaker } from './kubeconfig-maker.ts';
import { type Ending, type RealPlace, startRealPlace } from './real-place.ts';
import { refusalBy, TRUST } from './support.ts';

const kubeconfig = suite('kubeconfigs before a real API server');

let place: RealPlace;
let maker: KubeconfigMaker;

kubeconfig.before(async () => {
  place = await startRealPlace();
  maker = await kubeconfigMaker(place);
});
kubeconfig.after(() => place?.stop());

for (const [title, make, user, codes = 'HYDRATED'] of ACCEPTED) {
  kubeconfig(`accepted: ${title}`, async () => {
    const path = await make(maker);
    const before = place.cluster.auditLog().length;
    const ending = await render(title, path);
    assert.is(ending.codes, codes, ending.stderr);
    assert.is(ending.ca, place.registryCa.certificatePem);
    assert.equal(askedSince(before), [`${user} get ok-shared-internal-ca 200`]);
  });
}

for (const [title, make, codes, says] of REFUSED) {
  kubeconfig(`refused: ${title}`, async () => {
    const { codes: shown, stderr } = await render(title, await make(maker));
    assert.is(shown, codes, stderr);
    assert.match(stderr, says);
  });
}

kubeconfig('in a Pod: its own service account, as soon as it may', async () => {
  const { cluster, registryCa } = place;
  await cluster.kubectl('create', 'serviceaccount', 'renderer', '-n', 'cert-manager');
  const mounted = await cluster.createToken('cert-manager', 'renderer');
  const [forbidden] = await refusalBy(() => resolveInPod(mounted));
  assert.is(forbidden?.code, 'CLUSTER_FORBIDDEN');
  // That the command works as it is pasted is what access-hint.real.ts proves.
  assert.match(forbidden?.hint ?? '', / --serviceaccount=cert-manager:renderer /);
  const bind = ['create', 'rolebinding', 'renderer', '-n', 'cert-manager', '--clusterrole=view-ca'];
  const grant = ['create', 'clusterrole', 'view-ca', '--verb=get', '--resource=secrets'];
  for (const command of [grant, [...bind, '--serviceaccount=cert-manager:renderer']])
    assert.is((await cluster.kubectl(...command)).code, 0);
  const before = cluster.auditLog().length;
  const { ca, diagnostics } = await resolveInPod(`${mounted}\n`);
  assert.equal([ca.pem.reveal(), diagnostics], [registryCa.certificatePem, []]);
  assert.equal(
    cluster
      .auditLog()
      .slice(before)
      .map(({ user, code }) => `${user} ${code}`),
    ['system:serviceaccount:cert-manager:renderer 200'],
  );
});

kubeconfig('in a Pod: a token that the cluster no longer takes', async () => {
  const [diagnostic] = await refusalBy(() => resolveInPod(foreignJwt(new Date(0))));
  assert.is(diagnostic?.code, 'CLUSTER_UNAUTHORIZED');
  assert.match(diagnostic?.message ?? '', 'the token expired on 1970-01-01T00:00:00Z');
});

kubeconfig.run();

/** The address is given: only the CA cluster is asked. */
function render(title: string, path: string): Promise<Ending> {
  return place.render({
    title,
    env: { REGISTRY_CA_KUBECONFIG: path },
    args: ['--address', '10.0.0.1'],
  });
}

function askedSince(count: number): readonly string[] {
  return place.cluster
    .auditLog()
    .slice(count)
    .map(({ user, verb, name, code }) => `${user} ${verb} ${name} ${code}`);
}

/** As in a Pod: what the kubelet sets and mounts. The mount has a fixed place, so this is no run of the command. */
function resolveInPod(serviceAccountToken: string, host = place.cluster.host) {
  place.write('pod/ca.crt', place.cluster.servingCaPem);
  const serviceAccountFolder = dirname(place.write('pod/token', serviceAccountToken));
  const env = {
    KUBERNETES_SERVICE_HOST: host,
    KUBERNETES_SERVICE_PORT: `${place.cluster.port}`,
    REGISTRY_ADDRESS: '10.0.0.1',
  };
  return resolve({ trust: TRUST, env, serviceAccountFolder, timeoutMs: 30_000, now: new Date() });
}
