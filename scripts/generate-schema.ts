/**
 * Writes `function-config/registry-trust.schema.json`, the JSON Schema of a RegistryTrust object, from the schema that
 * validates it. `--check` only compares.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toJsonSchema } from '@valibot/to-json-schema';
import { specSchema } from '../src/spec/schema.ts';

export const SCHEMA_FILE = join(import.meta.dirname, '..', 'function-config', 'registry-trust.schema.json');

/** The text of the file. */
export function schemaText(): string {
  const { $schema: _, ...spec } = toJsonSchema(specSchema, {
    target: 'draft-2020-12',
    typeMode: 'input',
  }) as Record<string, unknown>;
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'RegistryTrust',
    description: 'Trust in an internal registry for every node of a Talos cluster.',
    type: 'object',
    properties: {
      apiVersion: { const: 'fn.openkubes.io/v1alpha1', description: 'Group and version of this kind.' },
      kind: { const: 'RegistryTrust', description: 'One object trusts one registry.' },
      metadata: {
        type: 'object',
        description: 'As in every object; mark it config.kubernetes.io/local-config: "true".',
      },
      spec: {
        ...spec,
        description: 'Where the values are that nodes need, never what they are.',
        oneOf: [{ required: ['caSecret'] }, { required: ['caConfigMap'] }],
      },
    },
    required: ['apiVersion', 'kind', 'spec'],
    additionalProperties: false,
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

if (import.meta.main) {
  if (!process.argv.includes('--check')) writeFileSync(SCHEMA_FILE, schemaText());
  else if (readFileSync(SCHEMA_FILE, 'utf8') !== schemaText()) {
    console.error('function-config/registry-trust.schema.json is out of step: run npm run schema');
    process.exitCode = 1;
  }
}
