import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type AddressQuestion, resolveAddress } from '../../src/resolve/address-source.ts';
import { openCluster } from '../../src/resolve/cluster.ts';
import type { DnsAnswer } from '../estate/dns-server.ts';
import { ingressService, REGISTRY_ADDRESS, REGISTRY_HOST } from '../estate/estate.ts';
import { codesBy, type EstateFolder, refusalBy, startEstateFolder, TRUST } from './support.ts';

const source = suite('address source');

const never = new AbortController().signal;
const SERVICE_REQUEST = 'GET /api/v1/namespaces/ok-shared/services/ok-shared-ingress';
const { service: _, ...WITHOUT_SERVICE } = TRUST;

let place: EstateFolder;
source.before(async () => {
  place = await startEstateFolder();
});
source.after(() => place.stop());
source.before.each(() => {
  place.estate.dns.answer(REGISTRY_HOST, { rcode: 'NXDOMAIN' });
  place.estate.infraCluster.api.put(ingressService([{ ip: REGISTRY_ADDRESS }]));
});

function ask(changes: Partial<AddressQuestion> = {}) {
  return resolveAddress({
    trust: TRUST,
    dnsServers: [place.estate.dns.address],
    openInfra: () => openCluster({ role: 'infra', kubeconfig: place.infra }, { env: {} }, never),
    limits: { dnsMs: 1_000, requestMs: 5_000, signal: never },
    ...changes,
  });
}

/** What was asked of DNS and of the infra cluster by a call. */
async function asked(call: () => Promise<unknown>): Promise<readonly string[]> {
  const { dns, infraCluster } = place.estate;
  const before = [dns.queries.length, infraCluster.api.requests.length];
  await call();
  return [...new Set([...dns.queries.slice(before[0]), ...infraCluster.api.requests.slice(before[1])])];
}

const a = (...ips: readonly string[]): DnsAnswer => ({ records: ips.map((data) => ({ type: 'A', data })) });

source('an override is taken, and nothing is asked', async () => {
  place.estate.dns.answer(REGISTRY_HOST, a('10.0.0.9'));
  const requests = await asked(async () => {
    const { address, provenance } = await ask({ override: '10.0.0.7' });
    assert.equal([address.ip, provenance], ['10.0.0.7', 'override']);
  });
  assert.equal(requests, []);
});

source('an empty override is none', async () => {
  assert.is((await ask({ override: '' })).provenance, 'service');
});

source('one address in DNS is taken, and the Service is not asked', async () => {
  place.estate.dns.answer(REGISTRY_HOST, a('10.0.0.9', '10.0.0.9'));
  const requests = await asked(async () => {
    const { address, provenance, diagnostics } = await ask();
    assert.equal([address.ip, provenance, diagnostics], ['10.0.0.9', 'dns', []]);
  });
  assert.equal(requests, [`${REGISTRY_HOST} A`]);
});

source('no address in DNS: the Service decides', async () => {
  const requests = await asked(async () => {
    const { address, provenance, diagnostics } = await ask();
    assert.equal([address.ip, provenance, diagnostics], [REGISTRY_ADDRESS, 'service', []]);
  });
  assert.equal(requests, [`${REGISTRY_HOST} A`, SERVICE_REQUEST]);
});

source('a failing DNS is warned of, and the Service decides', async () => {
  place.estate.dns.answer(REGISTRY_HOST, { rcode: 'SERVFAIL' });
  const { provenance, diagnostics } = await ask();
  assert.is(provenance, 'service');
  assert.equal(
    diagnostics.map(({ code, severity }) => [code, severity]),
    [['DNS_FAILED', 'warning']],
  );
});

source('IPv6 is asked for as AAAA', async () => {
  place.estate.dns.answer(REGISTRY_HOST, { records: [{ type: 'AAAA', data: 'fd00::1' }] });
  const requests = await asked(async () => {
    assert.equal((await ask({ trust: { ...TRUST, family: 'IPv6' } })).address, {
      ip: 'fd00::1',
      family: 'IPv6',
    });
  });
  assert.equal(requests, [`${REGISTRY_HOST} AAAA`]);
});

const REFUSED: readonly (readonly [string, Partial<AddressQuestion>, DnsAnswer, readonly string[]])[] = [
  ['override that is no address', { override: 'registry' }, a(), ['ADDRESS_INVALID']],
  ['override of the other family', { override: 'fd00::1' }, a(), ['ADDRESS_FAMILY']],
  ['override of this machine', { override: '127.0.0.1' }, a(), ['ADDRESS_NOT_ROUTABLE']],
  ['two addresses in DNS', {}, a('10.0.0.1', '10.0.0.2'), ['ADDRESS_AMBIGUOUS']],
  ['loopback in DNS', {}, a('127.0.0.1'), ['ADDRESS_NOT_ROUTABLE']],
  ['link-local in DNS', {}, a('169.254.1.1'), ['ADDRESS_NOT_ROUTABLE']],
  ['neither DNS nor Service', { trust: WITHOUT_SERVICE }, a(), ['ADDRESS_NOT_FOUND']],
  [
    'DNS fails and no Service',
    { trust: WITHOUT_SERVICE },
    { rcode: 'REFUSED' },
    ['ADDRESS_NOT_FOUND', 'DNS_FAILED'],
  ],
  [
    'DNS fails and the Service is gone',
    { trust: { ...TRUST, service: { namespace: 'ok-shared', name: 'gone' } } },
    { rcode: 'SERVFAIL' },
    ['SOURCE_NOT_FOUND', 'DNS_FAILED'],
  ],
];

for (const [title, changes, answer, codes] of REFUSED) {
  source(`refused: ${title}`, async () => {
    place.estate.dns.answer(REGISTRY_HOST, answer);
    assert.equal(await codesBy(() => ask(changes)), codes);
  });
}

for (const [title, ingress, code] of [
  ['nothing', [], 'ADDRESS_NOT_FOUND'],
  ['two addresses', [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }], 'ADDRESS_AMBIGUOUS'],
  ['a host name', [{ hostname: 'lb.example' }], 'ADDRESS_IS_HOSTNAME'],
] as const) {
  source(`refused: a Service with ${title}`, async () => {
    place.estate.infraCluster.api.put(ingressService(ingress));
    assert.equal(await codesBy(() => ask()), [code]);
  });
}

source('an ambiguous answer: all of it, and the way to choose', async () => {
  place.estate.dns.answer(REGISTRY_HOST, a('10.0.0.2', '10.0.0.1'));
  const [diagnostic] = await refusalBy(() => ask());
  assert.match(diagnostic?.message ?? '', '10.0.0.1, 10.0.0.2');
  assert.match(diagnostic?.hint ?? '', /--address.*REGISTRY_ADDRESS/);
});

source('without a Service, the first message says whether DNS has no record or failed', async () => {
  for (const [answer, says] of [
    [{ rcode: 'NXDOMAIN' }, /^DNS gives no IPv4 address for registry\.ok-shared\.internal, and no Service/],
    [{ rcode: 'SERVFAIL' }, /^DNS could not be asked for registry\.ok-shared\.internal \(SERVFAIL\), and no/],
  ] as const) {
    place.estate.dns.answer(REGISTRY_HOST, answer);
    const [diagnostic] = await refusalBy(() => ask({ trust: WITHOUT_SERVICE }));
    assert.match(diagnostic?.message ?? '', says);
  }
});

source('a bad address says where it is from', async () => {
  place.estate.dns.answer(REGISTRY_HOST, a('127.0.0.1'));
  const [fromDns] = await refusalBy(() => ask());
  assert.match(fromDns?.message ?? '', 'DNS');
  const [fromOverride] = await refusalBy(() => ask({ override: '127.0.0.1' }));
  assert.match(fromOverride?.message ?? '', 'REGISTRY_ADDRESS');
});

source.run();
