import { createHash, generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Code } from '../../src/diagnostic.ts';
import { DAY, daysFromNow, issueDer, issuePem, NOW, toPem, type Wish } from './issue-certificate.ts';
import { codesOf, diagnosticsOf, parse, piecesOf, refusalOf } from './parse-bundle.ts';

const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const SERVER: Wish = {
  name: 'registry.ok.internal',
  basicConstraints: 'not-a-ca',
  extendedKeyUsage: [SERVER_AUTH],
  dnsNames: ['registry.ok.internal'],
};

const validity = suite('a CA certificate: validity');

/** Milliseconds from now to notAfter, in whole seconds as certificates have it. */
const ENDS: readonly (readonly [string, number, Code | undefined])[] = [
  ['a year ago', -365 * DAY, 'CA_EXPIRED'],
  ['a second ago', -1000, 'CA_EXPIRED'],
  ['now', 0, 'CA_EXPIRED'],
  ['in a second', 1000, 'CA_EXPIRES_SOON'],
  ['in 30 days less a second', 30 * DAY - 1000, 'CA_EXPIRES_SOON'],
  ['in 30 days', 30 * DAY, undefined],
  ['in 2060', Date.UTC(2060, 0) - NOW.getTime(), undefined],
  ['never (9999)', Date.UTC(9999, 11, 31, 23, 59, 59) - NOW.getTime(), undefined],
];

for (const [when, left, code] of ENDS) {
  validity(`ends ${when}: ${code ?? 'fine'}`, () => {
    const notAfter = new Date(NOW.getTime() + left);
    const pem = issuePem({ notBefore: daysFromNow(-1000), notAfter });
    assert.equal(codesOf(diagnosticsOf(pem)), code === undefined ? [] : [code]);
    if (code === undefined) assert.equal(parse(pem).bundle.certificates[0]?.notAfter, notAfter);
  });
}

const STARTS: readonly (readonly [string, number, Code | undefined])[] = [
  ['now', 0, undefined],
  ['in a second', 1000, 'CA_NOT_YET_VALID'],
  ['tomorrow', DAY, 'CA_NOT_YET_VALID'],
];

for (const [when, wait, code] of STARTS) {
  validity(`starts ${when}: ${code ?? 'fine'}`, () => {
    const pem = issuePem({ notBefore: new Date(NOW.getTime() + wait) });
    assert.equal(codesOf(diagnosticsOf(pem)), code === undefined ? [] : [code]);
  });
}

validity('CA_EXPIRES_SOON says how many days are left', () => {
  const [diagnostic] = diagnosticsOf(issuePem({ notAfter: new Date(NOW.getTime() + 12.5 * DAY) }));
  assert.is(diagnostic?.severity, 'warning');
  assert.match(diagnostic?.message ?? '', 'in 12 days');
});

validity('one expired certificate refuses the bundle, by number and fingerprint', () => {
  const expired = issueDer({ name: 'old', notBefore: daysFromNow(-400), notAfter: daysFromNow(-30) });
  const pem = issuePem({ name: 'new' }) + toPem('CERTIFICATE', expired);
  const [diagnostic, ...more] = refusalOf(pem).diagnostics;
  assert.is(diagnostic?.code, 'CA_EXPIRED');
  assert.equal(more, []);
  assert.match(diagnostic?.message ?? '', /\b2 of 2\b/);
  assert.match(diagnostic?.message ?? '', createHash('sha256').update(expired).digest('hex'));
});

validity('the errors of all certificates come together', () => {
  const pem =
    issuePem({ notBefore: daysFromNow(-400), notAfter: daysFromNow(-30) }) +
    issuePem({ basicConstraints: 'not-a-ca' }) +
    issuePem({ notBefore: daysFromNow(5) });
  assert.equal(codesOf(refusalOf(pem).diagnostics), ['CA_EXPIRED', 'CA_NOT_A_CA', 'CA_NOT_YET_VALID']);
});

validity.run();

const refused = suite('a CA certificate: what is refused');

const REFUSED: Readonly<Partial<Record<Code, Readonly<Record<string, () => string>>>>> = {
  CA_INVALID: {
    'a negative serial number': () => issuePem({ serial: 'negative' }),
    'a short RSA key': () =>
      issuePem({ publicKey: generateKeyPairSync('rsa', { modulusLength: 512 }).publicKey }),
    'a large RSA exponent': () =>
      issuePem({
        publicKey: generateKeyPairSync('rsa', { modulusLength: 1024, publicExponent: 4_294_967_291 })
          .publicKey,
      }),
    'a curve that Go lacks': () =>
      issuePem({ publicKey: generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey }),
    'a curve by its parameters': () =>
      issuePem({
        publicKey: generateKeyPairSync('ec', { namedCurve: 'P-256', paramEncoding: 'explicit' }).publicKey,
      }),
    'a key that can not sign for Go': () => issuePem({ publicKey: generateKeyPairSync('ed448').publicKey }),
    'an RSA-PSS key': () =>
      issuePem({ publicKey: generateKeyPairSync('rsa-pss', { modulusLength: 2048 }).publicKey }),
  },
  CA_NOT_A_CA: {
    "the server's certificate": () => issuePem({ ...SERVER, issuer: 'some CA' }),
    'a self-signed server certificate': () => issuePem(SERVER),
    'no basic constraints': () => issuePem({ basicConstraints: 'absent' }),
    'no right to sign certificates': () => issuePem({ keyUsage: 'digitalSignature' }),
    'a CA for clients only': () => issuePem({ extendedKeyUsage: [CLIENT_AUTH] }),
    "a CA with its server's certificate": () => issuePem() + issuePem(SERVER),
  },
};

for (const [code, cases] of Object.entries(REFUSED)) {
  for (const [what, write] of Object.entries(cases)) {
    refused(`${code}: ${what}; nothing of it is told`, () => {
      const text = write();
      const thrown = refusalOf(text);
      assert.equal(codesOf(thrown.diagnostics), [code]);
      const told = [
        JSON.stringify(thrown.diagnostics),
        inspect(thrown, { showHidden: true, depth: null }),
      ].join('\n');
      for (const piece of piecesOf(text)) assert.not.match(told, piece);
    });
  }
}

refused('the hint for a server certificate differs from that for a self-signed one', () => {
  const [byCa] = refusalOf(issuePem({ ...SERVER, issuer: 'some CA' })).diagnostics;
  const [bySelf] = refusalOf(issuePem(SERVER)).diagnostics;
  assert.match(byCa?.hint ?? '', 'the CA that signed it is needed');
  assert.is.not(bySelf?.hint, byCa?.hint);
});

refused.run();

const usable = suite('a CA certificate: CAs that containerd can use');

const USABLE: Readonly<Record<string, Wish>> = {
  'RSA 1024': { publicKey: generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey },
  'P-224': { publicKey: generateKeyPairSync('ec', { namedCurve: 'secp224r1' }).publicKey },
  'P-384': { publicKey: generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey },
  'P-521': { publicKey: generateKeyPairSync('ec', { namedCurve: 'P-521' }).publicKey },
  Ed25519: { publicKey: generateKeyPairSync('ed25519').publicKey },
  'key usage with keyCertSign': { keyUsage: 'keyCertSign' },
  'extended key usage with serverAuth': { extendedKeyUsage: [CLIENT_AUTH, SERVER_AUTH] },
  'any extended key usage': { extendedKeyUsage: ['2.5.29.37.0'] },
  'an intermediate CA': { issuer: 'the root' },
};

for (const [what, wish] of Object.entries(USABLE)) {
  usable(what, () => {
    assert.equal(parse(issuePem(wish)).diagnostics, []);
  });
}

usable.run();
