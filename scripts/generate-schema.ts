/**
 * Writes `function-config/*.schema.json`, the JSON Schemas of our kinds, from the schemas that validate them. `--check`
 * only compares.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toJsonSchema } from '@valibot/to-json-schema';
import type { GenericSchema } from 'valibot';
import type { Config } from '../src/spec/config.ts';
import { mirrorSchema, networkSchema, specSchema } from '../src/spec/schema.ts';

interface Kind {
  readonly file: string;
  readonly schema: GenericSchema;
  readonly description: string;
  readonly one: string;
  readonly spec: Readonly<Record<string, unknown>>;
}

const FOLDER = join(import.meta.dirname, '..', 'function-config');

const KINDS: Readonly<Record<Config['kind'], Kind>> = {
  RegistryTrust: {
    file: 'registry-trust.schema.json',
    schema: specSchema,
    description: 'Trust in an internal registry for every node of a Talos cluster.',
    one: 'One object trusts one registry.',
    spec: {
      description: 'Where the values are that nodes need, never what they are.',
      oneOf: [{ required: ['caSecret'] }, { required: ['caConfigMap'] }],
    },
  },
  RegistryMirror: {
    file: 'registry-mirror.schema.json',
    schema: mirrorSchema,
    description: 'Mirrors of a registry for every node of a Talos cluster.',
    one: 'One object mirrors one registry.',
    spec: { description: 'Where images of the registry come from.' },
  },
  ClusterNetwork: {
    file: 'cluster-network.schema.json',
    schema: networkSchema,
    description: 'Pod and service subnets of a Talos cluster.',
    one: 'One object sets the subnets of one cluster.',
    spec: {
      description: 'The subnets, at most one of each family.',
      anyOf: [{ required: ['podSubnets'] }, { required: ['serviceSubnets'] }],
    },
  },
};

/** Paths and texts of all files. */
export function schemaFiles(): readonly { readonly path: string; readonly text: string }[] {
  return Object.entries(KINDS).map(([kind, { file, schema, description, one, spec }]) => {
    const { $schema: _, ...fields } = toJsonSchema(schema, {
      target: 'draft-2020-12',
      typeMode: 'input',
    }) as Record<string, unknown>;
    const whole = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: kind,
      description,
      type: 'object',
      properties: {
        apiVersion: { const: 'fn.openkubes.io/v1alpha1', description: 'Group and version of this kind.' },
        kind: { const: kind, description: one },
        metadata: {
          type: 'object',
          description: 'As in every object; mark it config.kubernetes.io/local-config: "true".',
        },
        spec: { ...fields, ...spec },
      },
      required: ['apiVersion', 'kind', 'spec'],
      additionalProperties: false,
    };
    return { path: join(FOLDER, file), text: `${JSON.stringify(whole, null, 2)}\n` };
  });
}

if (import.meta.main) {
  for (const { path, text } of schemaFiles()) {
    if (!process.argv.includes('--check')) writeFileSync(path, text);
    else if (readFileSync(path, 'utf8') !== text) {
      console.error(`${path} is out of step: run npm run schema`);
      process.exitCode = 1;
    }
  }
}
