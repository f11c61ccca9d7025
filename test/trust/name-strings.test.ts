/** Names that Go refuses to read although OpenSSL lets them pass: containerd would drop the whole certificate. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hasReadableNames } from '../../src/trust/name-strings.ts';
import { issueDer, issuePem, type Wish } from './issue-certificate.ts';
import { codesOf, diagnosticsOf, refusalOf } from './parse-bundle.ts';

const names = suite('names in a certificate');

for (const wish of [
  { nameType: 'printable', name: "A-z 0'()+,./:=?*&" },
  { nameType: 'ia5', name: 'ca_1@ok' },
  { nameType: 'numeric', name: '12 3' },
  { nameType: 't61', name: 'ok\u00e9' },
  { nameType: 'utf8', name: 'ok é' },
] as const satisfies readonly Wish[]) {
  names(`${wish.nameType}: ${wish.name} is fine`, () => {
    assert.equal(codesOf(diagnosticsOf(issuePem(wish))), []);
  });
}

for (const wish of [
  { nameType: 'printable', name: 'ca_1' },
  { nameType: 'printable', name: 'ca@ok' },
  { nameType: 'printable', name: 'ca_1', issuer: 'fine' },
  { nameType: 'utf8', name: 'fine', issuer: 'ca_1', issuerType: 'printable' },
  { nameType: 'universal', name: 'ca_1' },
  { nameType: 'ia5', name: 'ok\u00e9' },
  { nameType: 'numeric', name: '1a' },
] as const satisfies readonly Wish[]) {
  names(`${wish.nameType}: ${wish.name} is refused`, () => {
    assert.equal(codesOf(refusalOf(issuePem(wish)).diagnostics), ['CA_INVALID']);
  });
}

for (const [about, name, change, expected] of [
  ['UTF-8 that is none', 'odd name', { from: 'odd name', to: '\u00ffdd name' }, false],
  ['a BMPString of an odd length', 'odd name.', { from: '\f\todd', to: '\u001e\todd' }, false],
  ['a BMPString', 'odd name', { from: '\f\bodd', to: '\u001e\bodd' }, true],
] as const) {
  names(`${about} is ${expected ? 'fine' : 'refused'}`, () => {
    const der = issueDer({ name }).toString('latin1');
    assert.ok(der.includes(change.from));
    const changed = Buffer.from(der.replaceAll(change.from, change.to), 'latin1');
    assert.is(hasReadableNames(changed), expected);
  });
}

names.run();
