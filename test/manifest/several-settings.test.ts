/** An intent with several settings in one patch: a mirror and its credentials into what is there, in any layout. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { hydrate } from '../../src/manifest/hydrate.ts';
import { mirrorIntent } from '../../src/manifest/intent.ts';

const intent = mirrorIntent(
  {
    registry: 'docker.io',
    endpoints: [
      { url: 'https://m.example.internal', scheme: 'https', hostKey: 'm.example.internal', path: 'append' },
    ],
    fallback: 'use',
  },
  new Map([['m.example.internal', { username: 'u' }]]),
);

const HEAD = `apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3
kind: TalosConfigTemplate
metadata: {name: w}
spec:
  template:
    spec:
      generateType: worker
      talosVersion: v1.11
`;

const OTHER = { other: { auth: { username: 'o' } } };

const several = suite('several settings in one patch');

for (const [layout, config, value] of [
  ['an empty mapping', {}, ' {}'],
  ['a flow mapping', OTHER, ' {config: {other: {auth: {username: o}}}}'],
  ['a block mapping', OTHER, '\n  config:\n    other:\n      auth:\n        username: o'],
] as const) {
  const expected = {
    mirrors: { 'docker.io': { endpoints: ['https://m.example.internal'] } },
    config: { ...config, 'm.example.internal': { auth: { username: 'u' } } },
  };

  several(`${layout} in configPatches`, () => {
    const written = value.replaceAll('\n', `\n${' '.repeat(10)}`);
    const text = `${HEAD}      configPatches:\n        - op: add\n          path: /machine/registries\n          value:${written}\n`;
    const { output } = hydrate(text, [intent]);
    assert.equal(parse(output).spec.template.spec.configPatches[0].value, expected);
    assert.is(hydrate(output, [intent]).output, output);
  });
}

several.run();
