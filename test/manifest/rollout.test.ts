/** What applying would do to live objects, and that what the API server adds by itself never counts. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringify } from 'yaml';
import { rolloutDiagnostics } from '../../src/manifest/rollout.ts';
import { fc, fuzzRuns } from '../support/fuzz.ts';

const rollout = suite('rollout');

const CONTROL_PLANE = {
  apiVersion: 'controlplane.cluster.x-k8s.io/v1alpha3',
  kind: 'TalosControlPlane',
  metadata: { name: 'cp', namespace: 'clusters' },
  spec: {
    version: 'v1.32.5',
    replicas: 3,
    infrastructureTemplate: { kind: 'MetalMachineTemplate', name: 'cp' },
    controlPlaneConfig: {
      init: { generateType: 'init', configPatches: [] },
      controlplane: {
        generateType: 'controlplane',
        talosVersion: 'v1.11',
        configPatches: [{ op: 'add', path: '/machine/sysctls', value: { a: '1', b: true } }],
        strategicPatches: ['machine:\n  sysctls: {}\n'],
      },
    },
  },
};

const TEMPLATE = {
  apiVersion: 'bootstrap.cluster.x-k8s.io/v1alpha3',
  kind: 'TalosConfigTemplate',
  metadata: { name: 'workers', namespace: 'clusters' },
  spec: { template: { spec: { generateType: 'worker', configPatches: [{ op: 'remove', path: '/x' }] } } },
};

const DEPLOYMENT = {
  apiVersion: 'cluster.x-k8s.io/v1beta1',
  kind: 'MachineDeployment',
  metadata: { name: 'workers' },
  spec: {
    template: { spec: { bootstrap: { configRef: { kind: 'TalosConfigTemplate', name: 'workers' } } } },
  },
};

type Changed = Record<string, unknown>;

/** A copy in which the value at a path is another one. */
function changed(object: object, path: readonly (string | number)[], value: unknown): object {
  const copy = structuredClone(object) as Changed;
  let node = copy as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) node = node[key] as Record<string | number, unknown>;
  node[path.at(-1) ?? ''] = value;
  return copy;
}

function codes(next: object, live: object): readonly string[] {
  return found(stringify(next), stringify(live)).map(({ code, severity }) => `${severity} ${code}`);
}

function found(next: string, live: string) {
  return rolloutDiagnostics({ next: [{ text: next }], live: [{ text: live }] });
}

const HOLDER = ['spec', 'controlPlaneConfig', 'controlplane'];

const CASES: readonly (readonly [string, object, object, readonly string[]])[] = [
  ['the same control plane', CONTROL_PLANE, CONTROL_PLANE, []],
  [
    'another value in a patch',
    changed(CONTROL_PLANE, [...HOLDER, 'configPatches', 0, 'value', 'a'], '2'),
    CONTROL_PLANE,
    ['error ROLLOUT_REQUIRED'],
  ],
  [
    'a text that differs only in its formatting',
    changed(CONTROL_PLANE, [...HOLDER, 'strategicPatches', 0], 'machine: {sysctls: {}}\n'),
    CONTROL_PLANE,
    ['error ROLLOUT_REQUIRED'],
  ],
  [
    'an empty list more',
    changed(CONTROL_PLANE, [...HOLDER, 'hostname'], []),
    CONTROL_PLANE,
    ['error ROLLOUT_REQUIRED'],
  ],
  [
    'another version',
    changed(CONTROL_PLANE, ['spec', 'version'], 'v1.33.0'),
    CONTROL_PLANE,
    ['error ROLLOUT_REQUIRED'],
  ],
  [
    'another infrastructure',
    changed(CONTROL_PLANE, ['spec', 'infrastructureTemplate', 'name'], 'cp-2'),
    CONTROL_PLANE,
    ['error ROLLOUT_REQUIRED'],
  ],
  ['more replicas', changed(CONTROL_PLANE, ['spec', 'replicas'], 5), CONTROL_PLANE, []],
  [
    'another init, which is for the first machine only',
    changed(CONTROL_PLANE, ['spec', 'controlPlaneConfig', 'init', 'generateType'], 'controlplane'),
    CONTROL_PLANE,
    [],
  ],
  ['another name', changed(CONTROL_PLANE, ['metadata', 'name'], 'cp-2'), CONTROL_PLANE, []],
  [
    'another namespace',
    changed(changed(CONTROL_PLANE, ['metadata', 'namespace'], 'x'), ['spec', 'version'], 'v9'),
    CONTROL_PLANE,
    [],
  ],
  [
    'no namespace, which may be any',
    changed(changed(CONTROL_PLANE, ['metadata', 'namespace'], undefined), ['spec', 'version'], 'v9'),
    CONTROL_PLANE,
    ['error ROLLOUT_REQUIRED'],
  ],
  [
    'another version of the API',
    changed(CONTROL_PLANE, ['apiVersion'], 'controlplane.cluster.x-k8s.io/v1beta1'),
    CONTROL_PLANE,
    [],
  ],
  [
    'another group of the same kind',
    changed(changed(CONTROL_PLANE, ['apiVersion'], 'example.com/v1'), ['spec', 'version'], 'v9'),
    CONTROL_PLANE,
    [],
  ],
  ['the same template', TEMPLATE, TEMPLATE, []],
  [
    'a template with another patch',
    changed(TEMPLATE, ['spec', 'template', 'spec', 'configPatches', 0, 'path'], '/y'),
    TEMPLATE,
    ['error TEMPLATE_IMMUTABLE'],
  ],
  [
    'a field that the API server prunes, and a null',
    changed(
      TEMPLATE,
      ['spec', 'template', 'spec', 'configPatches'],
      [{ op: 'remove', path: '/x', from: '/y', value: null }],
    ),
    TEMPLATE,
    [],
  ],
  [
    'a placeholder in place of a patch',
    changed(TEMPLATE, ['spec', 'template', 'spec', 'configPatches', 0], { registryTrust: 'r.internal' }),
    TEMPLATE,
    ['error TEMPLATE_IMMUTABLE'],
  ],
  ['the same deployment', DEPLOYMENT, DEPLOYMENT, []],
  [
    'a deployment with another template',
    changed(DEPLOYMENT, ['spec', 'template', 'spec', 'bootstrap', 'configRef', 'name'], 'workers-2'),
    DEPLOYMENT,
    ['warning ROLLOUT_REQUIRED'],
  ],
];

for (const [about, next, live, expected] of CASES) {
  rollout(`${about}: ${expected.join() || 'nothing'}`, () => assert.equal(codes(next, live), expected));
}

rollout('values are compared as kubectl reads them', () => {
  const text = (value: string): string =>
    stringify(TEMPLATE).replace(/^( *)path: \/x$/m, `$1path: /x\n$1value: ${value}`);
  assert.equal(found(text('yes'), text('true')), []);
  assert.equal(found(text('"yes"'), text('true')).length, 1);
  assert.equal(found(text('0o7'), text('"0o7"')), []);
});

rollout('the message has pointers and no values, at most five', () => {
  const value = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`key-${i}/x`, 's3cret']));
  const [diagnostic] = found(
    stringify(changed(CONTROL_PLANE, [...HOLDER, 'configPatches', 0, 'value'], value)),
    stringify(CONTROL_PLANE),
  );
  assert.match(diagnostic?.message ?? '', /configPatches\/0\/value\/.* and 5 more/);
  assert.match(diagnostic?.message ?? '', /key-0~1x/);
  assert.not.match(JSON.stringify(diagnostic), /s3cret/);
});

rollout('live objects may come as a List, and others are passed over', () => {
  const list = { apiVersion: 'v1', kind: 'List', items: [TEMPLATE, CONTROL_PLANE, DEPLOYMENT] };
  const next = changed(CONTROL_PLANE, ['spec', 'version'], 'v9');
  assert.equal(codes(next, list), ['error ROLLOUT_REQUIRED']);
  assert.equal(codes({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } }, list), []);
});

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    // Not `yes`: printed without quotes it is a boolean for kubectl.
    fc.constantFrom<unknown>('a', 'true', '', 1, true, false),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b/c', 'd~e', 'op'), tie('value'), { maxKeys: 3 }),
  ),
})).value;

rollout(
  'what the API server adds, the order of keys and the layout never count; another value always does',
  () => {
    fc.assert(
      fc.property(json, json, fc.constantFrom('any', 'flow'), (one, other, collectionStyle) => {
        const next = changed(CONTROL_PLANE, [...HOLDER, 'data'], one);
        const live = reversed({
          ...next,
          metadata: { ...CONTROL_PLANE.metadata, uid: 'x', resourceVersion: '1', managedFields: [{ a: 1 }] },
          status: { ready: true },
        });
        const text = stringify(live, { collectionStyle } as never);
        assert.equal(found(stringify(next), text), []);
        const isSame = JSON.stringify(canonical(one)) === JSON.stringify(canonical(other));
        const edited = stringify(changed(CONTROL_PLANE, [...HOLDER, 'data'], other));
        assert.is(found(edited, text).length > 0, !isSame);
      }),
      { numRuns: fuzzRuns(500) },
    );
  },
);

rollout.run();

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, child]) => [key, reversed(child)]),
  );
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return { list: value.map(canonical) };
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .map(([key, child]) => [key, canonical(child)])
    .sort();
}
