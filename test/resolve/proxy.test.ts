/** Which proxy is on the way to a cluster: the kubeconfig's, else the environment's, else none; never its password in words. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Refusal } from '../../src/diagnostic.ts';
import { findProxy } from '../../src/resolve/proxy.ts';

const proxy = suite('proxy');

const SERVER = 'https://api.example:6443';
const PASSWORD = 'canary-password';

interface Given {
  readonly server?: string;
  readonly proxyUrl?: unknown;
  readonly env?: Readonly<Record<string, string>>;
}

function find({ server = SERVER, proxyUrl, env = {} }: Given) {
  return findProxy({ server, proxyUrl, env, at: { file: 'kubeconfig' } });
}

/** What is given, and the place that is shown. */
const PLACES: readonly (readonly [string, Given, string | undefined])[] = [
  ['nothing', {}, undefined],
  ['proxy-url', { proxyUrl: 'http://proxy.example:3128' }, 'proxy.example:3128'],
  [
    'proxy-url with the port of its scheme',
    { proxyUrl: 'https://proxy.example' },
    'https://proxy.example:443',
  ],
  ['proxy-url knows no exemptions', { proxyUrl: 'http://p:1', env: { NO_PROXY: '*' } }, 'p:1'],
  ['an empty proxy-url is none', { proxyUrl: '' }, undefined],
  ['HTTPS_PROXY', { env: { HTTPS_PROXY: 'http://p:1' } }, 'p:1'],
  ['the lower-case name wins', { env: { HTTPS_PROXY: 'http://p:1', https_proxy: 'http://q:2' } }, 'q:2'],
  ['without a scheme', { env: { HTTPS_PROXY: 'p:1' } }, 'p:1'],
  ['proxy-url wins over the variable', { proxyUrl: 'http://p:1', env: { HTTPS_PROXY: 'http://q:2' } }, 'p:1'],
  ['NO_PROXY', { env: { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'api.example' } }, undefined],
  ['NO_PROXY of another', { env: { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'other.example' } }, 'p:1'],
  ['a server without TLS', { server: 'http://api.example', env: { HTTPS_PROXY: 'http://p:1' } }, undefined],
  ['an empty variable is none', { env: { HTTPS_PROXY: '' } }, undefined],
];

for (const [title, given, place] of PLACES) {
  proxy(title, () => assert.is(find(given)?.place, place));
}

const INVALID: readonly (readonly [string, Given])[] = [
  ['SOCKS', { proxyUrl: `socks5://me:${PASSWORD}@p:1` }],
  ['no URL', { proxyUrl: `not a url ${PASSWORD}` }],
  ['another scheme', { env: { HTTPS_PROXY: `ftp://me:${PASSWORD}@p` } }],
  ['a password that can’t be decoded', { env: { HTTPS_PROXY: `http://me:%zz${PASSWORD}@p` } }],
];

for (const [title, given] of INVALID) {
  proxy(`refused without its text: ${title}`, () => {
    try {
      find(given);
    } catch (cause) {
      assert.instance(cause, Refusal);
      const { diagnostics } = cause as Refusal;
      assert.equal(
        diagnostics.map(({ code }) => code),
        ['PROXY_INVALID'],
      );
      assert.not.match(JSON.stringify(diagnostics), new RegExp(PASSWORD));
      return;
    }
    assert.unreachable();
  });
}

proxy('the password is kept, and not printed', () => {
  const found = find({ proxyUrl: `http://me:${PASSWORD}@p:1` });
  assert.not.match(JSON.stringify(found), new RegExp(PASSWORD));
  assert.match(found?.uri.reveal() ?? '', new RegExp(PASSWORD));
});

proxy.run();
