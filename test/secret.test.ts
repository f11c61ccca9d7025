import { inspect } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Secret } from '../src/secret.ts';

const test = suite('Secret');

const VALUE = 'hunter2';

const PRINTERS: Readonly<Record<string, (secret: Secret) => string>> = {
  'String()': (secret) => String(secret),
  'a template': (secret) => `${secret}`,
  concatenation: (secret) => `x${secret}`,
  'toLocaleString()': (secret) => secret.toLocaleString(),
  'JSON.stringify': (secret) => JSON.stringify(secret),
  'JSON.stringify of an object with it': (secret) => JSON.stringify({ secret }),
  'util.inspect': (secret) => inspect(secret),
  'util.inspect with everything on': (secret) =>
    inspect({ secret }, { showHidden: true, depth: null, getters: true }),
  'the message of an error': (secret) => new Error(`bad ${secret}`).message,
  'an error with it as cause': (secret) => inspect(new Error('bad', { cause: secret })),
  'a list joined': (secret) => [secret, secret].join(),
  'its own keys': (secret) => Reflect.ownKeys(secret).map(String).join(),
  'its entries': (secret) => JSON.stringify(Object.entries({ ...secret })),
};

for (const [name, print] of Object.entries(PRINTERS)) {
  test(`is not printed by ${name}`, () => {
    assert.not.match(print(new Secret(VALUE)), VALUE);
  });
}

test('is not printed when it holds an object or bytes', () => {
  for (const secret of [new Secret({ password: VALUE }), new Secret(Buffer.from(VALUE))]) {
    const printed = `${secret} ${JSON.stringify(secret)} ${inspect(secret, { showHidden: true, depth: null })}`;
    assert.not.match(printed, VALUE);
    assert.not.match(printed, Buffer.from(VALUE).toString('hex').slice(0, 4));
  }
});

test('is not cloned with its value', () => {
  assert.not.match(inspect(structuredClone(new Secret(VALUE)), { showHidden: true }), VALUE);
});

test('reveals its value when asked', () => {
  assert.is(new Secret(VALUE).reveal(), VALUE);
});

test.run();
