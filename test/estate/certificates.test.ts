import { createPrivateKey, X509Certificate } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type CaOptions, issue, makeCa } from './certificates.ts';

const certificates = suite('certificates');

/** DER of the OID of basicConstraints, 2.5.29.19. */
const BASIC_CONSTRAINTS = Buffer.from('0603551d13', 'hex');
/** DER of `[0] { INTEGER 2 }`: version 3. */
const VERSION_3 = Buffer.from('a003020102', 'hex');

const CONSTRAINTS: readonly (readonly [CaOptions, { readonly ca: boolean; readonly present: boolean }])[] = [
  [{}, { ca: true, present: true }],
  [{ basicConstraints: 'ca' }, { ca: true, present: true }],
  [{ basicConstraints: 'false' }, { ca: false, present: true }],
  [{ basicConstraints: 'absent' }, { ca: false, present: false }],
];

for (const [options, expected] of CONSTRAINTS) {
  certificates(`makeCa(${JSON.stringify(options)}) signs itself`, async () => {
    const made = await makeCa({ commonName: 'one', ...options });
    const certificate = new X509Certificate(made.certificatePem);
    assert.is(certificate.subject, 'CN=one');
    assert.ok(certificate.verify(certificate.publicKey));
    assert.ok(certificate.checkPrivateKey(createPrivateKey(made.privateKeyPem)));
    assert.equal({ ca: certificate.ca, present: certificate.raw.includes(BASIC_CONSTRAINTS) }, expected);
    assert.ok(certificate.raw.includes(VERSION_3));
  });
}

certificates('a CA whose key usage lacks signing issued nothing that counts', async () => {
  const codes: boolean[] = [];
  for (const keyUsage of ['sign', 'no-sign'] as const) {
    const ca = await makeCa({ keyUsage });
    const leaf = await issue(ca, { dnsNames: ['a.internal'] });
    codes.push(new X509Certificate(leaf.certificatePem).checkIssued(new X509Certificate(ca.certificatePem)));
  }
  assert.equal(codes, [true, false]);
});

certificates('a certificate is valid now unless told otherwise', async () => {
  const ca = await makeCa();
  for (const { certificatePem } of [ca, await issue(ca, {})]) {
    const { validFromDate, validToDate } = new X509Certificate(certificatePem);
    assert.ok(validFromDate.getTime() < Date.now() && Date.now() < validToDate.getTime());
  }
});

certificates('a certificate has the validity it was told', async () => {
  const validity = {
    notBefore: new Date('2020-01-01T00:00:00Z'),
    notAfter: new Date('2055-01-01T00:00:00Z'),
  };
  const ca = await makeCa(validity);
  for (const { certificatePem } of [ca, await issue(ca, validity)]) {
    const { validFromDate, validToDate } = new X509Certificate(certificatePem);
    assert.equal({ notBefore: validFromDate, notAfter: validToDate }, validity);
  }
});

certificates('a server certificate is signed by its CA, has its names and no other', async () => {
  const [ca, other] = [await makeCa({ commonName: 'a' }), await makeCa({ commonName: 'a' })];
  const issued = await issue(ca, { dnsNames: ['a.internal'], ips: ['127.0.0.2', '::1'] });
  const leaf = new X509Certificate(issued.certificatePem);
  assert.ok(leaf.verify(new X509Certificate(ca.certificatePem).publicKey));
  assert.not(leaf.verify(new X509Certificate(other.certificatePem).publicKey));
  assert.is(leaf.issuer, 'CN=a');
  assert.is(leaf.ca, false);
  assert.is(leaf.checkHost('a.internal'), 'a.internal');
  assert.is(leaf.checkHost('b.internal'), undefined);
  assert.is(leaf.checkIP('127.0.0.2'), '127.0.0.2');
  assert.is(leaf.checkIP('127.0.0.1'), undefined);
  assert.ok(leaf.checkIP('::1'));
  assert.ok(leaf.checkPrivateKey(createPrivateKey(issued.privateKeyPem)));
});

certificates('PEM ends its last line', async () => {
  const { certificatePem, privateKeyPem } = await makeCa();
  assert.match(certificatePem, /-----END CERTIFICATE-----\n$/);
  assert.match(privateKeyPem, /-----END PRIVATE KEY-----\n$/);
});

certificates.run();
