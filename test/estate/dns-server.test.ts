import { promises } from 'node:dns';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type DnsAnswer, type DnsServer, startDnsServer } from './dns-server.ts';
import { errorCodeOf } from './https-get.ts';

const dns = suite('dns server');

const NAME = 'registry.ok-shared.internal';

let server: DnsServer;
dns.before.each(async () => {
  server = await startDnsServer();
});
dns.after.each(() => server.stop());

function resolver(): promises.Resolver {
  const made = new promises.Resolver({ timeout: 150, tries: 1 });
  made.setServers([server.address]);
  return made;
}

dns('gives the records of the type asked for', async () => {
  server.answer(NAME, {
    records: [
      { type: 'A', data: '10.0.0.1' },
      { type: 'A', data: '10.0.0.2' },
      { type: 'AAAA', data: 'fd00::1' },
    ],
  });
  assert.equal((await resolver().resolve4(NAME)).sort(), ['10.0.0.1', '10.0.0.2']);
  assert.equal(await resolver().resolve6(NAME), ['fd00::1']);
  assert.equal(server.queries, [`${NAME} A`, `${NAME} AAAA`]);
});

dns('gives an alias with what it stands for', async () => {
  server.answer(NAME, {
    records: [
      { type: 'CNAME', data: 'lb.internal' },
      { type: 'A', data: '10.0.0.3', name: 'lb.internal' },
    ],
  });
  assert.equal(await resolver().resolve4(NAME), ['10.0.0.3']);
  assert.equal(await resolver().resolveCname(NAME), ['lb.internal']);
});

dns('knows a name in every case of letters', async () => {
  server.answer('Registry.OK-shared.internal', { records: [{ type: 'A', data: '10.0.0.4' }] });
  assert.equal(await resolver().resolve4(NAME.toUpperCase()), ['10.0.0.4']);
});

const FAILURES: readonly (readonly [string, DnsAnswer, string])[] = [
  ['no such name', { rcode: 'NXDOMAIN' }, 'ENOTFOUND'],
  ['no record', { records: [] }, 'ENODATA'],
  ['no record of that type', { records: [{ type: 'AAAA', data: 'fd00::1' }] }, 'ENODATA'],
  ['SERVFAIL', { rcode: 'SERVFAIL' }, 'ESERVFAIL'],
  ['REFUSED', { rcode: 'REFUSED' }, 'EREFUSED'],
  ['FORMERR', { rcode: 'FORMERR' }, 'EFORMERR'],
  ['NOTIMP', { rcode: 'NOTIMP' }, 'ENOTIMP'],
  ['silence', 'silence', 'ETIMEOUT'],
  ['a late answer', { records: [{ type: 'A', data: '10.0.0.5' }], delayMs: 5000 }, 'ETIMEOUT'],
  ['garbage', 'garbage', 'EBADRESP'],
];

for (const [title, answer, code] of FAILURES) {
  dns(`${title} is ${code}`, async () => {
    server.answer(NAME, answer);
    assert.is(await errorCodeOf(resolver().resolve4(NAME)), code);
    assert.equal(server.queries, [`${NAME} A`]);
  });
}

dns('gives what is behind a chain of aliases', async () => {
  server.answer(NAME, {
    records: [
      { type: 'CNAME', data: 'a.internal' },
      { type: 'CNAME', data: 'b.internal', name: 'a.internal' },
      { type: 'A', data: '10.0.0.6', name: 'b.internal' },
    ],
  });
  assert.equal(await resolver().resolve4(NAME), ['10.0.0.6']);
});

dns('gives one answer after the other, and the last for good', async () => {
  server.answer(NAME, { rcode: 'SERVFAIL' }, { records: [{ type: 'A', data: '10.0.0.7' }], delayMs: 20 });
  assert.is(await errorCodeOf(resolver().resolve4(NAME)), 'ESERVFAIL');
  assert.equal(await resolver().resolve4(NAME), ['10.0.0.7']);
  assert.equal(await resolver().resolve4(NAME), ['10.0.0.7']);
});

dns('an answer too long for UDP comes over TCP', async () => {
  const many = Array.from({ length: 100 }, (_, i) => `10.0.1.${i}`);
  const records = many.map((data) => ({ type: 'A', data }) as const);
  server.answer(NAME, { records, whole: 'tcp' }, { rcode: 'NXDOMAIN' });
  assert.equal((await resolver().resolve4(NAME)).sort(), [...many].sort());
  assert.equal(server.queries, [`${NAME} A`, `${NAME} A TCP`]);
  assert.is(await errorCodeOf(resolver().resolve4(NAME)), 'ENOTFOUND');
});

dns('a truncated answer whose rest never comes is ETIMEOUT', async () => {
  server.answer(NAME, { records: [], whole: 'never' });
  assert.is(await errorCodeOf(resolver().resolve4(NAME)), 'ETIMEOUT');
  assert.equal(server.queries.slice(0, 2), [`${NAME} A`, `${NAME} A TCP`]);
});

dns('names without an answer do not exist', async () => {
  assert.is(await errorCodeOf(resolver().resolve4('other.internal')), 'ENOTFOUND');
});

dns.run();
