import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseContract } from '../../src/machine-config/contract.ts';
import {
  automaticForm,
  leafOperations,
  legacyDocument,
  ownDocuments,
} from '../../src/machine-config/form.ts';
import { wantedTrust } from '../../src/machine-config/intents/trust.ts';
import { parseRegistryHost } from '../../src/trust/registry-host.ts';

const form = suite('form');

const HOST = parseRegistryHost('registry.example.internal:5000');
const settings = () => wantedTrust(HOST, { caBase64: 'Y2E=', ip: '192.0.2.10' }).settings;

for (const [version, generateType, expected] of [
  ['v1.11', 'worker', 'json6902'],
  ['v1.12', 'worker', 'strategic'],
  [undefined, 'worker', 'strategic'],
  ['${V}', 'controlplane', 'strategic'],
  ['v1.9', 'none', 'strategic'],
] as const) {
  form(`auto on ${version} with generateType ${generateType} is ${expected}`, () => {
    const contract = parseContract(version);
    assert.is(contract && automaticForm({ contract, generateType }), expected);
  });
}

form('the registry is keyed with its port, the alias has none', () => {
  assert.equal(legacyDocument(settings()), {
    machine: {
      registries: { config: { 'registry.example.internal:5000': { tls: { ca: 'Y2E=' } } } },
      network: { extraHostEntries: [{ ip: '192.0.2.10', aliases: ['registry.example.internal'] }] },
    },
  });
});

form('an operation sets a whole leaf', () => {
  assert.equal(leafOperations(settings()), [
    {
      op: 'add',
      path: '/machine/registries',
      value: { config: { 'registry.example.internal:5000': { tls: { ca: 'Y2E=' } } } },
    },
    {
      op: 'add',
      path: '/machine/network/extraHostEntries',
      value: [{ ip: '192.0.2.10', aliases: ['registry.example.internal'] }],
    },
  ]);
});

form('documents say PEM, not base64, and the address is a name', () => {
  assert.equal(ownDocuments(settings()), [
    { apiVersion: 'v1alpha1', kind: 'RegistryTLSConfig', name: 'registry.example.internal:5000', ca: 'ca' },
    {
      apiVersion: 'v1alpha1',
      kind: 'StaticHostConfig',
      name: '192.0.2.10',
      hostnames: ['registry.example.internal'],
    },
  ]);
});

form.run();
