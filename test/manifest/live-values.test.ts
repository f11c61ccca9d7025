/** Values that live objects have for an intent: from those that would be changed first, then from any other. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hydrate } from '../../src/manifest/hydrate.ts';
import { type Intent, offlineIntent } from '../../src/manifest/intent.ts';
import { intentFromLive } from '../../src/manifest/live-values.ts';
import type { Config } from '../../src/spec/config.ts';
import { readConfig } from '../../src/spec/config-source.ts';

const live = suite('live values');

const HOST = 'registry.ok-shared.internal';
const CA = Buffer.from('live').toString('base64');
const OTHER_CA = Buffer.from('neighbour').toString('base64');

const object = (name: string, patches: string, kind = 'TalosConfigTemplate'): string => {
  const spec = `      generateType: worker\n      talosVersion: v1.11\n${patches}`;
  return `apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3\nkind: ${kind}\nmetadata: {name: ${name}, namespace: n}\nspec:\n  template:\n    spec:\n${spec}`;
};

const strategic = (machine: unknown): string =>
  `      strategicPatches:\n        - ${JSON.stringify(JSON.stringify({ machine }))}\n`;

const trusting = (ca: string | undefined, ip: string | undefined): string =>
  strategic({
    registries: { config: { [HOST]: { tls: ca === undefined ? {} : { ca } } } },
    network: { extraHostEntries: ip === undefined ? [] : [{ ip, aliases: ['x', HOST] }] },
  });

function configOf(spec: string): Config {
  const [config] = readConfig(`apiVersion: fn.openkubes.io/v1alpha1\n${spec}`).configs;
  assert.ok(config);
  return config;
}

const TRUST = configOf(
  `kind: RegistryTrust\nmetadata: {name: t}\nspec:\n  host: ${HOST}\n  caSecret: {namespace: c, name: c}\n`,
);
const mirror = (auth: string): Config =>
  configOf(
    `kind: RegistryMirror\nmetadata: {name: m}\nspec:\n  registry: ghcr.io\n  endpoints: [{url: https://a.internal}, {url: https://b.internal}]\n${auth}`,
  );
const SECRET = '  authSecretRef: {namespace: r, name: m}\n';
const NEXT = object('w', '');

/** What the intent writes into an empty holder. */
function written(config: Config, liveTexts: readonly string[], next = NEXT): string {
  const intent: Intent = intentFromLive(config, [{ text: liveTexts.join('---\n') }], [{ text: next }]);
  return hydrate(object('empty', ''), [intent], 'warning').output;
}

const offline = (config: Config): string =>
  hydrate(object('empty', ''), [offlineIntent(config)], 'warning').output;

live('the CA and the address of the object itself, whatever a neighbour before it has', () => {
  const text = written(TRUST, [
    object('neighbour', trusting(OTHER_CA, '192.0.2.9')),
    object('w', trusting(CA, '192.0.2.1')),
  ]);
  assert.match(text, `ca: ${CA}`);
  assert.match(text, 'ip: 192.0.2.1');
  assert.not.match(text, OTHER_CA);
});

live('else those of a neighbour', () => {
  const text = written(TRUST, [object('neighbour', trusting(OTHER_CA, '192.0.2.9')), object('w', '')]);
  assert.match(text, `ca: ${OTHER_CA}`);
  assert.match(text, 'ip: 192.0.2.9');
});

live('the CA of one and the address of another', () => {
  const text = written(TRUST, [
    object('w', trusting(CA, undefined)),
    object('neighbour', trusting(undefined, '192.0.2.9')),
  ]);
  assert.match(text, `ca: ${CA}`);
  assert.match(text, 'ip: 192.0.2.9');
});

for (const [about, texts] of [
  ['no object', []],
  ['only a CA', [object('w', trusting(CA, undefined))]],
  ['only an address', [object('w', trusting(undefined, '192.0.2.1'))]],
  ['objects of other kinds', [object('w', trusting(CA, '192.0.2.1'), 'Deployment')]],
  ['a holder that is refused', [object('w', `      configPatches: 7\n`)]],
  ['a holder that no version can read', [object('w', strategic({ registries: { frob: {} } }))]],
] as const) {
  live(`${about}: values stay unknown`, () => assert.is(written(TRUST, texts), offline(TRUST)));
}

live('a holder that is refused doesn’t hide the others', () => {
  const text = written(TRUST, [
    object('w', '      configPatches: 7\n'),
    object('v', trusting(CA, '192.0.2.1')),
  ]);
  assert.match(text, `ca: ${CA}`);
});

live('credentials of a mirror, for each of its hosts that has some', () => {
  const config = mirror(SECRET);
  const login = { 'b.internal': { auth: { username: 'u', password: 'p' } } };
  const text = written(config, [object('w', strategic({ registries: { config: login } }))]);
  assert.match(text, /b\.internal:\s+auth:\s+username: u\s+password: p\n/);
  assert.not.match(text, /a\.internal:\s+auth/);
  assert.is(written(config, [object('w', '')]), offline(config));
});

live('a mirror without credentials, and subnets, have nothing to look for', () => {
  const login = { 'b.internal': { auth: { username: 'u', password: 'p' } } };
  const texts = [object('w', strategic({ registries: { config: login } }))];
  const plain = mirror('');
  assert.is(written(plain, texts), offline(plain));
  const network = configOf(
    'kind: ClusterNetwork\nmetadata: {name: n}\nspec:\n  podSubnets: [10.64.0.0/16]\n',
  );
  assert.is(written(network, texts), offline(network));
});

live.run();
