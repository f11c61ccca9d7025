import { createHash, generateKeyPairSync, X509Certificate } from 'node:crypto';
import { inspect } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Code } from '../../src/diagnostic.ts';
import { issue, makeCa } from '../estate/certificates.ts';
import { daysFromNow, issueDer, issuePem, makeKey, toPem } from './issue-certificate.ts';
import { codesOf, diagnosticsOf, parse, piecesOf, refusalOf } from './parse-bundle.ts';

const accepted = suite('parseCaBundle: what it gives');

accepted('a single CA, without remarks', () => {
  const der = issueDer({ name: 'one' });
  const { bundle, diagnostics } = parse(toPem('CERTIFICATE', der));
  assert.equal(diagnostics, []);
  assert.equal(bundle.certificates, [
    {
      subject: 'CN=one, O=ok',
      fingerprint: `sha256:${createHash('sha256').update(der).digest('hex')}`,
      notBefore: daysFromNow(-1),
      notAfter: daysFromNow(365),
    },
  ]);
});

accepted('canonical PEM, and base64 of it in one line', () => {
  const der = issueDer();
  const body = der.toString('base64');
  const { bundle } = parse(`-----BEGIN CERTIFICATE-----\r\n${body}\r\n-----END CERTIFICATE-----`);
  const pem = bundle.pem.reveal();
  const lines = pem.split('\n');
  assert.is(lines[0], '-----BEGIN CERTIFICATE-----');
  assert.ok(lines.slice(1, -3).every((line) => line.length === 64));
  assert.is(lines.slice(1, -2).join(''), body);
  assert.equal(lines.slice(-2), ['-----END CERTIFICATE-----', '']);
  assert.is(bundle.base64.reveal(), Buffer.from(pem).toString('base64'));
  assert.equal(new X509Certificate(pem).raw, der);
});

accepted('its own output again, byte for byte', () => {
  const first = parse(`# note\r\n${issuePem({ name: 'a' })}${issuePem({ name: 'b' })}`).bundle;
  const second = parse(first.pem.reveal()).bundle;
  assert.is(second.pem.reveal(), first.pem.reveal());
  assert.is(second.base64.reveal(), first.base64.reveal());
});

accepted('a certificate without a subject', () => {
  const [certificate] = parse(issuePem({ name: '' })).bundle.certificates;
  assert.is(certificate?.subject, '');
});

accepted('control characters of a subject come escaped', () => {
  const [certificate] = parse(issuePem({ name: 'a\u001b[31mb' })).bundle.certificates;
  assert.not.match(certificate?.subject ?? '', /[\x00-\x1f]/);
});

accepted.run();

const remarks = suite('parseCaBundle: remarks');

remarks('CA_BUNDLE: two certificates, in their order', () => {
  const { bundle, diagnostics } = parse(issuePem({ name: 'new' }) + issuePem({ name: 'old' }));
  assert.equal(codesOf(diagnostics), ['CA_BUNDLE']);
  assert.equal(
    bundle.certificates.map((certificate) => certificate.subject),
    ['CN=new, O=ok', 'CN=old, O=ok'],
  );
  assert.is(bundle.pem.reveal().match(/BEGIN/g)?.length, 2);
});

remarks('CA_DUPLICATE: the same certificate twice is there once', () => {
  const pem = issuePem();
  const { bundle, diagnostics } = parse(pem + pem);
  assert.equal(codesOf(diagnostics), ['CA_DUPLICATE']);
  assert.is(bundle.pem.reveal(), parse(pem).bundle.pem.reveal());
});

remarks('CA_DUPLICATE: each repetition, first places kept', () => {
  const [a, b] = [issuePem({ name: 'a' }), issuePem({ name: 'b' })];
  const { bundle, diagnostics } = parse(a + b + a + a);
  assert.equal(codesOf(diagnostics), ['CA_DUPLICATE', 'CA_DUPLICATE', 'CA_BUNDLE']);
  assert.is(bundle.pem.reveal(), parse(a + b).bundle.pem.reveal());
});

remarks('two certificates of one name are no duplicates', () => {
  const { bundle, diagnostics } = parse(issuePem() + issuePem());
  assert.equal(codesOf(diagnostics), ['CA_BUNDLE']);
  assert.is(bundle.certificates.length, 2);
});

remarks('CA_TEXT_IGNORED: the preamble that openssl writes', () => {
  const pem = issuePem();
  const preamble = 'Certificate:\n    Data:\n        Version: 3 (0x2)\n        Issuer: CN = ok\n';
  const { bundle, diagnostics } = parse(preamble + pem);
  assert.equal(codesOf(diagnostics), ['CA_TEXT_IGNORED']);
  assert.is(diagnostics[0]?.severity, 'warning');
  assert.is(bundle.pem.reveal(), parse(pem).bundle.pem.reveal());
});

remarks('CA_TEXT_IGNORED: a comment behind', () => {
  assert.equal(codesOf(parse(`${issuePem()}# rotated in May\n`).diagnostics), ['CA_TEXT_IGNORED']);
});

remarks('CA_LINE_ENDS: CR LF', () => {
  const pem = issuePem();
  const { bundle, diagnostics } = parse(pem.replaceAll('\n', '\r\n'));
  assert.equal(codesOf(diagnostics), ['CA_LINE_ENDS']);
  assert.is(bundle.pem.reveal(), parse(pem).bundle.pem.reveal());
});

remarks('CA_LINE_ENDS: lone CR', () => {
  assert.equal(codesOf(parse(issuePem().replaceAll('\n', '\r')).diagnostics), ['CA_LINE_ENDS']);
});

remarks('CA_NO_FINAL_NEWLINE', () => {
  const pem = issuePem();
  const { bundle, diagnostics } = parse(pem.trimEnd());
  assert.equal(codesOf(diagnostics), ['CA_NO_FINAL_NEWLINE']);
  assert.is(bundle.pem.reveal(), parse(pem).bundle.pem.reveal());
});

remarks('a byte order mark is nothing to remark', () => {
  assert.equal(parse(`\uFEFF${issuePem()}`).diagnostics, []);
});

remarks.run();

const refused = suite('parseCaBundle: what it refuses');

const CODES_OF_TEXTS: Readonly<Partial<Record<Code, Readonly<Record<string, () => string>>>>> = {
  CA_EMPTY: {
    nothing: () => '',
    'white space': () => ' \r\n\t\n',
    'a byte order mark': () => '\uFEFF\n',
  },
  CA_INVALID: {
    'no PEM': () => 'this is no certificate\n',
    DER: () => issueDer().toString('utf8'),
    'base64 of PEM': () => Buffer.from(issuePem()).toString('base64'),
    'garbage between fences': () =>
      '-----BEGIN CERTIFICATE-----\n%%% garbage %%%\n-----END CERTIFICATE-----\n',
    'base64 that is no certificate': () => toPem('CERTIFICATE', Buffer.from('just some text, no DER at all')),
    'a truncated certificate': () => toPem('CERTIFICATE', issueDer().subarray(0, -20)),
    'bytes behind a certificate': () => toPem('CERTIFICATE', Buffer.concat([issueDer(), Buffer.from([0])])),
    'two certificates in one block': () => toPem('CERTIFICATE', Buffer.concat([issueDer(), issueDer()])),
    'PEM inside of PEM': () => toPem('CERTIFICATE', Buffer.from(issuePem())),
    'a broken second certificate': () => issuePem() + toPem('CERTIFICATE', issueDer().subarray(0, 50)),
    'certificates on one line': () => issuePem().trimEnd() + issuePem(),
    'a public key': () =>
      toPem(
        'PUBLIC KEY',
        generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'der' }),
      ),
    'a request': () => issuePem().replaceAll('CERTIFICATE', 'CERTIFICATE REQUEST'),
    "openssl's trusted certificate": () => issuePem().replaceAll('CERTIFICATE', 'TRUSTED CERTIFICATE'),
    'a CA beside parameters': () => `${issuePem()}${toPem('EC PARAMETERS', Buffer.from([6, 1, 1]))}`,
    'a header': () => issuePem().replace('\n', '\nX-Note: hello\n\n'),
  },
  CA_PRIVATE_KEY: {
    'a PKCS #8 key': () => makeKey('pkcs8'),
    'an EC key': () => makeKey('sec1'),
    'an encrypted key': () => makeKey('encrypted'),
    'a key of old with headers': () =>
      makeKey('sec1')
        .replaceAll('EC PRIVATE', 'RSA PRIVATE')
        .replace('\n', '\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\n'),
    "Talos' own": () => makeKey('pkcs8').replaceAll('PRIVATE KEY', 'ED25519 PRIVATE KEY'),
    'a key behind a CA': () => issuePem() + makeKey('pkcs8'),
    'a key before a CA': () => makeKey('pkcs8') + issuePem(),
    'a key behind garbage': () => `-----BEGIN CERTIFICATE-----\n!!!\n${makeKey('pkcs8')}`,
    'a cut-off key': () => makeKey('pkcs8').slice(0, 80),
    'a key in CR LF': () => makeKey('pkcs8').replaceAll('\n', '\r\n'),
    'a key encoded once more': () => Buffer.from(makeKey('pkcs8')).toString('base64'),
  },
};

for (const [code, cases] of Object.entries(CODES_OF_TEXTS)) {
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

refused.run();

const issued = suite('parseCaBundle: certificates of an ordinary library');

const VALID = { notBefore: daysFromNow(-1), notAfter: daysFromNow(365) };

const ISSUED: Readonly<Record<string, readonly [() => Promise<string>, readonly Code[]]>> = {
  'a CA': [async () => (await makeCa(VALID)).certificatePem, []],
  'old and new CA': [
    async () => (await makeCa(VALID)).certificatePem + (await makeCa(VALID)).certificatePem,
    ['CA_BUNDLE'],
  ],
  'an expired CA': [
    async () => (await makeCa({ ...VALID, notAfter: daysFromNow(-0.5) })).certificatePem,
    ['CA_EXPIRED'],
  ],
  'a CA of tomorrow': [
    async () => (await makeCa({ ...VALID, notBefore: daysFromNow(1) })).certificatePem,
    ['CA_NOT_YET_VALID'],
  ],
  'no CA': [
    async () => (await makeCa({ ...VALID, basicConstraints: 'false' })).certificatePem,
    ['CA_NOT_A_CA'],
  ],
  'no constraints': [
    async () => (await makeCa({ ...VALID, basicConstraints: 'absent' })).certificatePem,
    ['CA_NOT_A_CA'],
  ],
  'a CA that may not sign': [
    async () => (await makeCa({ ...VALID, keyUsage: 'no-sign' })).certificatePem,
    ['CA_NOT_A_CA'],
  ],
  "a server's certificate": [
    async () =>
      (await issue(await makeCa(VALID), { ...VALID, dnsNames: ['registry.ok.internal'] })).certificatePem,
    ['CA_NOT_A_CA'],
  ],
  "the CA's key": [async () => (await makeCa(VALID)).privateKeyPem, ['CA_PRIVATE_KEY']],
};

for (const [what, [write, codes]] of Object.entries(ISSUED)) {
  issued(`${what}: ${codes.join() || 'fine'}`, async () => {
    assert.equal(codesOf(diagnosticsOf(await write())), codes);
  });
}

issued.run();

const secrecy = suite('parseCaBundle: secrecy');

secrecy('a parsed bundle does not print its PEM', () => {
  const pem = issuePem();
  const parsed = parse(`# note\n${pem}`);
  const printed = [
    JSON.stringify(parsed),
    inspect(parsed, { showHidden: true, depth: null }),
    `${parsed.bundle.pem}`,
  ];
  for (const piece of [...piecesOf(pem), ...piecesOf(parsed.bundle.base64.reveal())]) {
    assert.not.match(printed.join('\n'), piece);
  }
});

secrecy.run();
