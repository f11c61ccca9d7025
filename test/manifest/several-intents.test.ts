/** Several intents at once: none takes the placeholders of another for leftovers, and places are those of the input. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Diagnostic, diagnosticsOf } from '../../src/diagnostic.ts';
import { hydrate } from '../../src/manifest/hydrate.ts';
import { mirrorIntent, networkIntent, trustIntent } from '../../src/manifest/intent.ts';
import { parseRegistryHost } from '../../src/trust/registry-host.ts';

const several = suite('several intents');

const HOST = 'registry.ok-shared.internal';
const trust = trustIntent(parseRegistryHost(HOST), 'unknown');
const other = trustIntent(parseRegistryHost('other.internal'), 'unknown');
const network = networkIntent({ podSubnets: ['10.64.0.0/16'], serviceSubnets: [] });

const holder = (name: string, contract: string, patches = ''): string => `---
apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3
kind: TalosConfigTemplate
metadata: {name: ${name}}
spec:
  template:
    spec:
      generateType: worker
      talosVersion: ${contract}
${patches}`;

const PLACEHOLDER = `      configPatches:\n        - registryTrust: ${HOST}\n`;

function problems(text: string, intents: Parameters<typeof hydrate>[1]): readonly Diagnostic[] {
  try {
    return hydrate(text, intents).diagnostics;
  } catch (cause) {
    return diagnosticsOf(cause);
  }
}

several('offline, a committed placeholder is no leftover for the intents behind its own', () => {
  const text = holder('a', 'v1.9', PLACEHOLDER);
  assert.equal(problems(text, [trust, network]), []);
  assert.equal(problems(text, [network, trust]), []);
});

several('offline, nor is one that was put in just before', () => {
  const codes = problems(holder('a', 'v1.9'), [trust, other, network]).map(({ code }) => code);
  assert.equal(codes, ['PLACEHOLDER_MISSING', 'PLACEHOLDER_MISSING']);
});

several('one of an untargeted object is left over, whatever comes behind', () => {
  const text = holder('a', 'v1.9', PLACEHOLDER) + holder('b', 'v1.9', PLACEHOLDER);
  const targeted = { ...trust, targets: { names: ['a'] } };
  assert.equal(
    problems(text, [targeted, network]).map(({ code, at }) => [code, at?.name]),
    [['PLACEHOLDER_LEFT', 'b']],
  );
});

several('places are those of the input, whatever was put in before them', () => {
  const text = holder('a', 'v1.9') + holder('b', 'v1.14');
  const alone = problems(text, [network]).find(({ code }) => code === 'NETWORK_TOO_NEW')?.at;
  const known = trustIntent(parseRegistryHost(HOST), { caBase64: 'YQ==', ip: '10.0.0.1' });
  for (const before of [trust, known]) {
    const behind = problems(text, [before, network]).find(({ code }) => code === 'NETWORK_TOO_NEW')?.at;
    assert.equal(behind, alone);
  }
});

const LOGIN = {
  legacy: (fields: string) => `machine: {registries: {config: {m.internal: {auth: {${fields}}}}}}`,
  document: (fields: string) =>
    `{apiVersion: v1alpha1, kind: RegistryAuthConfig, name: m.internal, ${fields}}`,
};

several('credentials of another way to log in are refused by name; offline the way isn’t known', () => {
  const endpoint = {
    url: 'https://m.internal',
    scheme: 'https',
    hostKey: 'm.internal',
    path: 'append',
  } as const;
  const mirror = (credentials: Parameters<typeof mirrorIntent>[1]) =>
    mirrorIntent({ registry: 'ghcr.io', endpoints: [endpoint], fallback: 'use' }, credentials);
  const basic = mirror(new Map([['m.internal', { username: 'u', password: 'p' }]]));
  for (const form of [LOGIN.legacy, LOGIN.document]) {
    const text = (fields: string): string =>
      holder('a', 'v1.13', `      strategicPatches: ['${form(fields)}']\n`);
    const errors = (fields: string, intent: typeof basic) =>
      problems(text(fields), [intent]).flatMap(({ code, severity }) => (severity === 'error' ? [code] : []));
    assert.equal(errors('auth: b2xk', basic), ['MIRROR_CONFLICT']);
    assert.equal(errors('username: old, password: old', basic), []);
    assert.equal(errors('username: old, password: old', mirror('unknown')), []);
  }
});

several.run();
