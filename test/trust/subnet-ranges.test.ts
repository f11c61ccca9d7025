/** The ranges that no subnet may touch, the sizes that Kubernetes takes, and laws of what is accepted. */
import { BlockList } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { diagnosticsOf } from '../../src/diagnostic.ts';
import { parseSubnets, refuseSubnetPairs, type SubnetList } from '../../src/trust/subnets.ts';
import { fc } from '../support/fuzz.ts';

const ranges = suite('ranges of subnets');

/** Also ranges that only contain what can't be used. */
const UNUSABLE = [
  '0.0.0.0/8',
  '126.0.0.0/7',
  '127.1.0.0/16',
  '169.0.0.0/8',
  '169.254.0.0/17',
  '224.0.0.0/4',
  '192.0.0.0/2',
  '240.0.0.0/4',
  '0.0.0.0/0',
  '::/0',
  '::/8',
  '::/64',
  '::ffff:0:0/96',
  'fe80::/64',
  'fe00::/8',
  'ff00::/16',
];

for (const text of UNUSABLE) {
  ranges(`${text} can't be used, and isn't called misspelled`, () => {
    const found = refusal([text], 'podSubnets');
    assert.is(found?.code, 'SUBNET_INVALID');
    assert.match(found?.message ?? '', /can not be used/);
  });
}

/** The first and last prefix lengths that are accepted. */
const EDGES: readonly (readonly [SubnetList, string, string])[] = [
  ['podSubnets', '10.0.0.0/8', '10.0.0.0/24'],
  ['podSubnets', 'fd00::/8', 'fd00::/64'],
  ['serviceSubnets', '10.0.0.0/12', '10.0.0.0/29'],
  ['serviceSubnets', 'fd00::/108', 'fd00::/125'],
];

for (const [list, largest, smallest] of EDGES) {
  ranges(`${list}: from ${largest} to ${smallest}`, () => {
    const next = smallest.replace(/\d+$/, (prefix) => String(Number(prefix) + 1));
    assert.is(refusal([largest], list), undefined);
    assert.is(refusal([smallest], list), undefined);
    assert.match(refusal([next], list)?.message ?? '', /room/);
  });
}

const MISSPELLED: readonly (readonly [string, string])[] = [
  ['10.1.2.3/16', '10.1.0.0/16'],
  ['FD00::/56', 'fd00::/56'],
  ['fd00:0:0:0::/56', 'fd00::/56'],
  ['fd00::1/56', 'fd00::/56'],
];

for (const [text, canonical] of MISSPELLED) {
  ranges(`${text}: the hint has ${canonical}`, () => {
    const found = refusal([text], 'podSubnets');
    assert.match(found?.hint ?? '', `Write ${canonical},`);
    assert.is(refusal([canonical], 'podSubnets'), undefined);
  });
}

const NO_CIDR = [
  '10.1/16',
  '167772160/8',
  '0xa.0.0.0/8',
  '10.0.0.0/016',
  '10.0.0.0/-1',
  '10.0.0.0/16\n',
  ' 10.0.0.0/16',
  'fd00::%eth0/64',
  'fd00::/129',
  'hunter2',
  '10.0.0.0/16,10.1.0.0/16',
];

for (const text of NO_CIDR) {
  ranges(`${JSON.stringify(text)} is no CIDR, and isn't repeated`, () => {
    const found = refusal([text], 'podSubnets');
    assert.match(found?.message ?? '', /not a CIDR/);
    assert.not.match(JSON.stringify(found), /hunter2/);
  });
}

ranges('three subnets are two of one family', () => {
  assert.is(refusal(['10.0.0.0/16', 'fd00::/56', '10.1.0.0/16'], 'podSubnets')?.code, 'SUBNET_INVALID');
});

const cidr = fc.oneof(
  fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 })),
  fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 })),
);

ranges('a suggested spelling is accepted, or refused for another reason than its spelling', () => {
  fc.assert(
    fc.property(cidr, fc.constantFrom('podSubnets', 'serviceSubnets'), ([ip, prefix], list) => {
      const found = refusal([`${ip}/${prefix}`], list);
      const canonical = /^Write (\S+), if/.exec(found?.hint ?? '')?.[1];
      if (canonical !== undefined)
        assert.not.match(refusal([canonical], list)?.message ?? '', /canonical|not a CIDR/);
    }),
  );
});

ranges('node:net agrees on which lists overlap', () => {
  const pair = fc.tuple(
    fc.integer({ min: 0, max: 255 }),
    fc.integer({ min: 8, max: 24 }),
    fc.integer({ min: 0, max: 255 }),
    fc.integer({ min: 12, max: 28 }),
  );
  fc.assert(
    fc.property(pair, ([a, aPrefix, b, bPrefix]) => {
      const [pods, services] = [network(`10.${a}.0.0`, aPrefix), network(`10.${b}.16.0`, bPrefix)];
      const [podAddress = '', serviceAddress = ''] = [pods, services].map((text) => text.split('/')[0]);
      const overlaps = blockOf(pods).check(serviceAddress) || blockOf(services).check(podAddress);
      let refused = false;
      try {
        refuseSubnetPairs([pods], [services]);
      } catch {
        refused = true;
      }
      assert.is(refused, overlaps);
    }),
  );
});

ranges.run();

function refusal(texts: readonly string[], list: SubnetList) {
  try {
    parseSubnets(texts, list);
    return undefined;
  } catch (cause) {
    return diagnosticsOf(cause)[0];
  }
}

function network(ip: string, prefix: number): string {
  const bits = ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const start = bits - (bits % 2 ** (32 - prefix));
  return `${[24, 16, 8, 0].map((shift) => Math.floor(start / 2 ** shift) % 256).join('.')}/${prefix}`;
}

function blockOf(text: string): BlockList {
  const [ip = '', prefix = ''] = text.split('/');
  const block = new BlockList();
  block.addSubnet(ip, Number(prefix));
  return block;
}
