/** What providers of each age can do. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { abilityOf, type ProviderAbility } from '../../src/machine-config/provider.ts';

const provider = suite('provider');

const ABILITIES: readonly (readonly [string, ProviderAbility])[] = [
  ['0.0.0', 'json6902-only'],
  ['0.5.9', 'json6902-only'],
  ['0.6.4', 'json6902-only'],
  ['0.6.5', 'strategic'],
  ['0.6.10', 'strategic'],
  ['0.6.11', 'documents'],
  ['0.7.0', 'documents'],
  ['1.0.0', 'documents'],
];

for (const [version, ability] of ABILITIES) {
  provider(`${version}: ${ability}`, () => {
    const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
    assert.is(abilityOf({ major, minor, patch }), ability);
  });
}

provider('none declared: a current one', () => assert.is(abilityOf(undefined), 'documents'));

provider.run();
