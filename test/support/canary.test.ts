import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { leakFinder } from './canary.ts';

const canaries = suite('canaries');

const VALUE = 'tök"en?>\n/that~nobody&may ever+see 0123456789';
const find = leakFinder([{ name: 'token', value: VALUE }]);
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const base64url = (text: string): string => Buffer.from(text).toString('base64url');
const hex = Buffer.from(VALUE).toString('hex');

const FORMS: readonly (readonly [form: string, text: string])[] = [
  ['as it is', VALUE],
  ['as it is', VALUE.slice(5, 25)],
  ['JSON', JSON.stringify({ message: VALUE })],
  ['URL', `https://a.internal/?q=${encodeURIComponent(VALUE)}`],
  ['base64', base64(VALUE)],
  ['base64', base64(`abc${VALUE}d`)],
  ['base64, one byte on', base64(`a${VALUE}b`)],
  ['base64, two bytes on', base64(`ab${VALUE}`)],
  ['base64url', base64url(VALUE)],
  ['base64url, one byte on', base64url(`a${VALUE}`)],
  ['base64url, two bytes on', base64url(`ab${VALUE}`)],
  ['hex', hex],
  ['hex', `<${hex.slice(7, 27)}>`],
  ['HEX', hex.toUpperCase()],
];

for (const [form, text] of FORMS) {
  canaries(`found ${form} in ${JSON.stringify(text)}`, () => {
    const found = find({ stderr: `error: ${text}.`, stdout: '' });
    assert.ok(
      found.some((leak) => leak.form === form && leak.where === 'stderr' && leak.canary === 'token'),
      JSON.stringify(found),
    );
  });
}

canaries('nothing is found where nothing is', () => {
  assert.equal(find({ stderr: 'an ordinary text without any secret in it', short: VALUE.slice(0, 19) }), []);
});

canaries('what is public is no leak, and the rest of the canary still is', () => {
  const certificate = 'the public half, which everyone may see';
  const halves = leakFinder([{ name: 'key', value: `${certificate} and the private half` }], [certificate]);
  for (const encoded of [certificate, base64(certificate), base64(base64(certificate))])
    assert.equal(halves({ stdout: encoded }), []);
  assert.is(halves({ stdout: `${certificate} and the private half` }).length, 1);
});

canaries('a canary that is too short is refused', () => {
  assert.throws(() => leakFinder([{ name: 'short', value: 'hunter2' }]), /too short/);
});

canaries.run();
