import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { diagnosticsOf } from '../../src/diagnostic.ts';
import { parseMirrorEndpoint, parseMirroredRegistry } from '../../src/trust/mirror.ts';

const mirror = suite('mirrors');

for (const text of ['ghcr.io', 'registry.example.internal:5000', '192.0.2.1:5000', '*', 'docker.io']) {
  mirror(`${text} can be mirrored`, () => assert.is(parseMirroredRegistry(text), text));
}

for (const text of [
  '',
  'https://ghcr.io',
  'ghcr.io/x',
  'GHCR.io',
  'ghcr.io:0',
  'ghcr.io:65536',
  'ghcr.io:',
  '-a.io',
  'a..b',
  '${REGISTRY}',
  'user@ghcr.io',
  '**',
  'a b',
]) {
  mirror(`"${text}" can not`, () => {
    const found = refusal(() => parseMirroredRegistry(text));
    assert.is(found?.code, 'MIRROR_INVALID');
    assert.is(found?.hint.includes('Expand variables'), text.includes('${'));
  });
}

for (const [url, scheme, hostKey] of [
  ['https://mirror.internal', 'https', 'mirror.internal'],
  ['https://mirror.internal/', 'https', 'mirror.internal'],
  ['http://mirror.internal:5000/v2/ghcr', 'http', 'mirror.internal:5000'],
  ['https://192.0.2.1:5000', 'https', '192.0.2.1:5000'],
  ['https://[2001:db8::1]:5000', 'https', '[2001:db8::1]:5000'],
] as const) {
  mirror(`${url} is an endpoint`, () => assert.equal(parseMirrorEndpoint(url), { url, scheme, hostKey }));
}

for (const [url, problem] of [
  ['mirror.internal', /start with/],
  ['ftp://mirror.internal', /start with/],
  ['https://', /URL|host/],
  ['https://u:p4ssw0rd@mirror.internal', /credentials/],
  ['https://@mirror.internal', /credentials/],
  ['https://mirror.internal?x=1', /query/],
  ['https://mirror.internal?', /query/],
  ['https://mirror.internal#x', /query/],
  ['https://Mirror.internal', /lower case/],
  ['https://mirror.internal:0', /port/],
  ['https://mirror.internal:99999', /URL|port/],
  ['https://${HOST}', /variable/],
  ['https://mirror internal', /URL/],
  ['https://mir"ror.internal', /URL/],
] as const) {
  mirror(`${url} is none, and isn't repeated`, () => {
    const found = refusal(() => parseMirrorEndpoint(url));
    assert.is(found?.code, 'MIRROR_INVALID');
    assert.match(found?.message ?? '', problem);
    assert.not.match(JSON.stringify(found), /p4ssw0rd/);
  });
}

mirror.run();

function refusal(parse: () => unknown) {
  try {
    parse();
    return undefined;
  } catch (cause) {
    return diagnosticsOf(cause)[0];
  }
}
