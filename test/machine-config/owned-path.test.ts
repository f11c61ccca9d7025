import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  concernsOwned,
  LEAF_PATHS,
  OWNED_LEAVES,
  pointerSegments,
  relatePaths,
} from '../../src/machine-config/owned-path.ts';

const owned = suite('owned paths');

/** Read off test vectors `ptr-*`: Talos' patcher, not RFC 6901. */
const RELATIONS: readonly (readonly [string, string])[] = [
  ['', 'registries ancestor, hostEntries ancestor, podSubnets ancestor, serviceSubnets ancestor'],
  ['machine', 'registries ancestor, hostEntries ancestor, podSubnets ancestor, serviceSubnets ancestor'],
  ['/machine', 'registries ancestor, hostEntries ancestor'],
  ['/machine/network', 'hostEntries ancestor'],
  ['/machine/registries', 'registries same'],
  ['#/machine/registries', 'registries same'],
  [' /machine/registries', 'registries same'],
  ['machine/registries', ''],
  ['/machine/registries/', 'registries inside'],
  ['/machine/registries/config/a~1b', 'registries inside'],
  ['/machine/network/extraHostEntries', 'hostEntries same'],
  ['/machine/network/extraHostEntries/-', 'hostEntries inside'],
  ['/machine/network/extraHostEntries/-1', 'hostEntries inside'],
  ['/machine/network/interfaces/0', ''],
  ['/machine/network/kubespan', ''],
  ['/machine/registriesX', ''],
  ['/machine%2Fregistries', ''],
  ['/machine~1registries', ''],
  ['/cluster/network', 'podSubnets ancestor, serviceSubnets ancestor'],
  ['/cluster/network/podSubnets', 'podSubnets same'],
  ['/cluster/network/serviceSubnets/0', 'serviceSubnets inside'],
  ['/cluster/network/cni', ''],
];

for (const [pointer, expected] of RELATIONS) {
  owned(`"${pointer}" is ${expected === '' ? 'unrelated' : expected}`, () => {
    const path = pointerSegments(pointer);
    const relations = OWNED_LEAVES.map((leaf) => [leaf, relatePaths(path, LEAF_PATHS[leaf])] as const);
    const related = relations.filter(([, relation]) => relation !== 'unrelated');
    assert.is(related.map((pair) => pair.join(' ')).join(', '), expected);
    assert.is(concernsOwned(path), expected !== '');
  });
}

owned('escapes are decoded once', () =>
  assert.equal(pointerSegments('/a~1b/c~0d/~01/~2'), ['a/b', 'c~d', '~1', '~2']),
);

owned.run();
