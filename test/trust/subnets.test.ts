import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { diagnosticsOf } from '../../src/diagnostic.ts';
import { parseSubnets, refuseSubnetPairs } from '../../src/trust/subnets.ts';

const subnets = suite('subnets');

for (const [list, texts] of [
  ['podSubnets', ['10.244.0.0/16']],
  ['podSubnets', ['10.244.0.0/24']],
  ['podSubnets', ['10.244.0.0/16', 'fd00:10:244::/56']],
  ['podSubnets', ['fd00:10:244::/64']],
  ['serviceSubnets', ['10.96.0.0/12']],
  ['serviceSubnets', ['fd00:10:96::/108', '10.96.0.0/28']],
  ['podSubnets', []],
] as const) {
  subnets(`${list} may be ${texts.join(' and ') || 'left out'}`, () =>
    assert.equal(parseSubnets(texts, list), texts),
  );
}

for (const [list, texts, message, hint] of [
  ['podSubnets', ['10.244.0.1/16'], /canonical/, /10\.244\.0\.0\/16/],
  ['podSubnets', ['FD00::/56'], /CIDR/, /fd00/],
  ['podSubnets', ['fd00:0:0::/56'], /canonical/, /fd00::\/56/],
  ['podSubnets', ['10.244.0.0'], /CIDR/, /10\.244/],
  ['podSubnets', ['10.244.0.0/33'], /CIDR/, /10\.244/],
  ['podSubnets', ['010.244.0.0/16'], /CIDR/, /10\.244/],
  ['podSubnets', ['${PODS}'], /CIDR/, /variables/],
  ['podSubnets', ['10.244.0.0/25'], /room/, /24/],
  ['podSubnets', ['fd00::/65'], /room/, /64/],
  ['podSubnets', ['10.0.0.0/16', '10.1.0.0/16'], /two subnets of one family/, /IPv6/],
  ['podSubnets', ['127.0.0.0/16'], /loopback|multicast|link-local|unspecified/, /./],
  ['podSubnets', ['224.0.0.0/16'], /loopback|multicast|link-local|unspecified/, /./],
  ['podSubnets', ['169.254.0.0/16'], /loopback|multicast|link-local|unspecified/, /./],
  ['podSubnets', ['0.0.0.0/0'], /loopback|multicast|link-local|unspecified/, /./],
  ['serviceSubnets', ['10.0.0.0/11'], /larger/, /12/],
  ['serviceSubnets', ['fd00::/107'], /larger/, /108/],
] as const) {
  subnets(`${list} may not be ${texts.join(' and ')}`, () => {
    const found = refusal(() => parseSubnets(texts, list));
    assert.is(found?.code, 'SUBNET_INVALID');
    assert.match(found?.message ?? '', message);
    assert.match(found?.hint ?? '', hint);
  });
}

for (const [pods, services, problem] of [
  [['10.244.0.0/16'], ['10.96.0.0/12'], undefined],
  [['10.244.0.0/16', 'fd00:1::/56'], ['fd00:2::/112', '10.96.0.0/12'], undefined],
  [['10.244.0.0/16'], [], undefined],
  [[], ['10.96.0.0/12'], undefined],
  [['10.0.0.0/8'], ['10.96.0.0/12'], /overlap/],
  [['10.96.0.0/16'], ['10.96.0.0/12'], /overlap/],
  [['fd00::/56'], ['fd00::/112'], /overlap/],
  [['10.244.0.0/16'], ['fd00::/112'], /families/],
  [['10.244.0.0/16', 'fd00:1::/56'], ['10.96.0.0/12'], /families/],
] as const) {
  subnets(
    `Pods ${pods.join()} and Services ${services.join()} ${problem ? 'are refused' : 'go together'}`,
    () => {
      const found = refusal(() => refuseSubnetPairs(pods, services));
      if (problem === undefined) assert.is(found, undefined);
      else {
        assert.is(found?.code, 'SUBNET_INVALID');
        assert.match(found?.message ?? '', problem);
      }
    },
  );
}

subnets.run();

function refusal(parse: () => unknown) {
  try {
    parse();
    return undefined;
  } catch (cause) {
    return diagnosticsOf(cause)[0];
  }
}
