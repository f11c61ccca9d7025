/** What is shown of holders: what Talos makes of them, where it comes from, and nothing secret. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { effectiveViews } from '../../src/manifest/effective-view.ts';
import { issue, makeCa } from '../estate/certificates.ts';

const view = suite('effective view');

const HOST = 'registry.ok-shared.internal';

const golden = (name: string, file = 'input.yaml'): string =>
  readFileSync(join(import.meta.dirname, '..', 'golden', name, file), 'utf8');

function outcomes(text: string, ours: readonly string[] = [HOST]) {
  return effectiveViews([{ text }], ours).map(({ outcomes: found }) => found);
}

const HEAD = `apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3
kind: TalosConfigTemplate
metadata: {name: w}
spec:
  template:
    spec:
      generateType: worker
      talosVersion: v1.11
`;

view('each setting has its patch and its owner; auth and client identity are only named', async () => {
  const ca = await makeCa({ commonName: 'view' });
  const leaf = await issue(ca, { dnsNames: ['x.internal'] });
  const pem = ca.certificatePem + leaf.certificatePem;
  const base64 = Buffer.from(pem).toString('base64');
  const text = `${HEAD}      configPatches:
        - op: add
          path: /machine/registries
          value:
            mirrors: {docker.io: {endpoints: ["https://m.internal/v2"], overridePath: true, skipFallback: true}}
            config:
              ${HOST}: {tls: {ca: ${base64}, clientIdentity: {crt: czNjcmV0, key: czNjcmV0}}, auth: {username: u, password: s3cret}}
              other.internal: {tls: {insecureSkipVerify: true}}
        - op: add
          path: /cluster/network/podSubnets
          value: [10.64.0.0/16]
      strategicPatches:
        - |
          machine:
            network:
              extraHostEntries:
                - ip: 10.0.0.7
                  aliases: [${HOST}, other.internal]
        - |
          machine:
            registries:
              config:
                third.internal: {tls: {ca: bm9uZQ==}}
`;
  const [found] = outcomes(text);
  assert.equal(found?.length, 1);
  assert.equal(found?.[0]?.on, ['every version']);
  const outcome = found?.[0]?.outcome;
  if (outcome?.kind !== 'read') return assert.unreachable();
  assert.is(outcome.tls[0]?.ca.length, 2);
  assert.match(String(outcome.tls[0]?.ca[0]), /^sha256:[0-9a-f]{64}$/);
  assert.equal(
    { ...outcome, tls: outcome.tls.map((one) => ({ ...one, ca: Array.isArray(one.ca) ? 'known' : one.ca })) },
    {
      kind: 'read',
      tls: [
        {
          registry: HOST,
          ca: 'known',
          verification: 'verify',
          clientIdentity: 'set',
          owner: 'ours',
          patch: 'configPatches/0',
        },
        {
          registry: 'other.internal',
          ca: 'none',
          verification: 'skip',
          clientIdentity: 'none',
          owner: 'committed',
          patch: 'configPatches/0',
        },
        {
          registry: 'third.internal',
          ca: 'unreadable',
          verification: 'verify',
          clientIdentity: 'none',
          owner: 'committed',
          patch: 'strategicPatches/1',
        },
      ],
      auth: [{ registry: HOST, fields: ['username', 'password'], owner: 'ours', patch: 'configPatches/0' }],
      mirrors: [
        {
          registry: 'docker.io',
          endpoints: [{ url: 'https://m.internal/v2', overridePath: true }],
          fallback: 'skip',
          owner: 'committed',
          patch: 'configPatches/0',
        },
      ],
      hosts: [
        { ip: '10.0.0.7', alias: HOST, owner: 'ours', patch: 'strategicPatches/0' },
        { ip: '10.0.0.7', alias: 'other.internal', owner: 'committed', patch: 'strategicPatches/0' },
      ],
      subnets: [
        { list: 'podSubnets', cidrs: ['10.64.0.0/16'], owner: 'committed', patch: 'configPatches/1' },
      ],
    },
  );
  assert.not.match(JSON.stringify(found), /s3cret|czNjcmV0|LS0tLS1/);
});

view('values of configPatches are what kubectl makes of them, texts are what Talos reads', () => {
  const words = ['010', '0x1F', 'yes', 'yES', '"011"'];
  const list = `{ip: 10.0.0.7, aliases: [${words.join(', ')}]}`;
  const [found] = outcomes(`${HEAD}      configPatches:
        - op: add
          path: /machine/network/extraHostEntries
          value: [${list}]
      strategicPatches:
        - 'machine: {network: {extraHostEntries: [${list}]}}'
`);
  const outcome = found?.[0]?.outcome;
  if (outcome?.kind !== 'read') return assert.unreachable();
  assert.equal(outcome.hosts.map(({ alias }) => alias).sort(), [
    '010',
    '011',
    '011',
    '0x1F',
    '31',
    '8',
    'true',
    'yES',
    'yES',
    'yes',
  ]);
});

view('versions that read a holder differently are told apart', () => {
  const [found] = outcomes(golden('documents', 'output.yaml'));
  assert.equal(
    found?.map(({ on, outcome }) => [
      on.length,
      outcome.kind === 'failed' ? outcome.failure : outcome.hosts.length,
    ]),
    [
      [1, 'not-registered'],
      [1, 'panic'],
      [3, 2],
    ],
  );
});

view('a failure names its patch', () => {
  const [found] = outcomes(golden('refused-base64'));
  assert.equal(found, [
    {
      on: ['every version'],
      outcome: { kind: 'failed', stage: 'strategicPatches', failure: 'base64', patch: 'strategicPatches/0' },
    },
  ]);
});

view('placeholders are named, and data with variables is unknown', () => {
  const [placeholder] = effectiveViews([{ text: golden('mirror-credentials') }], []);
  assert.equal(placeholder?.placeholders, ['ghcr.io']);
  const [data] = effectiveViews([{ text: golden('refused-data') }], []);
  assert.equal(data?.outcomes, []);
});

view('an endpoint keeps its credentials to itself', () => {
  const [found] = outcomes(`${HEAD}      strategicPatches:
        - |
          machine:
            registries:
              mirrors:
                ghcr.io: {endpoints: ["https://user:s3cret@m.internal/v2?token=s3cret"]}
`);
  assert.not.match(JSON.stringify(found), /s3cret|user/);
  assert.match(JSON.stringify(found), /m\.internal\/v2/);
});

view('two spellings of an alias are told apart', () => {
  const hosts = (alias: string, ip: string): string =>
    `machine: {network: {extraHostEntries: [{ip: ${ip}, aliases: [${alias}]}]}}`;
  const [found] = outcomes(
    `${HEAD}      strategicPatches: ['${hosts('REG.internal', '10.0.0.1')}', '${hosts('reg.internal', '10.0.0.2')}']\n`,
  );
  const outcome = found?.[0]?.outcome;
  assert.equal(
    outcome?.kind === 'read' ? outcome.hosts.map(({ alias, patch }) => [alias, patch]) : undefined,
    [
      ['REG.internal', 'strategicPatches/0'],
      ['reg.internal', 'strategicPatches/1'],
    ],
  );
});

view('keys that every JavaScript object has are keys like others', () => {
  const patch = (text: string) => outcomes(`${HEAD}      strategicPatches: [${JSON.stringify(text)}]\n`)[0];
  const unknown = patch('machine: {registries: {}}\nconstructor: {a: b}\n')?.[0]?.outcome;
  assert.is(unknown?.kind, 'failed');
  assert.is(unknown?.kind === 'failed' ? unknown.failure : undefined, 'unknown-key');
  const deleted = patch('machine: {registries: {constructor: {$patch: delete}}}\n')?.[0]?.outcome;
  assert.is(deleted?.kind, 'failed');
});

view('what a provider generates isn’t shown as known', () => {
  const [found] = outcomes(`${HEAD}      hostname: {source: MachineName}\n`);
  assert.equal(found?.[0]?.outcome, { kind: 'read', tls: [], auth: [], mirrors: [], hosts: [], subnets: [] });
});

view.run();
