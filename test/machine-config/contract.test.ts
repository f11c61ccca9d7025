import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Documents, generatedDocuments, parseContract } from '../../src/machine-config/contract.ts';

const contract = suite('contract');

const READ: readonly (readonly [string | undefined, Documents | 'invalid'])[] = [
  [undefined, 'several'],
  ['', 'several'],
  ['v1.4.5', 'one'],
  ['v1.5', 'one'],
  ['1.11', 'one'],
  ['v1.11.99', 'one'],
  ['v1.12', 'several'],
  ['1.13.4', 'several'],
  ['v2.0', 'several'],
  ['v1.12.0-alpha.1', 'several'],
  ['${TALOS_VERSION}', 'unknown'],
  ['v1.${MINOR:-9}', 'unknown'],
  ['latest', 'invalid'],
  ['v1', 'invalid'],
  ['v1.x', 'invalid'],
  ['1.9garbage', 'invalid'],
];

for (const [text, documents] of READ) {
  contract(`${text} gives ${documents}`, () => {
    const parsed = parseContract(text);
    assert.is(parsed === undefined ? 'invalid' : generatedDocuments(parsed), documents);
  });
}

contract.run();
