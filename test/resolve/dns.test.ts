import { createSocket } from 'node:dgram';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { queryAddresses } from '../../src/resolve/dns.ts';
import type { AddressFamily } from '../../src/trust/address.ts';
import { type DnsServer, type DnsAnswer as Served, startDnsServer } from '../estate/dns-server.ts';
import { codesBy } from './support.ts';

const dns = suite('dns');

const NAME = 'registry.ok-shared.internal';
const never = new AbortController().signal;

let server: DnsServer;
dns.before(async () => {
  server = await startDnsServer();
});
dns.after(() => server.stop());

function query(
  options: {
    readonly family?: AddressFamily;
    readonly limitMs?: number;
    readonly servers?: readonly string[];
  } = {},
) {
  const { family = 'IPv4', limitMs = 3_000, servers = [server.address] } = options;
  return queryAddresses({ name: NAME, family, servers, limitMs, signal: never });
}

const a = (...ips: readonly string[]): Served => ({ records: ips.map((data) => ({ type: 'A', data })) });
const none = { kind: 'none' } as const;

const RULES: readonly (readonly [string, Served, AddressFamily, object])[] = [
  ['one address', a('10.0.0.1'), 'IPv4', { kind: 'addresses', addresses: ['10.0.0.1'] }],
  [
    'each once, sorted',
    a('10.0.0.2', '10.0.0.1', '10.0.0.2'),
    'IPv4',
    { kind: 'addresses', addresses: ['10.0.0.1', '10.0.0.2'] },
  ],
  [
    'AAAA',
    { records: [{ type: 'AAAA', data: 'fd00::1' }] },
    'IPv6',
    { kind: 'addresses', addresses: ['fd00::1'] },
  ],
  ['only the other family', a('10.0.0.1'), 'IPv6', none],
  ['no record', { records: [] }, 'IPv4', none],
  ['no such name', { rcode: 'NXDOMAIN' }, 'IPv4', none],
  ['an alias of nothing', { records: [{ type: 'CNAME', data: 'gone.internal' }] }, 'IPv4', none],
  ['SERVFAIL', { rcode: 'SERVFAIL' }, 'IPv4', { kind: 'failed', reason: 'SERVFAIL' }],
  ['REFUSED', { rcode: 'REFUSED' }, 'IPv4', { kind: 'failed', reason: 'REFUSED' }],
];

for (const [title, answer, family, expected] of RULES) {
  dns(title, async () => {
    server.answer(NAME, answer);
    assert.equal(await query({ family }), expected);
  });
}

dns('follows an alias', async () => {
  server.answer(NAME, {
    records: [
      { type: 'CNAME', data: 'lb.internal' },
      { type: 'A', data: '10.0.0.1', name: 'lb.internal' },
    ],
  });
  assert.equal(await query(), { kind: 'addresses', addresses: ['10.0.0.1'] });
});

dns('asks for the name itself, without search domains', async () => {
  server.answer(NAME, { rcode: 'NXDOMAIN' });
  const before = server.queries.length;
  await query();
  assert.equal([...new Set(server.queries.slice(before))], [`${NAME} A`]);
});

dns('a silent server: failed within the limit', async () => {
  server.answer(NAME, 'silence');
  const start = performance.now();
  assert.is((await query({ limitMs: 300 })).kind, 'failed');
  assert.ok(performance.now() - start < 1_500);
});

dns('the next server is asked when one is silent', async () => {
  server.answer(NAME, a('10.0.0.1'));
  const silent = createSocket('udp4');
  await new Promise<void>((resolve) => silent.bind(0, '127.0.0.1', resolve));
  const servers = [`127.0.0.1:${silent.address().port}`, server.address];
  assert.equal(await query({ servers, limitMs: 1_500 }), { kind: 'addresses', addresses: ['10.0.0.1'] });
  silent.close();
});

for (const rcode of ['SERVFAIL', 'REFUSED', 'NOTIMP', 'FORMERR'] as const) {
  dns(`the next server is asked when one answers ${rcode}`, async () => {
    server.answer(NAME, { rcode });
    const second = await startDnsServer();
    second.answer(NAME, a('10.0.0.1'));
    const answer = await query({ servers: [server.address, second.address] });
    await second.stop();
    assert.equal(answer, { kind: 'addresses', addresses: ['10.0.0.1'] });
  });
}

dns('that the name does not exist is an answer: the next server is not asked', async () => {
  server.answer(NAME, { rcode: 'NXDOMAIN' });
  const second = await startDnsServer();
  assert.equal(await query({ servers: [server.address, second.address] }), none);
  assert.equal(second.queries, []);
  await second.stop();
});

dns('when all fail: why each did', async () => {
  server.answer(NAME, { rcode: 'SERVFAIL' });
  const second = await startDnsServer();
  second.answer(NAME, { rcode: 'REFUSED' });
  const answer = await query({ servers: [server.address, second.address] });
  await second.stop();
  assert.equal(answer, { kind: 'failed', reason: 'SERVFAIL, then REFUSED' });
});

dns('garbage from a server: failed', async () => {
  const garbage = createSocket('udp4');
  garbage.on('message', (message, { port, address }) =>
    garbage.send(Buffer.from([...message.subarray(0, 2), 1, 2]), port, address),
  );
  await new Promise<void>((resolve) => garbage.bind(0, '127.0.0.1', resolve));
  assert.is((await query({ servers: [`127.0.0.1:${garbage.address().port}`], limitMs: 300 })).kind, 'failed');
  garbage.close();
});

dns('the caller ends it with a reason of its own', async () => {
  server.answer(NAME, 'silence');
  const caller = new AbortController();
  setTimeout(() => caller.abort('enough'), 30);
  const args = { name: NAME, family: 'IPv4', servers: [server.address], limitMs: 5_000 } as const;
  for (const when of ['during', 'before']) {
    try {
      await queryAddresses({ ...args, signal: caller.signal });
      assert.unreachable(when);
    } catch (reason) {
      assert.is(reason, 'enough');
    }
  }
});

for (const text of ['resolver.example', '10.0.0.1:port', '']) {
  dns(`"${text}" is no DNS server`, async () => {
    assert.equal(await codesBy(() => query({ servers: [text] })), ['USAGE']);
  });
}

dns.run();
