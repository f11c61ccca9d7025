import { isIPv4, isIPv6 } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Code, Refusal } from '../../src/diagnostic.ts';
import { type AddressFamily, parseAddress } from '../../src/trust/address.ts';
import { fc } from '../support/fuzz.ts';

const test = suite('parseAddress');

const ACCEPTED: readonly (readonly [string, AddressFamily, string])[] = [
  ['10.0.0.1', 'IPv4', '10.0.0.1'],
  ['172.16.0.1', 'IPv4', '172.16.0.1'],
  ['192.168.255.254', 'IPv4', '192.168.255.254'],
  ['100.64.0.1', 'IPv4', '100.64.0.1'],
  ['192.0.2.10', 'IPv4', '192.0.2.10'],
  ['198.51.100.1', 'IPv4', '198.51.100.1'],
  ['203.0.113.1', 'IPv4', '203.0.113.1'],
  ['198.18.0.1', 'IPv4', '198.18.0.1'],
  ['8.8.8.8', 'IPv4', '8.8.8.8'],
  ['fd00::1', 'IPv6', 'fd00::1'],
  ['2001:0DB8:0:0:1:0:0:1', 'IPv6', '2001:db8::1:0:0:1'],
  ['2001:db8:0:1:1:1:1:1', 'IPv6', '2001:db8:0:1:1:1:1:1'],
  ['3fff::1', 'IPv6', '3fff::1'],
  ['2606:4700::1111', 'IPv6', '2606:4700::1111'],
  ['64:ff9b::192.0.2.33', 'IPv6', '64:ff9b::c000:221'],
  ['64:ff9b:1::a', 'IPv6', '64:ff9b:1::a'],
];

for (const [text, family, ip] of ACCEPTED) {
  test(`accepts ${text}`, () => {
    assert.equal(parseAddress(text, family), { ip, family });
  });
}

const REFUSED: Readonly<Partial<Record<Code, readonly (readonly [string, AddressFamily])[]>>> = {
  ADDRESS_INVALID: [
    ['', 'IPv4'],
    [' 10.0.0.1', 'IPv4'],
    ['10.0.0.1\n', 'IPv4'],
    ['10.0.0.1\n10.0.0.2 evil', 'IPv4'],
    ['10.0.1', 'IPv4'],
    ['167772161', 'IPv4'],
    ['0x0a000001', 'IPv4'],
    ['0xa.0.0.1', 'IPv4'],
    ['010.0.0.1', 'IPv4'],
    ['10.0.0.01', 'IPv4'],
    ['10.0.0.256', 'IPv4'],
    ['10.0.0.1.', 'IPv4'],
    ['10.0.0.0/24', 'IPv4'],
    ['10.0.0.1:5000', 'IPv4'],
    ['10.0.0.1,10.0.0.2', 'IPv4'],
    ['registry.ok', 'IPv4'],
    ['${ADDRESS}', 'IPv4'],
    ['１０.0.0.1', 'IPv4'],
    ['[fd00::1]', 'IPv6'],
    ['[fd00::1]:5000', 'IPv6'],
    ['fd00::1%eth0', 'IPv6'],
    ['fd00::1/64', 'IPv6'],
    ['fd00:::1', 'IPv6'],
    ['fd00::1::2', 'IPv6'],
    ['fd00:0:0:0:0:0:0', 'IPv6'],
    ['fd00::12345', 'IPv6'],
    ['64:ff9b::010.0.0.1', 'IPv6'],
    ['64:ff9b::10.1', 'IPv6'],
  ],
  ADDRESS_NOT_ROUTABLE: [
    ['127.0.0.1', 'IPv4'],
    ['127.255.0.1', 'IPv4'],
    ['0.0.0.0', 'IPv4'],
    ['0.1.2.3', 'IPv4'],
    ['169.254.1.1', 'IPv4'],
    ['224.0.0.1', 'IPv4'],
    ['239.1.1.1', 'IPv4'],
    ['255.255.255.255', 'IPv4'],
    ['240.0.0.1', 'IPv4'],
    ['192.0.0.8', 'IPv4'],
    ['::', 'IPv6'],
    ['::1', 'IPv6'],
    ['fe80::1', 'IPv6'],
    ['fec0::1', 'IPv6'],
    ['ff02::1', 'IPv6'],
    ['::ffff:10.0.0.1', 'IPv6'],
    ['::ffff:10.0.0.1', 'IPv4'],
    ['::10.0.0.1', 'IPv6'],
    ['100::1', 'IPv6'],
    ['2001::1', 'IPv6'],
    ['2001:20::1', 'IPv6'],
    ['2002:a00:1::', 'IPv6'],
    ['5f00::1', 'IPv6'],
    ['4000::1', 'IPv6'],
  ],
  ADDRESS_FAMILY: [
    ['10.0.0.1', 'IPv6'],
    ['fd00::1', 'IPv4'],
    ['127.0.0.1', 'IPv6'],
  ],
};

for (const [code, rows] of Object.entries(REFUSED)) {
  for (const [text, family] of rows) {
    test(`${code}: ${JSON.stringify(text)} as ${family}`, () => {
      assert.is(codeOf(text, family), code);
    });
  }
}

test('a wrong family names the setting', () => {
  const [diagnostic] = refusalOf('fd00::1', 'IPv4').diagnostics;
  assert.match(diagnostic?.hint ?? '', 'address.family: IPv6');
});

test('what is no address is not quoted', () => {
  for (const text of ['hunter2', '10.0.0.1 hunter2', 'hunter2:1', '[hunter2]', 'hunter2/24']) {
    assert.not.match(JSON.stringify(refusalOf(text, 'IPv4').diagnostics), 'hunter2');
  }
});

test('every IPv6 address has one spelling, and is an address for node:net too', () => {
  fc.assert(
    fc.property(fc.ipV6(), fc.constantFrom('lower', 'upper'), (text, letters) => {
      const written = letters === 'upper' ? text.toUpperCase() : text;
      const ip = ipOf(written, 'IPv6');
      if (ip === undefined) return;
      assert.ok(isIPv6(ip));
      // WHATWG URL is an independent writer of RFC 5952 (it never uses the dotted form).
      assert.is(ip, new URL(`http://[${written}]`).hostname.slice(1, -1));
      assert.is(ipOf(ip, 'IPv6'), ip);
    }),
  );
});

test('takes no text for an address that node:net does not take', () => {
  const nearly = fc.stringMatching(/^[0-9a-fx:.%/ ]{1,24}$/);
  fc.assert(
    fc.property(fc.oneof(nearly, fc.ipV4(), fc.ipV6()), fc.constantFrom('IPv4', 'IPv6'), (text, family) => {
      assert.is(
        codeOf(text, family) !== 'ADDRESS_INVALID',
        isIPv4(text) || (isIPv6(text) && !text.includes('%')),
      );
    }),
    { numRuns: 500 },
  );
});

test.run();

function refusalOf(text: string, family: AddressFamily): Refusal {
  try {
    parseAddress(text, family);
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown;
    throw thrown;
  }
  throw new Error(`accepted: ${text}`);
}

function codeOf(text: string, family: AddressFamily): Code | undefined {
  return ipOf(text, family) === undefined ? refusalOf(text, family).diagnostics[0]?.code : undefined;
}

function ipOf(text: string, family: AddressFamily): string | undefined {
  try {
    return parseAddress(text, family).ip;
  } catch (thrown) {
    if (thrown instanceof Refusal) return undefined;
    throw thrown;
  }
}
