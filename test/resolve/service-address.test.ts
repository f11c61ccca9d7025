import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addressOfService } from '../../src/resolve/service-address.ts';
import type { AddressFamily } from '../../src/trust/address.ts';
import { codesBy, refusalBy } from './support.ts';

const service = suite('service address');

const REF = { kind: 'Service', namespace: 'ok-shared', name: 'ok-shared-ingress' } as const;

type Ingress = readonly { readonly ip?: string; readonly hostname?: string }[];

function addressOf(ingress: Ingress | undefined, family: AddressFamily) {
  const status = ingress === undefined ? {} : { loadBalancer: { ingress: [...ingress] } };
  return addressOfService({ status }, { ref: REF, family });
}

const FOUND: readonly (readonly [string, Ingress, AddressFamily, string])[] = [
  ['one', [{ ip: '10.0.0.1' }], 'IPv4', '10.0.0.1'],
  ['dual stack, IPv4 wanted', [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }], 'IPv4', '10.0.0.1'],
  ['dual stack, IPv6 wanted', [{ ip: '10.0.0.1' }, { ip: 'fd00:0::1' }], 'IPv6', 'fd00::1'],
  ['the same twice', [{ ip: '10.0.0.1' }, { ip: '10.0.0.1' }], 'IPv4', '10.0.0.1'],
  ['an IP with its own name', [{ ip: '10.0.0.1', hostname: 'lb.example' }], 'IPv4', '10.0.0.1'],
];

for (const [title, ingress, family, ip] of FOUND) {
  service(title, () => assert.equal(addressOf(ingress, family), { ip, family }));
}

const REFUSED: readonly (readonly [string, Ingress | undefined, string])[] = [
  ['no status', undefined, 'ADDRESS_NOT_FOUND'],
  ['empty', [], 'ADDRESS_NOT_FOUND'],
  ['an empty entry', [{}], 'ADDRESS_NOT_FOUND'],
  ['only the other family', [{ ip: 'fd00::1' }], 'ADDRESS_NOT_FOUND'],
  ['two', [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }], 'ADDRESS_AMBIGUOUS'],
  ['a host name', [{ hostname: 'lb.example' }], 'ADDRESS_IS_HOSTNAME'],
  ['a host name beside an IP', [{ ip: '10.0.0.1' }, { hostname: 'lb.example' }], 'ADDRESS_IS_HOSTNAME'],
  ['loopback', [{ ip: '127.0.0.1' }], 'ADDRESS_NOT_ROUTABLE'],
];

for (const [title, ingress, code] of REFUSED) {
  service(`refused: ${title}`, async () => {
    const diagnostics = await refusalBy(() => addressOf(ingress, 'IPv4'));
    assert.equal(
      diagnostics.map((diagnostic) => diagnostic.code),
      [code],
    );
    assert.equal(diagnostics[0]?.at, { apiVersion: 'v1', ...REF, pointer: '/status/loadBalancer/ingress' });
  });
}

service('what is no IP has no family', async () => {
  assert.equal(await codesBy(() => addressOf([{ ip: 'canary' }], 'IPv4')), ['ADDRESS_NOT_FOUND']);
});

service.run();
