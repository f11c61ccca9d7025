/** Places of API servers are compared in one spelling; what is no place equals nothing. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { placeOfUrl, serverPlace } from '../../src/trust/server-place.ts';

const places = suite('server place');

const HOSTS: readonly (readonly [string, string, string | undefined])[] = [
  ['10.0.0.1', '6443', '10.0.0.1:6443'],
  ['API.Example.Internal', '6443', 'api.example.internal:6443'],
  ['api.example.internal.', '443', 'api.example.internal:443'],
  ['2001:DB8:0:0::0001', '6443', '[2001:db8::1]:6443'],
  ['[2001:db8::1]', '6443', '[2001:db8::1]:6443'],
  ['', '6443', undefined],
  [`\${ENDPOINT}`, '6443', undefined],
  ['user@10.0.0.1', '6443', undefined],
  ['10.0.0.1/path', '6443', undefined],
  ['fe80::1%eth0', '6443', undefined],
  ['10.0.0.1', '65536', undefined],
];

for (const [host, port, expected] of HOSTS)
  places(`host ${JSON.stringify(host)}, port ${port}`, () => assert.is(serverPlace(host, port), expected));

const URLS: readonly (readonly [string, string | undefined])[] = [
  ['https://10.0.0.1', '10.0.0.1:443'],
  ['https://10.0.0.1:443/', '10.0.0.1:443'],
  ['https://API.example.internal.:6443/k8s/clusters/c-1', 'api.example.internal:6443'],
  ['https://[2001:db8:0:0::1]:6443', '[2001:db8::1]:6443'],
  ['http://10.0.0.1:6443', undefined],
  ['10.0.0.1:6443', undefined],
];

for (const [url, expected] of URLS) places(url, () => assert.is(placeOfUrl(url), expected));

places.run();
