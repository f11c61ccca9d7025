/** Spellings at the edge of what a mirror may be: what Go's URL parser or image references would read otherwise. */
import { isIPv4 } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { diagnosticsOf } from '../../src/diagnostic.ts';
import { endpointIdentity, parseMirrorEndpoint, parseMirroredRegistry } from '../../src/trust/mirror.ts';
import { fc } from '../support/fuzz.ts';

const spellings = suite('spellings of mirrors');

for (const text of [
  'localhost',
  'localhost:5000',
  'registry:5000',
  '[fd00::1]:5000',
  '192.0.2.1',
  'a.b:443',
]) {
  spellings(`${text} can be mirrored`, () => assert.is(parseMirroredRegistry(text), text));
}

/** Registry, and a word of the hint. */
const NO_REGISTRY: readonly (readonly [string, RegExp])[] = [
  ['registry', /host:port/],
  ['index.docker.io', /docker\.io/],
  ['10.0.0.256:5000', /image references/],
  ['010.0.0.1:5000', /image references/],
  ['1', /image references/],
  ['[fd00::1%eth0]:5000', /image references/],
  ['[fd00::1', /image references/],
  [`${'x'.repeat(64)}.io`, /image references/],
  [`${'x.'.repeat(126)}io`, /image references/],
  ['ghcr.io\n', /image references/],
  ['ghcr.io:5000\n', /image references/],
  ['a.b:$(PORT)', /Expand/],
];

for (const [text, hint] of NO_REGISTRY) {
  spellings(`${JSON.stringify(text.slice(0, 24))} can't be mirrored`, () => {
    const found = refusal(() => parseMirroredRegistry(text));
    assert.is(found?.code, 'MIRROR_INVALID');
    assert.match(found?.hint ?? '', hint);
  });
}

const ENDPOINTS = [
  'http://127.0.0.1:29999',
  'https://m.internal/v2/proxy_cache',
  'https://m.internal/v2/a%2Fb',
  'https://m.internal/a.b/..c',
];

for (const url of ENDPOINTS)
  spellings(`${url} is an endpoint`, () => assert.is(parseMirrorEndpoint(url).url, url));

const NO_ENDPOINT = [
  'https://m.internal/%zz',
  'https://m.internal/%2',
  'https://m.internal/ü',
  'https://m.internal/a//b',
  'https://m.internal//',
  'https://m.internal/../x',
  'https://m.internal/./x',
  'https://m.internal/x/..',
  'https://m.internal/{x}',
  'https://1',
  'https://0x7f.1',
  'https://010.0.0.1',
  'https://10.0.0.256',
  'https://m.internal.',
  'https://m_m.internal',
  'https://[fd00::1%25eth0]',
  'https://[::ffff]:',
  'https://m.internal:',
  'https://m.internal:0443',
  'https://m.internal\\@evil.example',
  'https://m.internal\n',
  'https://m.internal/x\n',
  'HTTPS://m.internal',
  'https:m.internal',
];

for (const url of NO_ENDPOINT)
  spellings(`${JSON.stringify(url)} is no endpoint`, () =>
    assert.is(refusal(() => parseMirrorEndpoint(url))?.code, 'MIRROR_INVALID'),
  );

spellings('one endpoint, however it is spelled', () => {
  const same = [
    'https://m.internal',
    'https://m.internal/',
    'https://m.internal:443',
    'https://m.internal:443/',
  ];
  assert.is(new Set(same.map(endpointIdentity)).size, 1);
  assert.is(endpointIdentity('https://m.internal/v2/'), endpointIdentity('https://m.internal/v2'));
  const others = [...same, 'http://m.internal', 'https://m.internal/v2', 'https://m.internal:8443', 'no URL'];
  assert.is(new Set(others.map(endpointIdentity)).size, 5);
});

spellings('what is accepted is one host for every reader of URLs', () => {
  const host = fc.oneof(
    fc.domain(),
    fc.ipV4(),
    fc.ipV6().map((ip) => `[${ip}]`),
    fc.stringMatching(/^[0-9a-fx.:[\]]{1,12}$/),
  );
  const path = fc.oneof(fc.constant(''), fc.webPath(), fc.stringMatching(/^\/[a-z.%/2]{0,9}$/));
  fc.assert(
    fc.property(fc.constantFrom('http', 'https'), host, path, (scheme, authority, rest) => {
      const url = `${scheme}://${authority}${rest}`;
      if (refusal(() => parseMirrorEndpoint(url)) !== undefined) return;
      const parsed = parseMirrorEndpoint(url);
      const whatwg = new URL(url);
      assert.equal([parsed.scheme, parsed.hostKey], [scheme, authority]);
      assert.is(`${whatwg.protocol}//`, `${scheme}://`);
      assert.is(endpointIdentity(url), endpointIdentity(whatwg.href));
      if (/^[\d.]+$/.test(authority)) assert.ok(isIPv4(authority) && whatwg.host === authority);
      assert.not.match(rest, /%(?![0-9A-Fa-f]{2})/);
    }),
  );
});

spellings.run();

function refusal(parse: () => unknown) {
  try {
    parse();
    return undefined;
  } catch (cause) {
    return diagnosticsOf(cause)[0];
  }
}
