/** The postcondition by itself: a planner that errs is found out, whatever it does. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { explain } from '../../src/manifest/explain.ts';
import { type Reading, readingsOf } from '../../src/manifest/holder-config.ts';
import { type Holder, holdersOf } from '../../src/manifest/holders.ts';
import { documentsOf, hydrate } from '../../src/manifest/hydrate.ts';
import { type Intent, networkIntent, trustIntent } from '../../src/manifest/intent.ts';
import { objectsOf } from '../../src/manifest/objects.ts';
import { judge } from '../../src/manifest/postcondition.ts';
import { readPatches } from '../../src/manifest/steps.ts';
import { parseRegistryHost } from '../../src/trust/registry-host.ts';
import { once } from '../../src/yaml/document.ts';
import { GOLDEN_VALUES } from '../support/owned-lines.ts';

const postcondition = suite('postcondition');

const HOST = parseRegistryHost('registry.ok-shared.internal');
const trust = once(() => trustIntent(HOST, GOLDEN_VALUES));

const INPUT = `apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3
kind: TalosConfigTemplate
metadata: {name: w}
spec:
  template:
    spec:
      generateType: worker
      talosVersion: v1.9
      configPatches:
        - op: add
          path: /machine/registries
          value:
            mirrors: {docker.io: {endpoints: ["https://a.internal", "https://b.internal"]}}
            config:
              other.internal: {tls: {ca: b3RoZXI=}, auth: {username: u, password: p}}
        - op: add
          path: /machine/network/nameservers
          value: [10.0.0.53]
        - op: add
          path: /machine/network/extraHostEntries
          value: [{ip: 10.0.0.7, aliases: [other.internal]}]
`;

const hydrated = once(() => ({ text: hydrate(INPUT, [trust()]).output }));

const never = (): boolean => false;

postcondition('what hydrate writes holds', () => {
  assert.equal(judge(readings(INPUT), readings(hydrated().text), trust(), never), { kind: 'held' });
});

/** Faults of a planner: a change of the output, and the part in which it is found. */
const FAULTS: readonly (readonly [string, (text: string) => string, readonly string[]])[] = [
  [
    'another CA',
    (text) => text.replace(GOLDEN_VALUES.caBase64, 'b2xk'),
    [`machine.registries.config[${HOST.key}]`],
  ],
  [
    'no alias',
    (text) => text.replace(`"aliases": ["${HOST.name}"]`, '"aliases": []'),
    ['machine.network.extraHostEntries'],
  ],
  [
    'another address',
    (text) => text.replace(GOLDEN_VALUES.ip, '10.9.9.9'),
    ['machine.network.extraHostEntries'],
  ],
  ['a lost alias', (text) => text.replace('[other.internal]', '[]'), ['machine.network.extraHostEntries']],
  [
    'a lost mirror',
    (text) => text.replace('docker.io', 'ghcr.io'),
    ['machine.registries.mirrors[docker.io]', 'machine.registries.mirrors[ghcr.io]'],
  ],
  [
    'endpoints in another order',
    (text) =>
      text
        .replace('a.internal', 'c.internal')
        .replace('b.internal', 'a.internal')
        .replace('c.internal', 'b.internal'),
    ['machine.registries.mirrors[docker.io]'],
  ],
  [
    'another CA of another registry',
    (text) => text.replace('b3RoZXI=', 'b2xk'),
    ['machine.registries.config[other.internal]'],
  ],
  ['a lost password', (text) => text.replace(', password: p', ''), ['credentials[other.internal]']],
  [
    'verification switched off',
    (text) => text.replace('{ca: b3RoZXI=}', '{ca: b3RoZXI=, insecureSkipVerify: true}'),
    ['machine.registries.config[other.internal]'],
  ],
  [
    'a client identity',
    (text) => text.replace('{ca: b3RoZXI=}', '{ca: b3RoZXI=, clientIdentity: {crt: eA==, key: eA==}}'),
    ['machine.registries.config[other.internal]'],
  ],
  [
    'something that isn’t owned',
    (text) => text.replace('10.0.0.53', '10.0.0.54'),
    ['parts that are not owned'],
  ],
];

for (const [about, fault, paths] of FAULTS) {
  postcondition(`${about}: EFFECTIVE_MISMATCH`, () => {
    const text = fault(hydrated().text);
    assert.is.not(text, hydrated().text);
    const verdict = judge(readings(INPUT), readings(text), trust(), never);
    assert.equal(verdict, { kind: 'differs', paths });
    if (verdict.kind !== 'held') assert.is(explained(text, trust(), verdict).code, 'EFFECTIVE_MISMATCH');
  });
}

postcondition('what can’t be read any more is broken, and the message names no value', () => {
  const text = hydrated().text.replace(GOLDEN_VALUES.caBase64, 'b@d');
  const verdict = judge(readings(INPUT), readings(text), trust(), never);
  assert.equal(verdict, { kind: 'broken', failure: { kind: 'failed', stage: 'reload', failure: 'base64' } });
  if (verdict.kind === 'held') return;
  const diagnostic = explained(text, trust(), verdict);
  assert.is(diagnostic.code, 'EFFECTIVE_MISMATCH');
  assert.not.match(JSON.stringify(diagnostic), /b@d/);
});

postcondition('an excused reading isn’t asked for, unless there is no other', () => {
  const [before, after] = [readings(INPUT), readings(hydrated().text)];
  const bad = readings(hydrated().text.replace(GOLDEN_VALUES.caBase64, 'b@d'));
  assert.is(before.length, 1);
  const second = (all: readonly Reading[]) => all.map((one): Reading => ({ ...one, machinery: '1.13' }));
  const isSecond = ({ machinery }: Reading): boolean => machinery === '1.13';
  const judged = (now: readonly Reading[]) =>
    judge([...before, ...second(before)], [...now, ...second(bad)], trust(), isSecond).kind;
  assert.is(judged(after), 'held');
  assert.is(judged(bad), 'broken');
  assert.is(judge(before, bad, trust(), () => true).kind, 'broken');
  assert.is(judge(before, after, trust(), () => true).kind, 'held');
});

postcondition('what no machinery could read before says so', () => {
  const text = INPUT.replace(
    'add\n          path: /machine/registries',
    'frob\n          path: /machine/registries',
  );
  assert.equal(judge(readings(text), readings(text), trust(), never), {
    kind: 'unreadable',
    failure: { kind: 'failed', stage: 'configPatches', failure: 'unknown-operation', index: 0 },
  });
});

postcondition('subnets are compared in their order', () => {
  const intent = networkIntent({ podSubnets: ['10.1.0.0/16', 'fd00::/56'], serviceSubnets: [] });
  const output = hydrate(INPUT, [intent]).output;
  assert.equal(judge(readings(INPUT), readings(output), intent, never), { kind: 'held' });
  const turned = output
    .replace('10.1.0.0/16', '@@')
    .replace('fd00::/56', '10.1.0.0/16')
    .replace('@@', 'fd00::/56');
  assert.equal(judge(readings(INPUT), readings(turned), intent, never), {
    kind: 'differs',
    paths: ['cluster.network.podSubnets'],
  });
});

postcondition.run();

function holder(text: string): Holder {
  const found = documentsOf({ text }).flatMap((document) =>
    objectsOf(document.parse()).flatMap(holdersOf),
  )[0];
  if (found === undefined) throw new Error('no holder');
  return found;
}

function readings(text: string): readonly Reading[] {
  const found = holder(text);
  return readingsOf(found, readPatches(found));
}

function explained(text: string, intent: Intent, verdict: Parameters<typeof explain>[1]) {
  const found = holder(text);
  return explain({ holder: found, patches: readPatches(found), intent }, verdict);
}
