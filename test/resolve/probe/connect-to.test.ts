import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { endpointText, parseConnectTo } from '../../../src/resolve/probe/connect-to.ts';
import { codesBy } from '../support.ts';

const connectTo = suite('--connect-to');

for (const [text, ip, port] of [
  ['127.0.0.1:8443', '127.0.0.1', 8443],
  ['[::1]:443', '::1', 443],
  ['[2001:db8::15]:65535', '2001:db8::15', 65535],
] as const) {
  connectTo(`${text} is an endpoint`, () => {
    assert.equal(parseConnectTo(text), { ip, port });
    assert.is(endpointText({ ip, port }), text);
  });
}

for (const text of [
  '',
  '127.0.0.1',
  ':443',
  '127.0.0.1:0',
  '127.0.0.1:65536',
  '127.0.0.1:443 ',
  '127.1:443',
  'localhost:443',
  '::1:443',
  '[127.0.0.1]:443',
  '[::1]',
  'registry.example.internal:443:127.0.0.1:8443',
]) {
  connectTo(`"${text}" is none`, async () => {
    assert.equal(await codesBy(() => parseConnectTo(text)), ['USAGE']);
  });
}

connectTo.run();
