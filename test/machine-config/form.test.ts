import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseContract } from '../../src/machine-config/contract.ts';
import { automaticForm, leafOperation, strategicPatch } from '../../src/machine-config/form.ts';
import { parseRegistryHost } from '../../src/trust/registry-host.ts';

const form = suite('form');

const HOST = parseRegistryHost('registry.example.internal:5000');
const VALUES = { caBase64: 'Y2E=', ip: '192.0.2.10' };

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
  assert.equal(strategicPatch(['registries', 'hostEntries'], HOST, VALUES), {
    machine: {
      registries: { config: { 'registry.example.internal:5000': { tls: { ca: 'Y2E=' } } } },
      network: { extraHostEntries: [{ ip: '192.0.2.10', aliases: ['registry.example.internal'] }] },
    },
  });
});

form('an operation sets a whole leaf', () => {
  assert.equal(leafOperation('hostEntries', HOST, VALUES), {
    op: 'add',
    path: '/machine/network/extraHostEntries',
    value: [{ ip: '192.0.2.10', aliases: ['registry.example.internal'] }],
  });
});

form.run();
