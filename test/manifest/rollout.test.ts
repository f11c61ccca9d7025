/** What applying would do to live objects, and that what the API server adds by itself never counts. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isScalar, type Pair, parse, parseDocument, stringify, visit } from 'yaml';
import { Refusal } from '../../src/diagnostic.ts';
import { rolloutDiagnostics } from '../../src/manifest/rollout.ts';
import { kubectlWord } from '../../src/manifest/stored-value.ts';
import { fc, fuzzRuns } from '../support/fuzz.ts';

const rollout = suite('rollout');

const CONTROL_PLANE = {
  apiVersion: 'controlplane.cluster.x-k8s.io/v1alpha3',
  kind: 'TalosControlPlane',
  metadata: { name: 'cp', namespace: 'clusters' },
  spec: {
    version: 'v1.32.5',
    replicas: 3,
    infrastructureTemplate: {
      apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1',
      kind: 'MetalMachineTemplate',
      name: 'cp',
    },
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
    template: {
      spec: {
        bootstrap: {
          configRef: {
            apiVersion: 'bootstrap.cluster.x-k8s.io/v1alpha3',
            kind: 'TalosConfigTemplate',
            name: 'workers',
          },
        },
      },
    },
  },
};

const CONFIG = {
  apiVersion: 'bootstrap.cluster.x-k8s.io/v1alpha3',
  kind: 'TalosConfig',
  metadata: { name: 'static', namespace: 'clusters' },
  spec: { generateType: 'worker', strategicPatches: ['machine: {}\n'] },
};

const CLASS_TEMPLATE = {
  apiVersion: 'controlplane.cluster.x-k8s.io/v1alpha3',
  kind: 'TalosControlPlaneTemplate',
  metadata: { name: 'class', namespace: 'clusters' },
  spec: { template: { spec: { controlPlaneConfig: CONTROL_PLANE.spec.controlPlaneConfig } } },
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
const IN_TEMPLATE = ['spec', 'template', 'spec'];
const INFRASTRUCTURE = ['spec', 'infrastructureTemplate'];
const CONFIG_REF = ['spec', 'template', 'spec', 'bootstrap', 'configRef'];
const BOOTSTRAP_V1BETA1 = 'bootstrap.cluster.x-k8s.io/v1beta1';

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
    'an empty list that is new, which Go tells from none',
    changed(CONTROL_PLANE, [...HOLDER, 'configPatches'], []),
    changed(CONTROL_PLANE, [...HOLDER, 'configPatches'], undefined),
    ['error ROLLOUT_REQUIRED'],
  ],
  [
    'an empty list that goes, which no machine has',
    changed(CONTROL_PLANE, [...HOLDER, 'configPatches'], undefined),
    changed(CONTROL_PLANE, [...HOLDER, 'configPatches'], []),
    [],
  ],
  [
    'an empty list that stays',
    changed(CONTROL_PLANE, [...HOLDER, 'configPatches'], []),
    changed(CONTROL_PLANE, [...HOLDER, 'configPatches'], []),
    [],
  ],
  [
    'an empty list in place of patches',
    changed(CONTROL_PLANE, [...HOLDER, 'configPatches'], []),
    CONTROL_PLANE,
    ['error ROLLOUT_REQUIRED'],
  ],
  [
    'what the webhook writes from its Go types',
    CONTROL_PLANE,
    changed(
      changed(CONTROL_PLANE, [...HOLDER, 'hostname'], {}),
      [...INFRASTRUCTURE, 'namespace'],
      'clusters',
    ),
    [],
  ],
  [
    'fields that are empty, null and absent',
    changed(changed(CONTROL_PLANE, [...HOLDER, 'data'], ''), [...HOLDER, 'hostname'], { source: '' }),
    changed(CONTROL_PLANE, [...HOLDER, 'data'], null),
    [],
  ],
  [
    'a version without v, which the webhook adds',
    changed(CONTROL_PLANE, ['spec', 'version'], '1.32.5'),
    CONTROL_PLANE,
    [],
  ],
  [
    'a null inside a value',
    changed(CONTROL_PLANE, [...HOLDER, 'configPatches', 0, 'value', 'a'], null),
    changed(CONTROL_PLANE, [...HOLDER, 'configPatches', 0, 'value', 'a'], undefined),
    ['error ROLLOUT_REQUIRED'],
  ],
  [
    'an empty text in place of an object inside a value',
    changed(CONTROL_PLANE, [...HOLDER, 'configPatches', 0, 'value'], ''),
    changed(CONTROL_PLANE, [...HOLDER, 'configPatches', 0, 'value'], {}),
    ['error ROLLOUT_REQUIRED'],
  ],
  [
    'operations in another order',
    changed(
      CONTROL_PLANE,
      [...HOLDER, 'configPatches'],
      [
        { op: 'add', path: '/b' },
        { op: 'add', path: '/a' },
      ],
    ),
    changed(
      CONTROL_PLANE,
      [...HOLDER, 'configPatches'],
      [
        { op: 'add', path: '/a' },
        { op: 'add', path: '/b' },
      ],
    ),
    ['error ROLLOUT_REQUIRED'],
  ],
  [
    'an empty text more in a list',
    changed(CONTROL_PLANE, [...HOLDER, 'strategicPatches', 1], ''),
    CONTROL_PLANE,
    ['error ROLLOUT_REQUIRED'],
  ],
  [
    'a field that the schema does not know, nor the live object',
    changed(CONTROL_PLANE, [...HOLDER, 'future'], 'a'),
    CONTROL_PLANE,
    [],
  ],
  [
    'a field that only the live object shows to be one',
    changed(CONTROL_PLANE, [...HOLDER, 'future'], 'a'),
    changed(CONTROL_PLANE, [...HOLDER, 'future'], 'b'),
    ['error ROLLOUT_REQUIRED'],
  ],
  [
    'machines that are replaced when they are deleted',
    changed(
      changed(CONTROL_PLANE, ['spec', 'rolloutStrategy'], { type: 'OnDelete' }),
      ['spec', 'version'],
      'v9',
    ),
    CONTROL_PLANE,
    ['warning ROLLOUT_REQUIRED'],
  ],
  ['a part of a control plane', changed(CONTROL_PLANE, ['spec'], { replicas: 3 }), CONTROL_PLANE, []],
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
  [
    'another version of the same infrastructure',
    changed(CONTROL_PLANE, [...INFRASTRUCTURE, 'apiVersion'], 'infrastructure.cluster.x-k8s.io/v1beta2'),
    CONTROL_PLANE,
    [],
  ],
  [
    'another group of infrastructure',
    changed(CONTROL_PLANE, [...INFRASTRUCTURE, 'apiVersion'], 'infrastructure.example.com/v1beta1'),
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
  [
    'no init any more',
    changed(CONTROL_PLANE, ['spec', 'controlPlaneConfig', 'init'], undefined),
    CONTROL_PLANE,
    [],
  ],
  [
    'a generated name, which is always new',
    changed(changed(CONTROL_PLANE, ['metadata'], { generateName: 'cp-' }), ['spec', 'version'], 'v9'),
    changed(CONTROL_PLANE, ['metadata'], { generateName: 'cp-' }),
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
  [
    'the same kind of another group on both sides',
    changed(changed(CONTROL_PLANE, ['apiVersion'], 'example.com/v1'), ['spec', 'version'], 'v9'),
    changed(CONTROL_PLANE, ['apiVersion'], 'example.com/v1'),
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
    'fields that the API server prunes, and a null',
    changed(
      changed(
        TEMPLATE,
        [...IN_TEMPLATE, 'configPatches'],
        [{ op: 'remove', path: '/x', from: '/y', value: null }],
      ),
      ['spec', 'template', 'metadata'],
      { labels: { a: 'b' } },
    ),
    changed(TEMPLATE, [...IN_TEMPLATE, 'configPatches'], [{ op: 'remove', path: '/x', from: '/z' }]),
    [],
  ],
  [
    'an empty list in the same version',
    changed(TEMPLATE, [...IN_TEMPLATE, 'strategicPatches'], []),
    TEMPLATE,
    ['error TEMPLATE_IMMUTABLE'],
  ],
  [
    'an empty list less in the same version',
    TEMPLATE,
    changed(TEMPLATE, [...IN_TEMPLATE, 'strategicPatches'], []),
    ['error TEMPLATE_IMMUTABLE'],
  ],
  [
    'what conversion to another version adds and drops',
    changed(TEMPLATE, [...IN_TEMPLATE, 'strategicPatches'], []),
    changed(changed(TEMPLATE, ['apiVersion'], BOOTSTRAP_V1BETA1), [...IN_TEMPLATE, 'hostname'], {}),
    [],
  ],
  [
    'another patch in another version',
    changed(TEMPLATE, [...IN_TEMPLATE, 'configPatches', 0, 'op'], 'add'),
    changed(TEMPLATE, ['apiVersion'], BOOTSTRAP_V1BETA1),
    ['error TEMPLATE_IMMUTABLE'],
  ],
  [
    'a template under a new name',
    changed(changed(TEMPLATE, ['metadata', 'name'], 'workers-2'), [...IN_TEMPLATE, 'talosVersion'], 'v1.9'),
    TEMPLATE,
    [],
  ],
  ['the same config', CONFIG, CONFIG, []],
  [
    'a config with another text',
    changed(CONFIG, ['spec', 'strategicPatches', 0], 'machine:  {}\n'),
    CONFIG,
    ['error TEMPLATE_IMMUTABLE'],
  ],
  ['the same template of a class', CLASS_TEMPLATE, CLASS_TEMPLATE, []],
  [
    'a template of a class with another contract',
    changed(CLASS_TEMPLATE, [...IN_TEMPLATE, 'controlPlaneConfig', 'controlplane', 'talosVersion'], 'v1.9'),
    CLASS_TEMPLATE,
    ['error TEMPLATE_IMMUTABLE'],
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
    changed(DEPLOYMENT, [...CONFIG_REF, 'name'], 'workers-2'),
    DEPLOYMENT,
    ['warning ROLLOUT_REQUIRED'],
  ],
  [
    'a deployment as a newer Cluster API writes it',
    DEPLOYMENT,
    changed(DEPLOYMENT, CONFIG_REF, {
      apiGroup: 'bootstrap.cluster.x-k8s.io',
      kind: 'TalosConfigTemplate',
      name: 'workers',
    }),
    [],
  ],
  [
    'a deployment whose reference has been completed',
    DEPLOYMENT,
    changed(DEPLOYMENT, CONFIG_REF, {
      apiVersion: BOOTSTRAP_V1BETA1,
      kind: 'TalosConfigTemplate',
      name: 'workers',
      namespace: 'clusters',
    }),
    [],
  ],
  [
    'a deployment that came from another bootstrap provider',
    DEPLOYMENT,
    changed(DEPLOYMENT, [...CONFIG_REF, 'kind'], 'KubeadmConfigTemplate'),
    ['warning ROLLOUT_REQUIRED'],
  ],
  [
    'a deployment of another bootstrap provider',
    changed(
      changed(DEPLOYMENT, [...CONFIG_REF, 'kind'], 'KubeadmConfigTemplate'),
      [...CONFIG_REF, 'name'],
      'b',
    ),
    changed(DEPLOYMENT, [...CONFIG_REF, 'kind'], 'KubeadmConfigTemplate'),
    [],
  ],
  [
    'a deployment with a template of another group',
    changed(DEPLOYMENT, [...CONFIG_REF, 'apiVersion'], 'example.com/v1'),
    DEPLOYMENT,
    [],
  ],
  ['a deployment without bootstrap', changed(DEPLOYMENT, CONFIG_REF, undefined), DEPLOYMENT, []],
];

for (const [about, next, live, expected] of CASES) {
  rollout(`${about}: ${expected.join() || 'nothing'}`, () => assert.equal(codes(next, live), expected));
}

/** What `kubectl annotate --local -o json` (1.32) made of each word; a text stands in quotes. */
const WORDS: readonly (readonly [string, string])[] = [
  ['yes', 'true'],
  ['y', 'true'],
  ['ON', 'true'],
  ['True', 'true'],
  ['n', 'false'],
  ['Off', 'false'],
  ['yES', '"yES"'],
  ['tRUE', '"tRUE"'],
  ['~', 'null'],
  ['NULL', 'null'],
  ['nULL', '"nULL"'],
  ['010', '8'],
  ['-010', '-8'],
  ['0o7', '7'],
  ['0O7', '7'],
  ['08', '8'],
  ['0o08', '"0o08"'],
  ['0x1F', '31'],
  ['0X1f', '31'],
  ['0x', '"0x"'],
  ['0b11', '3'],
  ['-0b11', '-3'],
  ['0b2', '"0b2"'],
  ['00', '0'],
  ['-0', '0'],
  ['+5', '5'],
  ['1_000', '1000'],
  ['0_', '0'],
  ['_1', '"_1"'],
  ['4_2.1_5', '42.15'],
  ['1.0', '1'],
  ['1.50', '1.5'],
  ['5.', '5'],
  ['.5', '0.5'],
  ['-.5', '-0.5'],
  ['1e3', '1000'],
  ['1E5', '100000'],
  ['1e-7', '1e-7'],
  ['1e20', '100000000000000000000'],
  ['1e21', '1e+21'],
  ['9007199254740993', '9007199254740993'],
  ['9007199254740993.0', '9007199254740992'],
  ['-9223372036854775808', '-9223372036854775808'],
  ['9223372036854775808', '9223372036854776000'],
  ['0xFFFFFFFFFFFFFFFF', '18446744073709552000'],
  ['0777777777777777777777777', '7.777777777777778e+23'],
  ['1.2.3', '"1.2.3"'],
  ['2001-01-01', '"2001-01-01"'],
  ['1:30', '"1:30"'],
  ['+', '"+"'],
  ['=', '"="'],
];

rollout('words are typed as kubectl does', () => {
  for (const [word, printed] of WORDS) {
    const isText = printed.startsWith('"');
    assert.is(kubectlWord(word), isText ? JSON.parse(printed) : kubectlWord(printed), word);
  }
  assert.is(kubectlWord('31'), 31n);
  assert.is(kubectlWord('-010'), -8n);
  assert.is(kubectlWord('1e21'), 1e21);
  assert.is(kubectlWord('1e20'), 100000000000000000000n);
  assert.is(kubectlWord('1e-7'), 1e-7);
  assert.is(kubectlWord('1e400'), '1e400');
  assert.is.not(kubectlWord('9007199254740993'), kubectlWord('9007199254740992'));
});

rollout('values are compared as kubectl reads them', () => {
  const text = (value: string): string =>
    stringify(TEMPLATE).replace(/^( *)path: \/x$/m, `$1path: /x\n$1value: ${value}`);
  assert.equal(found(text('yes'), text('true')), []);
  assert.is(found(text('"yes"'), text('true')).length, 1);
  assert.equal(found(text('{a: 010}'), text('{a: 8}')), []);
  assert.is(found(text('{a: 010}'), text('{a: "010"}')).length, 1);
  assert.is(found(text('{a: 9007199254740993}'), text('{a: 9007199254740992}')).length, 1);
});

rollout('aliases and merge keys are followed as kubectl does', () => {
  const text = (value: string): string =>
    stringify(TEMPLATE).replace(/^( *)path: \/x$/m, `$1path: /x\n$1value: ${value}`);
  const resolved = (one: string, other: string) => assert.equal(found(text(one), text(other)), [], one);
  resolved('{a: &x {c: 1}, b: *x}', '{a: {c: 1}, b: {c: 1}}');
  resolved('{a: &x {c: 1}, b: {<<: *x, c: 2, d: 3}}', '{a: {c: 1}, b: {c: 2, d: 3}}');
  resolved('{a: &x {c: 1}, b: {c: 2, <<: *x}}', '{a: {c: 1}, b: {c: 1}}');
  resolved('{a: &x {c: 1}, b: {<<: [*x, {c: 5, e: 6}]}}', '{a: {c: 1}, b: {c: 1, e: 6}}');
  for (const unreadable of ['&x {a: *x}', '{a: *nowhere}', '{[a]: 1}']) {
    assert.throws(
      () => found(text(unreadable), text('1')),
      (cause: unknown) => cause instanceof Refusal,
    );
  }
});

rollout('an object is compared with its namesake in its own namespace, else with all that it may be', () => {
  const inNamespace = (namespace: string | undefined, version: string): string =>
    stringify(
      changed(changed(CONTROL_PLANE, ['metadata', 'namespace'], namespace), ['spec', 'version'], version),
    );
  const live = [inNamespace('a', 'v1.30.0'), inNamespace('b', 'v1.31.0')].join('---\n');
  assert.equal(found(inNamespace('b', 'v1.31.0'), live), []);
  assert.is(found(inNamespace('a', 'v1.31.0'), live).length, 1);
  assert.is(found(inNamespace(undefined, 'v1.30.0'), live).length, 1);
  assert.equal(found(inNamespace('c', 'v1.33.0'), live), []);
  assert.is(found(inNamespace('c', 'v1.33.0'), inNamespace(undefined, 'v1.31.0')).length, 1);
});

rollout('the message has pointers and no values, at most five', () => {
  const value = Object.fromEntries(Array.from({ length: 8 }, (_, i) => [`key~${i}/x`, 's3cret']));
  const [diagnostic] = found(
    stringify(changed(CONTROL_PLANE, [...HOLDER, 'configPatches', 0, 'value'], value)),
    stringify(CONTROL_PLANE),
  );
  assert.match(diagnostic?.message ?? '', /configPatches\/0\/value\/.* and 5 more/);
  assert.match(diagnostic?.message ?? '', /key~00~1x/);
  assert.not.match(JSON.stringify(diagnostic), /s3cret/);
});

rollout('live objects may come as a List, and others are passed over', () => {
  const list = { apiVersion: 'v1', kind: 'List', items: [TEMPLATE, CONTROL_PLANE, DEPLOYMENT] };
  const next = changed(CONTROL_PLANE, ['spec', 'version'], 'v9');
  assert.equal(codes(next, list), ['error ROLLOUT_REQUIRED']);
  assert.equal(codes({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x' } }, list), []);
});

const scalar = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.constantFrom<unknown>('yes', '010', '~', 'a\nb\n', '# x', null, true, false),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b/c', 'd~e', 'op', 'value', 'hostname'), tie('value'), {
      maxKeys: 3,
    }),
  ),
})).value;

/** As kubectl reads it. */
const YAML_1_1 = { version: '1.1' } as const;

/** A text that isn't empty: an empty one is none. */
const set = fc.string({ minLength: 1, maxLength: 8 });

const holder = fc.record(
  {
    generateType: fc.constantFrom('controlplane', 'none'),
    talosVersion: fc.constantFrom('v1.9', 'v1.12'),
    data: set,
    hostname: fc.record({ source: fc.constantFrom('MachineName', 'InfrastructureName') }),
    strategicPatches: fc.array(fc.oneof(set, fc.constant('machine:\n  sysctls: {}\n')), {
      minLength: 1,
      maxLength: 3,
    }),
    configPatches: fc.array(
      fc.record(
        {
          op: fc.constantFrom('add', 'remove'),
          path: fc.constantFrom('/machine/a', '/machine/b'),
          value: json,
        },
        { requiredKeys: ['op', 'path'] },
      ),
      { minLength: 1, maxLength: 3 },
    ),
  },
  { requiredKeys: ['generateType'] },
);

const layout = fc.record({
  collectionStyle: fc.constantFrom('any', 'block', 'flow'),
  defaultStringType: fc.constantFrom(
    'PLAIN',
    'QUOTE_DOUBLE',
    'QUOTE_SINGLE',
    'BLOCK_LITERAL',
    'BLOCK_FOLDED',
  ),
  lineWidth: fc.constantFrom(0, 40),
  indent: fc.constantFrom(2, 4),
});

rollout('what the API server adds, the order of keys, comments and the layout never count', () => {
  fc.assert(
    fc.property(holder, layout, (spec, style) => {
      const next = changed(CONTROL_PLANE, HOLDER, spec);
      const text = commented(reversed(asStored(next)), style);
      assert.equal(found(stringify(next, YAML_1_1), text), [], text);
    }),
    { numRuns: fuzzRuns(500) },
  );
});

rollout('another leaf below controlplane is a difference at its pointer', () => {
  fc.assert(
    fc.property(holder, layout, fc.nat(), json, (spec, style, which, other) => {
      const leaves = leavesOf(spec, []);
      const [path, leaf] = leaves[which % leaves.length] ?? [[], undefined];
      const isInValue = path[0] === 'configPatches' && path[2] === 'value';
      const replacement = isInValue ? other : `${leaf as string}-`;
      fc.pre(canonical(replacement) !== canonical(leaf));
      const before = changed(CONTROL_PLANE, HOLDER, spec);
      const next = stringify(changed(before, [...HOLDER, ...path], replacement), YAML_1_1);
      const diagnostics = found(next, commented(reversed(asStored(before)), style));
      assert.equal(
        diagnostics.map(({ code }) => code),
        ['ROLLOUT_REQUIRED'],
        next,
      );
      const pointer = [...HOLDER, ...path].map(
        (key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`,
      );
      assert.ok(diagnostics[0]?.message.includes(pointer.join('')), diagnostics[0]?.message);
    }),
    { numRuns: fuzzRuns(500) },
  );
});

rollout.run();

/** As `kubectl get` shows it after the webhook wrote it from its Go types. */
function asStored(object: object): object {
  const copy = structuredClone(object) as typeof CONTROL_PLANE & Changed;
  const { controlplane } = copy.spec.controlPlaneConfig as { controlplane: Changed };
  controlplane['hostname'] ??= {};
  for (const patch of (controlplane['configPatches'] ?? []) as Changed[]) patch['value'] ??= null;
  return {
    ...copy,
    metadata: { ...copy.metadata, uid: 'x', resourceVersion: '1', managedFields: [{ a: 1 }] },
    spec: {
      ...copy.spec,
      infrastructureTemplate: { ...copy.spec.infrastructureTemplate, namespace: 'clusters' },
      rolloutStrategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } },
    },
    status: { ready: true },
  };
}

/** In a layout, with comments. Layouts that the printer itself reads as something else are passed over. */
function commented(object: unknown, style: { readonly collectionStyle: string }): string {
  const document = parseDocument(stringify(object, { ...YAML_1_1, ...style } as never), YAML_1_1);
  visit(document, {
    Pair: (_, pair: Pair) => {
      if (style.collectionStyle !== 'flow' && isScalar(pair.key)) pair.key.commentBefore = ' a comment';
    },
  });
  const text = document.toString(style as never);
  fc.pre(JSON.stringify(parse(text, YAML_1_1)) === JSON.stringify(object));
  return text;
}

/** Paths and values of what has no members. */
function leavesOf(
  value: unknown,
  path: readonly (string | number)[],
): readonly (readonly [readonly (string | number)[], unknown])[] {
  if (typeof value !== 'object' || value === null) return [[path, value]];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return entries.length === 0
    ? [[path, value]]
    : entries.flatMap(([key, child]) => leavesOf(child, [...path, key]));
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, child]) => [key, reversed(child)]),
  );
}

/** Equal for what JSON can't tell apart but for the order of keys; -0 is 0. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, child: unknown) =>
    typeof child === 'object' && child !== null && !Array.isArray(child)
      ? Object.fromEntries(Object.entries(child).sort(([a], [b]) => (a < b ? -1 : 1)))
      : child,
  );
}
