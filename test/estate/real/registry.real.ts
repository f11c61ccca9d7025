/** The real registry answers by name and by password, as the fronts and the registries of an estate do. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Certificate, issue, makeCa } from '../certificates.ts';
import { httpsGet, type Reply } from '../https-get.ts';
import { type RealRegistry, startRegistry, type UnknownName } from './registry.ts';

const registries = suite('real registry');

const HOST = 'registry.example.internal';
const OTHER = 'other.example.internal';
const AUTH = { user: 'puller', password: `canary-${crypto.randomUUID()}` };

let ca: Certificate;
let serving: Certificate;
const started: RealRegistry[] = [];

registries.before(async () => {
  ca = await makeCa();
  serving = await issue(ca, { dnsNames: [HOST, OTHER] });
});

registries.after(async () => {
  await Promise.all(started.map((registry) => registry.stop()));
});

registries('an open registry answers for its host, and knows no repository', async () => {
  const registry = await start({ unknownName: 'alert' });
  const root = await get(registry, HOST, '/v2/');
  assert.is(root.status, 200);
  assert.is(root.headers['docker-distribution-api-version'], 'registry/2.0');
  assert.is(root.body, '{}');
  const tags = await get(registry, HOST, '/v2/a/b/tags/list');
  assert.is(tags.status, 404);
  assert.match(tags.body, /NAME_UNKNOWN/);
});

registries('a registry with a user: 401 with a challenge, then 200', async () => {
  const registry = await start({ unknownName: 'alert', auth: AUTH });
  const anonymous = await get(registry, HOST, '/v2/');
  assert.is(anonymous.status, 401);
  assert.is(anonymous.headers['www-authenticate'], 'Basic realm="registry"');
  assert.is((await get(registry, HOST, '/v2/', `${AUTH.user}:wrong`)).status, 401);
  assert.is((await get(registry, HOST, '/v2/', `${AUTH.user}:${AUTH.password}`)).status, 200);
  const requests = await registry.requests();
  assert.equal(
    requests.map(({ path, authorization, status }) => [path, authorization, status]),
    [
      ['/v2/', '', 401],
      ['/v2/', 'Basic', 401],
      ['/v2/', 'Basic', 200],
    ],
  );
  assert.not(JSON.stringify(requests).includes(AUTH.password));
});

registries('another name gets the TLS alert unrecognized_name; the host gets the registry', async () => {
  const registry = await start({ unknownName: 'alert' });
  const cause = await get(registry, OTHER, '/v2/').then(String, String);
  // OpenSSL's own words are all that says which alert it was: Node's code is EPROTO for each.
  assert.match(cause, /unrecognized name:.*SSL alert number 112/);
  assert.is((await get(registry, HOST.toUpperCase(), '/v2/')).status, 200);
});

const UNKNOWN: readonly (readonly [UnknownName, number, string | undefined])[] = [
  ['421', 421, undefined],
  ['default-page', 404, 'text/html'],
];

for (const [unknownName, status, contentType] of UNKNOWN)
  registries(`another name gets ${unknownName}; the host gets the registry`, async () => {
    const registry = await start({ unknownName });
    const reply = await get(registry, OTHER, '/v2/');
    assert.is(reply.status, status);
    assert.is(reply.headers['content-type'], contentType);
    assert.is(reply.headers['docker-distribution-api-version'], undefined);
    assert.is((await get(registry, HOST.toUpperCase(), '/v2/')).status, 200);
  });

registries('a connection without a name is for another name', async () => {
  const registry = await start({ unknownName: '421' });
  assert.is((await get(registry, '', '/v2/')).status, 421);
});

registries('it listens where it is told', async () => {
  const registry = await start({ unknownName: '421', address: '127.0.0.5' });
  assert.is((await get(registry, HOST, '/v2/')).status, 200);
});

registries.run();

async function start(
  options: Omit<Parameters<typeof startRegistry>[0], 'host' | 'serving'>,
): Promise<RealRegistry> {
  const registry = await startRegistry({ host: HOST, serving, ...options });
  started.push(registry);
  return registry;
}

function get(registry: RealRegistry, name: string, path: string, auth?: string): Promise<Reply> {
  return httpsGet(`https://${registry.address}:${registry.port}${path}`, {
    ca: ca.certificatePem,
    servername: name,
    checkServerIdentity: () => undefined,
    headers: name === '' ? {} : { host: name },
    ...(auth === undefined ? {} : { auth }),
  });
}
