/** What a provider hands to Talos' generator, for each holder. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type MachineConfigSource, machineConfigSources } from '../../src/manifest/machine-config-input.ts';

const inputs = suite('machine config input');

function sourcesOf(kind: string, spec: string): readonly MachineConfigSource[] {
  const group = kind.startsWith('TalosControlPlane') ? 'controlplane' : 'bootstrap';
  const text = `apiVersion: ${group}.cluster.x-k8s.io/v1alpha3\nkind: ${kind}\nmetadata: {name: x}\nspec: ${spec}\n`;
  return machineConfigSources([{ text }]);
}

/** Kind, spec, and role, base and patches of each holder. */
const TABLE: readonly (readonly [string, string, readonly unknown[]])[] = [
  [
    'TalosControlPlane',
    '{controlPlaneConfig: {init: {generateType: init}, controlplane: {generateType: controlplane, talosVersion: v1.9}}}',
    [
      ['controlplane', { kind: 'generated', contract: { kind: 'unset' } }, []],
      ['controlplane', { kind: 'generated', contract: { kind: 'version', major: 1, minor: 9 } }, []],
    ],
  ],
  [
    'TalosConfigTemplate',
    '{template: {spec: {generateType: join, configPatches: [{op: add, path: /a, value: {n: 9007199254740993, on: yes, s: "yes"}}, {op: remove, path: /b}], strategicPatches: ["machine: {}"]}}}',
    [
      [
        'worker',
        { kind: 'generated', contract: { kind: 'unset' } },
        [
          '[{"op":"add","path":"/a","value":{"n":9007199254740993,"on":true,"s":"yes"}},{"op":"remove","path":"/b"}]',
          'machine: {}',
        ],
      ],
    ],
  ],
  [
    'TalosConfig',
    '{generateType: controlplane}',
    [['controlplane', { kind: 'generated', contract: { kind: 'unset' } }, []]],
  ],
  [
    'TalosConfig',
    '{generateType: none, data: "machine: {}", strategicPatches: [a]}',
    [['worker', { kind: 'own', text: 'machine: {}' }, ['a']]],
  ],
  ['TalosConfig', '{generateType: none, data: "machine: {x: ${X}}"}', ['variables']],
  ['TalosConfig', '{generateType: worker, talosVersion: "${V}"}', ['variables']],
  ['TalosConfig', '{generateType: worker, strategicPatches: ["machine: {x: ${X}}"]}', ['variables']],
  ['MachineDeployment', '{}', []],
];

for (const [kind, spec, expected] of TABLE) {
  inputs(`${kind} ${spec}`, () => {
    const seen = sourcesOf(kind, spec).map((source) =>
      source.kind === 'variables'
        ? 'variables'
        : [source.input.role, source.input.base, source.input.patches],
    );
    assert.equal(seen, expected);
  });
}

inputs.run();
