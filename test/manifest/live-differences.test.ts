/** What of a spec differs from the live one, and what a manifest leaves to the server. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stringify } from 'yaml';
import { liveDifferences } from '../../src/manifest/live-differences.ts';
import { sidesOf } from '../../src/manifest/rollout.ts';

const differences = suite('live differences');

type Spec = Readonly<Record<string, unknown>>;

const INFRASTRUCTURE = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1',
  kind: 'MetalTemplate',
  name: 'cp',
};
const GIVEN: Spec = {
  version: 'v1.32.5',
  replicas: 3,
  infrastructureTemplate: INFRASTRUCTURE,
  controlPlaneConfig: {
    init: { generateType: 'init', configPatches: [{ op: 'remove', path: '/a' }] },
    controlplane: { generateType: 'controlplane', strategicPatches: ['machine: {}\n'] },
  },
};
/** As a server and a webhook store it. */
const STORED: Spec = {
  ...GIVEN,
  infrastructureTemplate: { ...INFRASTRUCTURE, namespace: 'n', uid: '1' },
  rolloutStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } },
};

function object(kind: string, spec: Spec): object {
  const group = kind.startsWith('TalosControlPlane') ? 'controlplane' : 'bootstrap';
  return {
    apiVersion: `${group}.cluster.x-k8s.io/v1alpha3`,
    kind,
    metadata: { name: 'x', namespace: 'n' },
    spec,
  };
}

function compare(next: Spec, live: Spec, kind = 'TalosControlPlane') {
  const [side] = sidesOf([{ text: stringify(object(kind, next)) }]);
  if (side === undefined) throw new Error('not judged');
  return liveDifferences(side, JSON.stringify(object(kind, live)));
}

function withConfig(spec: Spec, config: Spec): Spec {
  return { ...spec, controlPlaneConfig: { ...(spec['controlPlaneConfig'] as Spec), ...config } };
}

const CASES: readonly (readonly [string, Spec, Spec, readonly string[]])[] = [
  ['what a server adds', GIVEN, STORED, []],
  [
    'what a manifest leaves out, or sets to null',
    { ...GIVEN, replicas: null },
    { ...STORED, replicas: 5 },
    [],
  ],
  ['another number of replicas', GIVEN, { ...STORED, replicas: 5 }, ['/spec/replicas']],
  [
    'a strategy that is not the default',
    { ...GIVEN, rolloutStrategy: { type: 'OnDelete' } },
    STORED,
    ['/spec/rolloutStrategy/type'],
  ],
  [
    'a member that the live object lacks',
    { ...GIVEN, rolloutStrategy: { type: 'OnDelete' } },
    GIVEN,
    ['/spec/rolloutStrategy'],
  ],
  [
    'init, for which no machine is replaced',
    GIVEN,
    withConfig(STORED, { init: { generateType: 'init', configPatches: [{ op: 'remove', path: '/b' }] } }),
    ['/spec/controlPlaneConfig/init/configPatches/0/path'],
  ],
  ['init, where a manifest has none', withConfig(GIVEN, { init: null }), STORED, []],
  [
    'init as a webhook writes it',
    withConfig(GIVEN, { init: { generateType: 'init', data: '', configPatches: [] } }),
    withConfig(STORED, { init: { generateType: 'init' } }),
    [],
  ],
];

for (const [title, next, live, pointers] of CASES) {
  differences(`${title}: ${pointers.length === 0 ? 'none' : pointers.join(', ')}`, () => {
    const found = compare(next, live);
    assert.equal(found.pointers, pointers);
    assert.equal(found.diagnostics, []);
  });
}

differences('what replaces machines is a warning here, with the same words', () => {
  const found = compare(GIVEN, { ...STORED, version: 'v1.31.0' });
  assert.equal(found.pointers, ['/spec/version']);
  assert.equal(
    found.diagnostics.map(({ severity, code }) => `${severity} ${code}`),
    ['warning ROLLOUT_REQUIRED'],
  );
});

differences('a template is compared whole: what only the live one has is a difference', () => {
  const found = compare(
    { template: { spec: { generateType: 'worker' } } },
    { template: { spec: { generateType: 'worker', talosVersion: 'v1.9' } } },
    'TalosConfigTemplate',
  );
  assert.equal(found.pointers, ['/spec/template/spec/talosVersion']);
});

differences('a line end of YAML 1.1 in a live text is a character like any other', () => {
  const spec = (text: string): Spec => ({
    template: { spec: { strategicPatches: ['a: {}\n'], data: text } },
  });
  const found = compare(spec('a'), spec('\u0085\u2028\u2029'), 'TalosConfigTemplate');
  assert.equal(found.pointers, ['/spec/template/spec/data']);
});

differences.run();
