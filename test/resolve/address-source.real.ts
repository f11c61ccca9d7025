/**
 * The address: from the status of a Service that a real API server keeps, from DNS in every mood, and which of them is
 * asked at all. `PRINT_TABLE=1` prints how each run ended.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DnsAnswer, DnsRecord } from '../estate/dns-server.ts';
import { startDnsServer } from '../estate/dns-server.ts';
import { REGISTRY_HOST } from '../estate/estate.ts';
import { closedPort } from '../support/closed-port.ts';
import { type RealPlace, startRealPlace } from './real-place.ts';
import { BALANCED, BY_SERVICE, type Ingress } from './service-cases.ts';

const source = suite('the address on a real API server');

const SERVICE = 'given';
/** The estate's own. */
const FIRST_SERVICE = 'ok-shared-ingress';

let place: RealPlace;

source.before(async () => {
  place = await startRealPlace();
});
source.after(() => place?.stop());

/** Makes a Service anew; with an ingress, its status is patched as a load balancer's controller does. */
async function putService(spec: object, ingress?: Ingress): Promise<void> {
  const { cluster } = place;
  await cluster.kubectl('delete', 'service', SERVICE, '-n', 'ok-shared', '--ignore-not-found');
  const metadata = { namespace: 'ok-shared', name: SERVICE };
  await cluster.apply(JSON.stringify({ apiVersion: 'v1', kind: 'Service', metadata, spec }));
  if (ingress === undefined) return;
  const patch = JSON.stringify({ status: { loadBalancer: { ingress } } });
  const patched = await cluster.kubectl(
    ...['patch', 'service', SERVICE, '-n', 'ok-shared', '--subresource=status', '--type=merge', '-p', patch],
  );
  assert.is(patched.code, 0, patched.stderr);
}

for (const [title, service, codes, says, family = 'IPv4'] of BY_SERVICE) {
  source(`Service: ${title}`, async () => {
    await putService(...service);
    const ending = await place.render({
      title,
      config: (text) => text.replace(FIRST_SERVICE, SERVICE).replace('family: IPv4', `family: ${family}`),
    });
    assert.is(ending.codes, codes, ending.stderr);
    assert.match(ending.stderr, says);
    assert.is(ending.ca, codes === 'HYDRATED' ? place.registryCa.certificatePem : undefined);
  });
}

for (const [title, namespace] of [
  ['missing', 'ok-shared'],
  ['in a namespace that is missing', 'no-such-namespace'],
] as const) {
  source(`Service: ${title}`, async () => {
    const config = (text: string) =>
      text
        .replace(FIRST_SERVICE, 'gone')
        .replace('serviceNamespace: ok-shared', `serviceNamespace: ${namespace}`);
    const ending = await place.render({ title, config });
    assert.is(ending.codes, 'SOURCE_NOT_FOUND', ending.stderr);
    assert.match(ending.stderr, `has no Service ${namespace}/gone.`);
  });
}

const a = (data: string, name?: string): DnsRecord => ({
  type: 'A',
  data,
  ...(name === undefined ? {} : { name }),
});
const aaaa = (data: string): DnsRecord => ({ type: 'AAAA', data });
const alias = (name: string, data: string): DnsRecord => ({ type: 'CNAME', name, data });
const records = (...all: readonly DnsRecord[]): DnsAnswer => ({ records: all });

const CHAIN = [
  alias(REGISTRY_HOST, 'ingress.ok-shared.internal'),
  alias('ingress.ok-shared.internal', 'lb.ok-shared.internal'),
  alias('lb.ok-shared.internal', 'lb-7.provider.internal'),
];

/** `service`: the Service is asked, and says its own address. */
type ByDns = readonly [
  title: string,
  answer: DnsAnswer,
  codes: string,
  says: RegExp,
  asked: 'service' | 'dns',
  family?: 'IPv6',
];

const SERVICE_SAYS = /is 10\.20\.0\.15 \(service\)/;

const BY_DNS: readonly ByDns[] = [
  ['one address', records(a('10.0.0.9')), 'HYDRATED', /is 10\.0\.0\.9 \(dns\)/, 'dns'],
  [
    'several addresses',
    records(a('10.0.0.9'), a('10.0.0.10')),
    'ADDRESS_AMBIGUOUS',
    /DNS gives 2 IPv4 addresses for registry\.ok-shared\.internal: 10\.0\.0\.10, 10\.0\.0\.9\.\n.*--address/,
    'dns',
  ],
  [
    'a chain of aliases',
    records(...CHAIN, a('10.0.0.9', 'lb-7.provider.internal')),
    'HYDRATED',
    /is 10\.0\.0\.9 \(dns\)/,
    'dns',
  ],
  ['a chain of aliases to nothing', records(...CHAIN), 'HYDRATED', SERVICE_SAYS, 'service'],
  [
    'aliases in a circle',
    records(alias(REGISTRY_HOST, 'b.internal'), alias('b.internal', REGISTRY_HOST)),
    'HYDRATED',
    SERVICE_SAYS,
    'service',
  ],
  ['AAAA only, IPv4 wanted', records(aaaa('fd00::9')), 'HYDRATED', SERVICE_SAYS, 'service'],
  ['AAAA only, IPv6 wanted', records(aaaa('fd00::9')), 'HYDRATED', /is fd00::9 \(dns\)/, 'dns', 'IPv6'],
  [
    'an address that is IPv4 in IPv6',
    records(aaaa('::ffff:10.0.0.9')),
    'ADDRESS_NOT_ROUTABLE',
    /By DNS for registry\.ok-shared\.internal: .* mapped into IPv6/,
    'dns',
    'IPv6',
  ],
  [
    'an address of this machine',
    records(a('127.0.0.53')),
    'ADDRESS_NOT_ROUTABLE',
    /By DNS for registry\.ok-shared\.internal: .*127\.0\.0\.53/,
    'dns',
  ],
  [
    'more than UDP carries',
    { records: [a('10.0.0.9')], whole: 'tcp' },
    'HYDRATED',
    /is 10\.0\.0\.9 \(dns\)/,
    'dns',
  ],
  ['NXDOMAIN', { rcode: 'NXDOMAIN' }, 'HYDRATED', SERVICE_SAYS, 'service'],
  [
    'SERVFAIL',
    { rcode: 'SERVFAIL' },
    'DNS_FAILED HYDRATED',
    /failed \(SERVFAIL\)\. The Service decides instead/,
    'service',
  ],
  ['REFUSED', { rcode: 'REFUSED' }, 'DNS_FAILED HYDRATED', /failed \(REFUSED\)/, 'service'],
  ['FORMERR', { rcode: 'FORMERR' }, 'DNS_FAILED HYDRATED', /failed \(FORMERR\)/, 'service'],
  ['garbage', 'garbage', 'DNS_FAILED HYDRATED', /failed \((?:malformed answer|timeout)\)/, 'service'],
  ['silence', 'silence', 'DNS_FAILED HYDRATED', /failed \((?:timeout|time limit)\)/, 'service'],
  [
    'truncated, and no answer by TCP',
    { records: [a('10.0.0.9')], whole: 'never' },
    'DNS_FAILED HYDRATED',
    /failed \((?:timeout|time limit)\)/,
    'service',
  ],
];

for (const [title, answer, codes, says, asked, family = 'IPv4'] of BY_DNS) {
  source(`DNS: ${title}`, async () => {
    place.dns.answer(REGISTRY_HOST, answer);
    const services = servicesAsked();
    const ending = await place.render({
      title,
      config: (text) => text.replace('family: IPv4', `family: ${family}`),
      args: ['--timeout', '12'],
    });
    assert.is(ending.codes, codes, ending.stderr);
    assert.match(ending.stderr, says);
    assert.equal(services(), asked === 'service' ? [`${FIRST_SERVICE} 200`] : []);
  });
}

/** Resolvers before the one that knows the address; the first with an answer decides. */
const RESOLVERS: readonly (readonly [string, DnsAnswer | 'closed', string, RegExp])[] = [
  ['where nothing listens', 'closed', 'HYDRATED', /is 10\.0\.0\.9 \(dns\)/],
  ['that is silent', 'silence', 'HYDRATED', /is 10\.0\.0\.9 \(dns\)/],
  ['that fails', { rcode: 'SERVFAIL' }, 'HYDRATED', /is 10\.0\.0\.9 \(dns\)/],
  ['that refuses', { rcode: 'REFUSED' }, 'HYDRATED', /is 10\.0\.0\.9 \(dns\)/],
  ['that knows no such name', { rcode: 'NXDOMAIN' }, 'HYDRATED', SERVICE_SAYS],
];

for (const [title, answer, codes, says] of RESOLVERS) {
  source(`DNS: a first resolver ${title}`, async () => {
    const second = await startDnsServer();
    second.answer(REGISTRY_HOST, records(a('10.0.0.9')));
    const servers = ['--dns-server', second.address, '--timeout', '12'];
    if (answer !== 'closed') place.dns.answer(REGISTRY_HOST, answer);
    const ending = await place.render({
      title: `first resolver ${title}`,
      args: servers,
      ...(answer === 'closed' ? { dnsServer: `127.0.0.1:${await closedPort()}` } : {}),
    });
    await second.stop();
    assert.is(ending.codes, codes, ending.stderr);
    assert.match(ending.stderr, says);
  });
}

source('override: neither DNS nor the Service is asked', async () => {
  place.dns.answer(REGISTRY_HOST, records(a('10.0.0.9')));
  const [queries, services] = [place.dns.queries.length, servicesAsked()];
  const ending = await place.render({ title: 'override', env: { REGISTRY_ADDRESS: '10.0.0.7' } });
  assert.match(ending.stderr, /is 10\.0\.0\.7 \(override\)/);
  assert.equal([place.dns.queries.length, services()], [queries, []]);
});

source('nobody knows it: the error first, with all that was tried', async () => {
  place.dns.answer(REGISTRY_HOST, { rcode: 'SERVFAIL' });
  await putService(BALANCED);
  const ending = await place.render({
    title: 'SERVFAIL and a Service without an address',
    config: (text) => text.replace(FIRST_SERVICE, SERVICE),
  });
  assert.is(ending.codes, 'ADDRESS_NOT_FOUND DNS_FAILED', ending.stderr);
});

source.run();

/** Services that were read from now on, with the status of the answer; those of this test's own kubectl aside. */
function servicesAsked(): () => readonly string[] {
  const before = place.cluster.auditLog().length;
  return () =>
    place.cluster
      .auditLog()
      .slice(before)
      .filter(({ verb, resource }) => verb === 'get' && resource === 'services')
      .map(({ name, code }) => `${name} ${code}`);
}
