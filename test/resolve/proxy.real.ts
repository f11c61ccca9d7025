/**
 * Proxies on the way to a real API server whose name only the proxy knows. `PRINT_TABLE=1` prints how each run ended.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Certificate, issue, makeCa } from '../estate/certificates.ts';
import { type ConnectProxy, type ConnectProxyOptions, startConnectProxy } from '../estate/connect-proxy.ts';
import { closedPort } from '../support/closed-port.ts';
import { type Ending, type RealPlace, startRealPlace } from './real-place.ts';
import { base64, kubeconfigOf } from './support.ts';

const proxies = suite('proxies before a real API server');

/** With every sign that has a meaning in a URL. */
const PASSWORD = `canary:p@ss/w%rd?#é-${crypto.randomUUID()}`;
const LOGIN = { user: 'ops@internal', password: PASSWORD };
const LOGIN_IN_URL = `${encodeURIComponent(LOGIN.user)}:${encodeURIComponent(PASSWORD)}`;
const EMPTY: ConnectProxyOptions = {};
/** A name: Node complains of a TLS proxy that is named by its address. */
const PROXY = 'localhost';

let place: RealPlace;
/** Of the API server, as its kubeconfig has it. */
let server: string;
/** For proxies that are reached over TLS: a file for NODE_EXTRA_CA_CERTS. */
let proxyCaFile: string;
let tlsProxy: ConnectProxyOptions;
let otherName: Certificate;
let closed: number;

proxies.before(async () => {
  place = await startRealPlace();
  server = `${place.cluster.dnsName}:${place.cluster.port}`;
  const ca = await makeCa({ commonName: 'proxy CA' });
  proxyCaFile = place.write('proxy-ca.crt', ca.certificatePem);
  tlsProxy = { serving: await issue(ca, { dnsNames: ['localhost'] }) };
  otherName = await issue(ca, { dnsNames: ['proxy.internal'] });
  closed = await closedPort();
});
proxies.after(() => place?.stop());

interface Way {
  readonly env?: Readonly<Record<string, string>>;
  readonly cluster?: object;
}

/** Runs `render` with a proxy that has these options; a way gets its place. */
async function run(
  title: string,
  options: ConnectProxyOptions,
  way: (at: string) => Way,
): Promise<{ readonly ending: Ending; readonly proxy: ConnectProxy }> {
  const { cluster, write } = place;
  const proxy = await startConnectProxy({ hosts: { [cluster.dnsName]: cluster.host }, ...options });
  const { env = {}, cluster: changes } = way(`${PROXY}:${proxy.port}`);
  const good = { server: `https://${server}`, 'certificate-authority-data': base64(cluster.servingCaPem) };
  const [{ user }] = JSON.parse(cluster.kubeconfig('admin-token')).users;
  const path = write('behind-a-proxy', kubeconfigOf({ ...good, ...changes }, user));
  const ending = await place.render({
    title,
    env: { REGISTRY_CA_KUBECONFIG: path, ...env },
    // Long enough for each try, short enough for a proxy that is silent.
    args: ['--address', '10.0.0.1', '--timeout', '8'],
  });
  await proxy.stop();
  for (const piece of [PASSWORD, LOGIN_IN_URL, PASSWORD.slice(-36), base64(PASSWORD).slice(4, 40)])
    assert.not(ending.stderr.includes(piece), `${title}: the password was shown`);
  return { ending, proxy };
}

const THROUGH: readonly (readonly [string, () => ConnectProxyOptions, (at: string) => Way])[] = [
  ['HTTPS_PROXY', () => EMPTY, (at) => ({ env: { HTTPS_PROXY: `http://${at}` } })],
  ['https_proxy without a scheme', () => EMPTY, (at) => ({ env: { https_proxy: at } })],
  [
    'NO_PROXY of others',
    () => EMPTY,
    (at) => ({
      env: { HTTPS_PROXY: `http://${at}`, NO_PROXY: 'other.internal,10.0.0.0/8,api.ca.internal:1' },
    }),
  ],
  [
    'HTTPS_PROXY with name and password',
    () => ({ login: LOGIN }),
    (at) => ({ env: { HTTPS_PROXY: `http://${LOGIN_IN_URL}@${at}` } }),
  ],
  [
    'proxy-url, which knows no NO_PROXY',
    () => EMPTY,
    (at) => ({ cluster: { 'proxy-url': `http://${at}` }, env: { NO_PROXY: '*' } }),
  ],
  [
    'proxy-url to a server that is named by its address',
    () => ({ hosts: { [place.cluster.host]: place.cluster.host } }),
    (at) => ({ cluster: { 'proxy-url': `http://${at}`, server: place.cluster.url } }),
  ],
  [
    'proxy-url with name and password',
    () => ({ login: LOGIN }),
    (at) => ({ cluster: { 'proxy-url': `http://${LOGIN_IN_URL}@${at}` } }),
  ],
  [
    'HTTPS_PROXY over TLS, with name and password',
    () => ({ ...tlsProxy, login: LOGIN }),
    (at) => ({ env: { HTTPS_PROXY: `https://${LOGIN_IN_URL}@${at}`, NODE_EXTRA_CA_CERTS: proxyCaFile } }),
  ],
];

for (const [title, options, way] of THROUGH) {
  proxies(`through it: ${title}`, async () => {
    const { ending, proxy } = await run(title, options(), way);
    assert.is(ending.codes, 'HYDRATED', ending.stderr);
    assert.is(ending.ca, place.registryCa.certificatePem);
    assert.equal(
      proxy.asked.map((one) => one.replace(place.cluster.host, place.cluster.dnsName)),
      [`${server} 200`],
    );
  });
}

const EXEMPT = ['api.ca.internal', '.ca.internal', 'ca.internal', '*'];

for (const noProxy of EXEMPT) {
  const title = `NO_PROXY=${noProxy}`;
  proxies(`past it: ${title}, so the name has to be found here`, async () => {
    const { ending, proxy } = await run(title, {}, (at) => ({
      env: { HTTPS_PROXY: `http://${at}`, NO_PROXY: noProxy },
    }));
    assert.is(ending.codes, 'CLUSTER_UNREACHABLE', ending.stderr);
    assert.equal(proxy.asked, []);
  });
}

proxies('past it: a server on this machine, whatever the variables say', async () => {
  const { cluster } = place;
  const { ending, proxy } = await run('loopback', { whim: 403 }, (at) => ({
    env: { HTTPS_PROXY: `http://${at}` },
    cluster: { server: cluster.url },
  }));
  assert.is(ending.codes, 'HYDRATED', ending.stderr);
  assert.equal(proxy.asked, []);
});

type Refused = readonly [
  title: string,
  options: () => ConnectProxyOptions,
  way: (at: string) => Way,
  code: string,
  says: RegExp,
];

const byEnv = (at: string): Way => ({ env: { HTTPS_PROXY: `http://${LOGIN_IN_URL}@${at}` } });

const REFUSED: readonly Refused[] = [
  [
    'a password that it does not take',
    () => ({ login: { ...LOGIN, password: 'another' } }),
    byEnv,
    'CLUSTER_PROXY',
    /the proxy localhost:\d+ demands other credentials \(407\)/,
  ],
  [
    'no password where it wants one',
    () => ({ login: LOGIN }),
    (at) => ({ env: { HTTPS_PROXY: `http://${at}` } }),
    'CLUSTER_PROXY',
    /demands other credentials \(407\)/,
  ],
  ['it forbids the server', () => ({ whim: 403 }), byEnv, 'CLUSTER_PROXY', /does not connect to it \(403\)/],
  [
    'it does not find the server',
    () => ({ hosts: {} }),
    byEnv,
    'CLUSTER_PROXY',
    /does not connect to it \(502\); 5 tries were made/,
  ],
  ['it hangs up', () => ({ whim: 'hang up' }), byEnv, 'CLUSTER_PROXY', /can't be reached, or broke off/],
  ['it is silent', () => ({ whim: 'silent' }), byEnv, 'CLUSTER_TIMEOUT', /by the proxy localhost:\d+\)/],
  [
    'nothing listens there',
    () => EMPTY,
    () => ({ env: { HTTPS_PROXY: `http://${LOGIN_IN_URL}@127.0.0.1:${closed}` } }),
    'CLUSTER_PROXY',
    /\(ECONNREFUSED\)/,
  ],
  [
    'its name is unknown',
    () => EMPTY,
    () => ({ env: { HTTPS_PROXY: `http://${LOGIN_IN_URL}@no-such-proxy.invalid:3128` } }),
    'CLUSTER_PROXY',
    /its proxy no-such-proxy\.invalid:3128 can't be reached/,
  ],
  [
    'its certificate is of an unknown authority',
    () => tlsProxy,
    (at) => ({ env: { HTTPS_PROXY: `https://${LOGIN_IN_URL}@${at}` } }),
    'CLUSTER_PROXY',
    /its certificate, or that of the proxy https:\/\/localhost:\d+ on the way, is not trusted \(\w+\)\.\n.*NODE_EXTRA_CA_CERTS/,
  ],
  [
    'its certificate is for another name',
    () => ({ serving: otherName }),
    (at) => ({ env: { HTTPS_PROXY: `https://${LOGIN_IN_URL}@${at}`, NODE_EXTRA_CA_CERTS: proxyCaFile } }),
    'CLUSTER_PROXY',
    /can't be reached, or broke off \(UND_ERR_PRX_TLS\)/,
  ],
  [
    'behind it the API server has another certificate',
    () => EMPTY,
    (at) => ({
      ...byEnv(at),
      cluster: { 'certificate-authority-data': base64(place.registryCa.certificatePem) },
    }),
    'CLUSTER_TLS',
    /by the proxy localhost:\d+\) has a certificate of an unknown authority/,
  ],
];

for (const [title, options, way, code, says] of REFUSED) {
  proxies(`refused: ${title}`, async () => {
    const { ending } = await run(title, options(), way);
    assert.is(ending.codes, code, ending.stderr);
    assert.match(ending.stderr, says);
  });
}

proxies.run();
