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
  ['silence', 'silence', 'ETIMEOUT'],
];

for (const [title, answer, code] of FAILURES) {
  dns(`${title} is ${code}`, async () => {
    server.answer(NAME, answer);
    assert.is(await errorCodeOf(resolver().resolve4(NAME)), code);
    assert.equal(server.queries, [`${NAME} A`]);
  });
}

dns('names without an answer do not exist', async () => {
  assert.is(await errorCodeOf(resolver().resolve4('other.internal')), 'ENOTFOUND');
});

dns.run();
