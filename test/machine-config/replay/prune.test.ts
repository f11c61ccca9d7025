/** What is left out of a patch before it is judged, and what must never be. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { patchText } from '../../../src/machine-config/replay/load-patch.ts';
import { prunedPatch } from '../../../src/machine-config/replay/prune.ts';
import { type Json, jsonOfRaw } from '../../../src/machine-config/replay/raw.ts';

const pruning = suite('pruning');

function pruned(text: string): readonly Json[] | string {
  const roots = prunedPatch(patchText(text));
  return typeof roots === 'string' ? roots : roots.map(jsonOfRaw);
}

const CASES: readonly (readonly [string, string, readonly Json[] | string])[] = [
  [
    'sections keep what can reach owned settings, in any capitals',
    'machine: {registries: {mirrors: {}}, NETWORK: {a: b}, sysctls: {a: b}, xregistries: 1, registriesx: 1, $patch: delete}\ncluster: {network: {}, $patch: delete, apiServer: {}, xnetwork: 1, networkx: 1}\n',
    [
      {
        machine: { registries: { mirrors: {} }, NETWORK: { a: 'b' }, $patch: 'delete' },
        cluster: { network: {}, $patch: 'delete' },
      },
    ],
  ],
  [
    'other keys and sections that are no mappings stay as they are',
    'version: v1alpha1\nmachine: [1]\ncluster: x\nvalueOf: {a: {b: c}}\n',
    [{ version: 'v1alpha1', machine: [1], cluster: 'x', valueOf: { a: { b: 'c' } } }],
  ],
  [
    'documents that are read here stay, whatever is in them',
    [
      'kind: RegistryTLSConfig\nname: a\nx: 1\n',
      'kind: RegistryAuthConfig\nx: 1\n',
      'kind: RegistryMirrorConfig\nx: 1\n',
      'kind: StaticHostConfig\nx: 1\n',
    ].join('---\n'),
    [
      { kind: 'RegistryTLSConfig', name: 'a', x: 1 },
      { kind: 'RegistryAuthConfig', x: 1 },
      { kind: 'RegistryMirrorConfig', x: 1 },
      { kind: 'StaticHostConfig', x: 1 },
    ],
  ],
  [
    'other documents become one of a kind that is always known, by kind and name',
    'apiVersion: v1\nkind: "Foreign"\nname: "n"\nspec: {a: b}\n---\nkind: Other\n---\nkind: XRegistryTLSConfig\nname: 7\n',
    [
      { apiVersion: 'v1alpha1', kind: 'VolumeConfig', name: 'Foreign/n' },
      { apiVersion: 'v1alpha1', kind: 'VolumeConfig', name: 'Other/' },
      { apiVersion: 'v1alpha1', kind: 'VolumeConfig', name: 'XRegistryTLSConfig/7' },
    ],
  ],
  [
    'a list of operations keeps those that reach owned settings, and those that take from elsewhere',
    JSON.stringify([
      { op: 'add', path: '/machine/sysctls/a', value: 'b' },
      { op: 'add', path: '/machine/registries/mirrors', value: {} },
      { op: 'copy', path: '/machine/sysctls', from: '/machine/registries' },
      { op: 'test', path: '/machine', value: {} },
      { op: 'replace', value: {} },
    ]),
    [
      [
        { op: 'add', path: '/machine/registries/mirrors', value: {} },
        { op: 'copy', path: '/machine/sysctls', from: '/machine/registries' },
        { op: 'test', path: '/machine', value: {} },
        { op: 'replace', value: {} },
      ],
    ],
  ],
  [
    'a list that holds no operations stays',
    '[1, {path: /machine/sysctls}]',
    [[1, { path: '/machine/sysctls' }]],
  ],
  [
    'a list behind the first document is none of operations',
    'machine: {}\n---\n[{op: add, path: /machine/sysctls}]\n',
    [{ machine: {} }, [{ op: 'add', path: '/machine/sysctls' }]],
  ],
  ['texts and empty documents stay', 'machine\n---\n', ['machine', null]],
  ['a failure stays one', '{', 'yaml'],
];

for (const [about, text, expected] of CASES) {
  pruning(about, () => assert.equal(pruned(text), expected));
}

pruning.run();
