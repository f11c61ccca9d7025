/** Which objects a config is for: all that is given must match, as Kubernetes' selectors do. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { documentsOf } from '../../src/manifest/hydrate.ts';
import { objectsOf } from '../../src/manifest/objects.ts';
import { isTargeted } from '../../src/manifest/targets.ts';
import type { Targets } from '../../src/spec/registry-trust.ts';

const targets = suite('targets');

const TEXT = `apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3
kind: TalosConfigTemplate
metadata:
  name: pool-a
  labels: {env: prod, tier: ""}
`;
const NAMELESS = 'apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3\nkind: TalosConfigTemplate\nmetadata: {}\n';

function targeted(wanted: Targets | undefined, text = TEXT): boolean {
  const [object] = documentsOf({ text }).flatMap((document) => objectsOf(document.parse()));
  assert.ok(object);
  return isTargeted(object, wanted);
}

type Operator = NonNullable<NonNullable<Targets['labelSelector']>['matchExpressions']>[number]['operator'];

const matching = (key: string, operator: Operator, values?: readonly string[]): Targets => ({
  labelSelector: {
    matchExpressions: [{ key, operator, ...(values === undefined ? {} : { values: [...values] }) }],
  },
});

const CASES: readonly (readonly [string, Targets | undefined, boolean])[] = [
  ['no targets', undefined, true],
  ['nothing given', {}, true],
  ['the kind', { kinds: ['TalosControlPlane', 'TalosConfigTemplate'] }, true],
  ['another kind', { kinds: ['TalosControlPlane'] }, false],
  ['the name', { names: ['pool-a'] }, true],
  ['another name', { names: ['pool-b'] }, false],
  ['the kind with another name', { kinds: ['TalosConfigTemplate'], names: ['pool-b'] }, false],
  ['a label', { labelSelector: { matchLabels: { env: 'prod' } } }, true],
  ['another value of a label', { labelSelector: { matchLabels: { env: 'test' } } }, false],
  ['one of two labels', { labelSelector: { matchLabels: { env: 'prod', x: 'y' } } }, false],
  ['In', matching('env', 'In', ['test', 'prod']), true],
  ['In, another value', matching('env', 'In', ['test']), false],
  ['In, an absent label', matching('x', 'In', ['test']), false],
  ['In, no values', matching('env', 'In'), false],
  ['NotIn', matching('env', 'NotIn', ['test']), true],
  ['NotIn, the value', matching('env', 'NotIn', ['test', 'prod']), false],
  ['NotIn, an absent label', matching('x', 'NotIn', ['test']), true],
  ['NotIn, no values', matching('env', 'NotIn'), true],
  ['Exists', matching('tier', 'Exists'), true],
  ['Exists, an absent label', matching('x', 'Exists'), false],
  ['Exists, a name that every object of JavaScript has', matching('constructor', 'Exists'), false],
  ['DoesNotExist', matching('x', 'DoesNotExist'), true],
  ['DoesNotExist, a label that is there', matching('tier', 'DoesNotExist'), false],
  [
    'one of two expressions',
    {
      labelSelector: {
        matchExpressions: [
          { key: 'env', operator: 'Exists' },
          { key: 'x', operator: 'Exists' },
        ],
      },
    },
    false,
  ],
];

for (const [about, wanted, expected] of CASES) targets(about, () => assert.is(targeted(wanted), expected));

targets('an object without a name has none of the names', () => {
  assert.is(targeted({ names: ['pool-a'] }, NAMELESS), false);
  assert.is(targeted({ kinds: ['TalosConfigTemplate'] }, NAMELESS), true);
});

targets.run();
