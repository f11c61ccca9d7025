/**
 * Everything is silent at once: both clusters, at each place of the conversation, and DNS. The command ends by itself
 * within its --timeout and names what it waited for. No time is measured: the runner's own limit, far beyond, would kill
 * what hangs. `PRINT_TABLE=1` prints how each run ended.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { issue, makeCa } from '../estate/certificates.ts';
import { startConnectProxy } from '../estate/connect-proxy.ts';
import { REGISTRY_HOST } from '../estate/estate.ts';
import type { HttpPlace, TlsPlace } from '../estate/fault-places.ts';
import { type Fault, type FaultProxy, startFaultProxy } from '../estate/fault-proxy.ts';
import { type RealPlace, startRealPlace } from './real-place.ts';
import { base64, kubeconfigOf } from './support.ts';

const silence = suite('everything is silent');

const TIMEOUT_SECONDS = 3;
const CA = /^error CLUSTER_TIMEOUT .*CA cluster \(127\.0\.0\.1:\d+\).* within the time limit/m;
const INFRA = /^error CLUSTER_TIMEOUT .*infra cluster \(127\.0\.0\.1:\d+\).* within the time limit/m;
const DNS =
  /^warning DNS_FAILED: The DNS query for registry\.ok-shared\.internal failed \(time(?:out| limit)\)/m;

let place: RealPlace;
/** The part of a kubeconfig that doesn't depend on the proxy. */
let user: object;

silence.before(async () => {
  place = await startRealPlace();
  [{ user }] = JSON.parse(place.cluster.kubeconfig('admin-token')).users;
  place.dns.answer(REGISTRY_HOST, 'silence');
});
silence.after(() => place?.stop());

type Stall =
  | { readonly kind: 'tls'; readonly place: TlsPlace }
  | { readonly kind: 'http'; readonly place: HttpPlace };

const STALLS: readonly (readonly [title: string, stall: Stall])[] = [
  ['from the first byte on', { kind: 'tls', place: 'start' }],
  ['in the handshake', { kind: 'tls', place: 'server-certificate' }],
  ['when it was asked', { kind: 'http', place: 'before-answer' }],
  ['in the middle of the answer', { kind: 'http', place: 'body-middle' }],
];

for (const [title, stall] of STALLS) {
  silence(`DNS, and both clusters ${title}`, async () => {
    const path = await behind(stall);
    const { codes, stderr } = await run(title, {
      REGISTRY_CA_KUBECONFIG: path.ca,
      TALOS_INFRA_KUBECONFIG: path.infra,
    });
    await path.stop();
    assert.is(codes, 'CLUSTER_TIMEOUT CLUSTER_TIMEOUT DNS_FAILED', stderr);
    for (const named of [CA, INFRA, DNS]) assert.match(stderr, named);
  });
}

silence('DNS, the proxy before the CA cluster, and the plug-in for the infra cluster', async () => {
  const { cluster, write } = place;
  const proxy = await startConnectProxy({ whim: 'silent' });
  const part = { server: cluster.url, 'certificate-authority-data': base64(cluster.servingCaPem) };
  const proxied = { ...part, 'proxy-url': `http://127.0.0.1:${proxy.port}` };
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: process.execPath,
    args: ['-e', 'setInterval(() => undefined, 1000)'],
  };
  const { codes, stderr } = await run('proxy and plug-in', {
    REGISTRY_CA_KUBECONFIG: write('ca', kubeconfigOf(proxied, user)),
    TALOS_INFRA_KUBECONFIG: write('infra', kubeconfigOf(part, { exec })),
  });
  await proxy.stop();
  assert.is(codes, 'CLUSTER_TIMEOUT CLUSTER_TIMEOUT DNS_FAILED', stderr);
  assert.match(stderr, /CA cluster \(127\.0\.0\.1:\d+ by the proxy 127\.0\.0\.1:\d+\)/);
  assert.match(stderr, /infra cluster.*\n.*credential plug-in/);
  assert.match(stderr, DNS);
});

silence('two resolvers: time is left for the Service', async () => {
  const { codes, stderr } = await run('two silent resolvers', {}, [
    ...['--dns-server', place.dns.address],
    // The last one counts: what is left must do for a busy machine.
    ...['--timeout', '12'],
  ]);
  assert.is(codes, 'DNS_FAILED HYDRATED', stderr);
});

silence.run();

function run(title: string, env: Readonly<Record<string, string>>, args: readonly string[] = []) {
  return place.render({ title, env, args: ['--timeout', `${TIMEOUT_SECONDS}`, ...args] });
}

/** Kubeconfigs of both roles, each through a proxy of its own that stalls in every connection. */
async function behind(stall: Stall) {
  const ca = await makeCa();
  const serving = await issue(ca, { ips: ['127.0.0.1'] });
  const fault = { ...stall, action: 'stall', fraction: 0.5, hits: 'every' } as Fault;
  const start = (): Promise<FaultProxy> =>
    startFaultProxy({ host: '127.0.0.1', target: place.cluster, fault, serving });
  const proxies = await Promise.all([start(), start()]);
  const trusted = stall.kind === 'tls' ? place.cluster.servingCaPem : ca.certificatePem;
  const [caPath = '', infraPath = ''] = proxies.map(({ port }, i) =>
    place.write(
      `behind-${i}`,
      kubeconfigOf(
        { server: `https://127.0.0.1:${port}`, 'certificate-authority-data': base64(trusted) },
        user,
      ),
    ),
  );
  return {
    ca: caPath,
    infra: infraPath,
    stop: async () => {
      for (const { counts } of proxies) assert.ok(counts.harmed > 0, 'it was silent');
      await Promise.all(proxies.map((proxy) => proxy.stop()));
    },
  };
}
