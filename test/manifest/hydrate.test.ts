/** Hydrating what no golden can show well: texts that are long, deep or many. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Refusal } from '../../src/diagnostic.ts';
import { hydrate } from '../../src/manifest/hydrate.ts';
import { trustIntent } from '../../src/manifest/intent.ts';
import { parseRegistryHost } from '../../src/trust/registry-host.ts';
import { GOLDEN_VALUES } from '../support/owned-lines.ts';

const hydrating = suite('hydrate');

const INTENT = trustIntent(parseRegistryHost('registry.ok-shared.internal'), GOLDEN_VALUES, {
  patchFormat: 'auto',
});

const holder = (patches: string, name = 'w'): string => `apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3
kind: TalosConfigTemplate
metadata: {name: ${name}}
spec:
  template:
    spec:
      generateType: worker
      talosVersion: v1.9
${patches}`;

function codesOf(text: string): readonly string[] {
  try {
    return hydrate(text, [INTENT]).diagnostics.map(({ code }) => code);
  } catch (cause) {
    if (cause instanceof Refusal) return cause.diagnostics.map(({ code }) => code);
    throw cause;
  }
}

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

/** The reader or the replay refuses; how deep the reader gets depends on the stack. */
const TOO_DEEP = ['PATCH_FAILS', 'PATCH_INVALID', 'YAML_INVALID'];

for (const depth of [600, 3_000, 30_000]) {
  hydrating(`values nested ${depth} deep are refused, not overflown`, () => {
    const inText = holder(
      `      strategicPatches:\n        - '{machine: {registries: {x: ${nested(depth)}}}}'\n`,
    );
    const inValue = holder(
      `      configPatches:\n        - {op: add, path: /machine/registries, value: ${nested(depth)}}\n`,
    );
    for (const text of [inText, inValue]) {
      const [code = 'none', ...more] = codesOf(text);
      assert.ok(TOO_DEEP.includes(code), code);
      assert.equal(more, []);
    }
  });
}

hydrating('holders with the same text are judged alike, those with another text on their own', () => {
  const bad = '      strategicPatches:\n        - "machine: {registries: {config: {x: {tls: {ca: b@d}}}}}"\n';
  const good = '      strategicPatches:\n        - "machine: {sysctls: {a: b}}"\n';
  const text = [bad, good, bad, good].map((patches, i) => holder(patches, `w${i}`)).join('---\n');
  assert.equal(codesOf(text), ['PATCH_FAILS', 'PATCH_FAILS']);
});

hydrating.run();
