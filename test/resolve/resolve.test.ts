import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { inspect } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ResolveArgs, resolve } from '../../src/resolve/resolve.ts';
import { ingressService, REGISTRY_ADDRESS, REGISTRY_HOST } from '../estate/estate.ts';
import { codesBy, type EstateFolder, kubeconfigOf, refusalBy, startEstateFolder, TRUST } from './support.ts';

const resolving = suite('resolve');

const CA_REQUEST = 'GET /api/v1/namespaces/cert-manager/secrets/ok-shared-internal-ca';
const SERVICE_REQUEST = 'GET /api/v1/namespaces/ok-shared/services/ok-shared-ingress';

let place: EstateFolder;
resolving.before(async () => {
  place = await startEstateFolder();
});
resolving.after(() => place.stop());
resolving.before.each(() => {
  const { caCluster, infraCluster, dns } = place.estate;
  caCluster.api.fault = 'none';
  infraCluster.api.fault = 'none';
  infraCluster.api.put(ingressService([{ ip: REGISTRY_ADDRESS }]));
  dns.answer(REGISTRY_HOST, { rcode: 'NXDOMAIN' });
});

/** The arguments of a run in which everything works; the Service decides. */
function goodArgs(): ResolveArgs {
  return {
    trust: TRUST,
    env: { REGISTRY_CA_KUBECONFIG: place.ca, TALOS_INFRA_KUBECONFIG: place.infra },
    dnsServers: [place.estate.dns.address],
    timeoutMs: 10_000,
    now: new Date(),
  };
}

function run(changes: Partial<ResolveArgs> = {}) {
  return resolve({ ...goodArgs(), ...changes });
}

resolving('CA and address, and where it is from', async () => {
  const { ca, address, provenance, diagnostics } = await run();
  assert.is(ca.pem.reveal(), place.estate.registryCa.certificatePem);
  assert.equal([address.ip, provenance, diagnostics], [REGISTRY_ADDRESS, 'service', []]);
});

resolving('each cluster is asked for its one object', async () => {
  const { caCluster, infraCluster } = place.estate;
  const before = [caCluster.api.requests.length, infraCluster.api.requests.length];
  await run();
  assert.equal(caCluster.api.requests.slice(before[0]), [CA_REQUEST]);
  assert.equal(infraCluster.api.requests.slice(before[1]), [SERVICE_REQUEST]);
});

resolving('an address by DNS needs no infra cluster', async () => {
  place.estate.dns.answer(REGISTRY_HOST, { records: [{ type: 'A', data: '10.0.0.9' }] });
  const { address, provenance } = await run({ env: { REGISTRY_CA_KUBECONFIG: place.ca } });
  assert.equal([address.ip, provenance], ['10.0.0.9', 'dns']);
});

for (const [title, changes, ip] of [
  ['REGISTRY_ADDRESS', { variable: '10.0.0.5' }, '10.0.0.5'],
  ['the flag over REGISTRY_ADDRESS', { variable: '10.0.0.5', flag: '10.0.0.6' }, '10.0.0.6'],
  ['an empty flag is none', { variable: '10.0.0.5', flag: '' }, '10.0.0.5'],
] as const) {
  resolving(`override: ${title}`, async () => {
    const env = { REGISTRY_CA_KUBECONFIG: place.ca, REGISTRY_ADDRESS: changes.variable };
    const { address, provenance } = await run({
      env,
      ...('flag' in changes ? { address: changes.flag } : {}),
    });
    assert.equal([address.ip, provenance], [ip, 'override']);
  });
}

resolving('flags win over the environment', async () => {
  const env = { REGISTRY_CA_KUBECONFIG: '/nowhere', TALOS_INFRA_KUBECONFIG: '/nowhere' };
  assert.is((await run({ env, caKubeconfig: place.ca, infraKubeconfig: place.infra })).provenance, 'service');
});

const REFUSED: readonly (readonly [string, () => Partial<ResolveArgs>, readonly string[]])[] = [
  ['neither kubeconfig', () => ({ env: {} }), ['KUBECONFIG_NOT_SET', 'KUBECONFIG_NOT_SET']],
  [
    'both forbidden',
    () => ({ caKubeconfig: `${place.ca}#powerless`, infraKubeconfig: `${place.infra}#powerless` }),
    ['CLUSTER_FORBIDDEN', 'CLUSTER_FORBIDDEN'],
  ],
  ['CA cluster only', () => ({ caKubeconfig: `${place.ca}#bad-token` }), ['CLUSTER_UNAUTHORIZED']],
  ['infra cluster only', () => ({ infraKubeconfig: `${place.infra}#none` }), ['KUBECONFIG_CONTEXT']],
  ['the infra cluster has no CA', () => ({ caKubeconfig: place.infra }), ['SOURCE_NOT_FOUND']],
  [
    'no time at all',
    () => {
      place.estate.dns.answer(REGISTRY_HOST, 'silence');
      return { timeoutMs: 1 };
    },
    ['CLUSTER_TIMEOUT', 'CLUSTER_TIMEOUT', 'DNS_FAILED'],
  ],
];

for (const [title, changes, codes] of REFUSED) {
  resolving(`refused: ${title}`, async () => assert.equal(await codesBy(() => run(changes())), codes));
}

resolving('one side’s warnings are told with the other’s refusal', async () => {
  const caConfigMap = {
    kind: 'ConfigMap',
    namespace: 'cert-manager',
    name: 'commented',
    key: 'ca.crt',
  } as const;
  const { namespace, name } = caConfigMap;
  const data = { 'ca.crt': `# a comment\n${place.estate.registryCa.certificatePem}` };
  place.estate.caCluster.api.put({
    resource: 'configmaps',
    namespace,
    name,
    body: { metadata: { namespace, name }, data },
  });
  place.estate.infraCluster.api.put(ingressService([]));
  assert.equal(await codesBy(() => run({ trust: { ...TRUST, ca: caConfigMap } })), [
    'CA_TEXT_IGNORED',
    'ADDRESS_NOT_FOUND',
  ]);
});

resolving('both sides are waited for at the same time', async () => {
  place.estate.caCluster.api.fault = 'silent';
  place.estate.infraCluster.api.fault = 'silent';
  const start = performance.now();
  assert.equal(await codesBy(() => run({ timeoutMs: 2_000 })), ['CLUSTER_TIMEOUT', 'CLUSTER_TIMEOUT']);
  assert.ok(performance.now() - start < 1_800);
});

resolving('a silent DNS leaves time for the Service', async () => {
  place.estate.dns.answer(REGISTRY_HOST, 'silence');
  const { provenance, diagnostics } = await run({ timeoutMs: 2_000 });
  assert.equal([provenance, diagnostics.map(({ code }) => code)], ['service', ['DNS_FAILED']]);
});

resolving('the caller ends it with a reason of its own', async () => {
  place.estate.caCluster.api.fault = 'silent';
  const caller = new AbortController();
  setTimeout(() => caller.abort('enough'), 50);
  try {
    await run({ signal: caller.signal });
    assert.unreachable();
  } catch (reason) {
    assert.is(reason, 'enough');
  }
});

resolving('neither results nor refusals show a token, a key or the CA', async () => {
  const { canaries, registryCa } = place.estate;
  const secrets = [
    ...canaries,
    ...registryCa.certificatePem.split('\n').filter((line) => line.length === 64),
  ];
  const seen = [inspect(await run(), { depth: 10 }), JSON.stringify(await run())];
  for (const fault of ['html', 'reset', 500] as const) {
    place.estate.caCluster.api.fault = fault;
    seen.push(JSON.stringify(await refusalBy(() => run())));
  }
  place.estate.caCluster.api.fault = 'none';
  for (const context of ['wrong-ca', 'bad-token', 'powerless', 'refused', 'none']) {
    seen.push(JSON.stringify(await refusalBy(() => run({ caKubeconfig: `${place.ca}#${context}` }))));
  }
  for (const key of ['tls.key', 'none']) {
    seen.push(JSON.stringify(await refusalBy(() => run({ trust: { ...TRUST, ca: { ...TRUST.ca, key } } }))));
  }
  assert.ok(secrets.length > 4);
  for (const text of seen) for (const secret of secrets) assert.not.match(text, secret);
});

/** Says when `resolve` is over, and ends by itself. */
const CHILD = `
const [url, args] = process.argv.slice(1);
const { resolve } = await import(url);
const code = await resolve({ ...JSON.parse(args), now: new Date() }).then(() => 'done', (cause) => cause.diagnostics[0].code);
console.log(code);
`;

/** What would keep the process (a timer, a kept-alive socket, a plug-in) would do so for longer, on any machine. */
const EXIT_LIMIT_MS = 3_500;

const ENDINGS: readonly (readonly [string, string, () => Partial<ResolveArgs>])[] = [
  ['a result', 'done', () => ({})],
  ['a refusal of one side at once', 'CLUSTER_FORBIDDEN', () => ({ caKubeconfig: `${place.ca}#powerless` })],
  [
    'a silent cluster',
    'CLUSTER_TIMEOUT',
    () => {
      place.estate.caCluster.api.fault = 'silent';
      return { timeoutMs: 2_000 };
    },
  ],
  [
    'a plug-in that hangs with a child of its own',
    'CLUSTER_TIMEOUT',
    () => {
      const exec = {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: 'sh',
        args: ['-c', 'sleep 20; true'],
      };
      return {
        timeoutMs: 2_000,
        caKubeconfig: place.write('hangs', kubeconfigOf({ server: 'https://127.0.0.1:6443' }, { exec })),
      };
    },
  ],
];

for (const [title, code, changes] of ENDINGS) {
  resolving(`the process ends promptly after ${title}`, async () => {
    const url = new URL('../../src/resolve/resolve.ts', import.meta.url).href;
    const args = JSON.stringify({ ...goodArgs(), ...changes() });
    const child = spawn(process.execPath, ['--input-type=module', '-e', CHILD, url, args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [text] = await once(child.stdout, 'data');
    const over = performance.now();
    const killer = setTimeout(() => child.kill('SIGKILL'), 4 * EXIT_LIMIT_MS);
    await once(child, 'exit');
    clearTimeout(killer);
    assert.is(String(text).trim(), code);
    const waited = performance.now() - over;
    assert.ok(waited < EXIT_LIMIT_MS, `it took ${Math.round(waited)} ms`);
  });
}

resolving.run();
