import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pointerSegments, relateToOwned } from '../../src/machine-config/owned-path.ts';

const owned = suite('owned paths');

/** Read off test vectors `ptr-*`: Talos' patcher, not RFC 6901. */
const RELATIONS: readonly (readonly [string, string])[] = [
  ['', 'ancestor'],
  ['machine', 'ancestor'],
  ['/machine', 'ancestor'],
  ['/machine/network', 'ancestor'],
  ['/machine/registries', 'leaf registries'],
  ['#/machine/registries', 'leaf registries'],
  [' /machine/registries', 'leaf registries'],
  ['machine/registries', 'unrelated'],
  ['/machine/registries/', 'nested registries'],
  ['/machine/registries/config/a~1b', 'nested registries'],
  ['/machine/network/extraHostEntries', 'leaf hostEntries'],
  ['/machine/network/extraHostEntries/-', 'nested hostEntries'],
  ['/machine/network/extraHostEntries/-1', 'nested hostEntries'],
  ['/machine/network/interfaces/0', 'unrelated'],
  ['/machine/network/kubespan', 'unrelated'],
  ['/machine/registriesX', 'unrelated'],
  ['/machine%2Fregistries', 'unrelated'],
  ['/machine~1registries', 'unrelated'],
  ['/cluster/network', 'unrelated'],
];

for (const [pointer, expected] of RELATIONS) {
  owned(`"${pointer}" is ${expected}`, () => {
    const relation = relateToOwned(pointer);
    assert.is('leaf' in relation ? `${relation.kind} ${relation.leaf}` : relation.kind, expected);
  });
}

owned('escapes are decoded once', () =>
  assert.equal(pointerSegments('/a~1b/c~0d/~01/~2'), ['a/b', 'c~d', '~1', '~2']),
);

owned.run();
