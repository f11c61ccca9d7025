import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keyDiagnostic, nearestKey } from '../../src/spec/known-keys.ts';

const keys = suite('known keys');

const KNOWN = ['host', 'caSecret', 'caConfigMap', 'address', 'mode'];

const NEAREST: readonly (readonly [string, string | undefined])[] = [
  ['Host', 'host'],
  ['casecret', 'caSecret'],
  ['CACONFIGMAP', 'caConfigMap'],
  ['adress', 'address'],
  ['caSecrets', 'caSecret'],
  ['modus', 'mode'],
  ['zzzzzzzz', undefined],
  ['m', undefined],
  ['', undefined],
];

for (const [key, expected] of NEAREST)
  keys(`nearest to "${key}": ${expected ?? 'none'}`, () => assert.is(nearestKey(key, KNOWN), expected));

const SHOWN: readonly (readonly [string, 'shown' | 'hidden'])[] = [
  ['adress', 'shown'],
  ['a'.repeat(41), 'shown'],
  ['a'.repeat(42), 'hidden'],
  ['-----BEGIN', 'hidden'],
  ['two words', 'hidden'],
  ['9lives', 'hidden'],
  ['user:pass@host', 'hidden'],
];

for (const [key, expected] of SHOWN) {
  keys(`"${key.slice(0, 15)}" (${key.length}) is ${expected}`, () => {
    const text = JSON.stringify(keyDiagnostic(key, KNOWN, {}));
    assert.is(text.includes(key) ? 'shown' : 'hidden', expected);
  });
}

keys.run();
