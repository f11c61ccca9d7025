import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Certificate, issue, makeCa } from './certificates.ts';
import { errorCodeOf, httpsGet } from './https-get.ts';
import { startTlsRegistry, type TlsRegistry } from './tls-registry.ts';

const registrySuite = suite('tls registry');

const HOST = 'registry.ok-shared.internal';

let ca: Certificate;
let registry: TlsRegistry;

registrySuite.before(async () => {
  ca = await makeCa();
  registry = await startTlsRegistry(HOST, await issue(ca, { dnsNames: [HOST, 'other.internal'] }));
});
registrySuite.after(() => registry.stop());

for (const [servername, path, status] of [
  [HOST, '/v2/', 200],
  [HOST, '/', 404],
  ['other.internal', '/v2/', 421],
] as const) {
  registrySuite(`${path} of ${servername} is ${status}`, async () => {
    const reply = await httpsGet(registry.url + path, { ca: ca.certificatePem, servername });
    assert.is(reply.status, status);
    assert.is(reply.headers['docker-distribution-api-version'], 'registry/2.0');
  });
}

registrySuite('does not verify for who does not trust its CA', async () => {
  const foreign = await makeCa({ commonName: 'foreign' });
  for (const trusted of [{}, { ca: foreign.certificatePem }]) {
    const asked = httpsGet(`${registry.url}/v2/`, { servername: HOST, ...trusted });
    assert.is(await errorCodeOf(asked), 'UNABLE_TO_VERIFY_LEAF_SIGNATURE');
  }
});

registrySuite('does not verify for a name that its certificate lacks', async () => {
  const asked = httpsGet(`${registry.url}/v2/`, { ca: ca.certificatePem, servername: 'third.internal' });
  assert.is(await errorCodeOf(asked), 'ERR_TLS_CERT_ALTNAME_INVALID');
});

registrySuite.run();
