/** What users and editors read of the config stays in step with what the parser takes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { schemaFiles } from '../../scripts/generate-schema.ts';
import { readConfig } from '../../src/spec/config-source.ts';

const schemaFile = suite('schema file and examples');

const FOLDER = join(import.meta.dirname, '..', '..', 'function-config');

interface SchemaNode {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
}

const SCHEMAS = schemaFiles();

schemaFile('the files are what npm run schema writes', () => {
  assert.is(SCHEMAS.length, 3);
  for (const { path, text } of SCHEMAS)
    assert.ok(readFileSync(path, 'utf8') === text, `${path} is out of step: run npm run schema`);
});

schemaFile('each field has a description', () => {
  const fields = SCHEMAS.flatMap(({ text }) => fieldsOf(JSON.parse(text) as SchemaNode, ''));
  assert.ok(fields.length > 30);
  assert.equal(
    fields.filter(([, { description }]) => description === undefined).map(([path]) => path),
    [],
  );
});

schemaFile('patterns are ones that validators in Go read too: no lookaround, no back-reference', () => {
  const patterns = [
    ...SCHEMAS.map(({ text }) => text)
      .join('')
      .matchAll(/"pattern": ("(?:[^"\\]|\\.)*")/g),
  ].map((match) => JSON.parse(match[1] ?? '') as string);
  assert.ok(patterns.length > 10);
  for (const pattern of patterns) {
    assert.not.match(pattern, /\(\?[=!<]|\\[1-9]/);
    assert.type(new RegExp(pattern, 'u').source, 'string');
  }
});

schemaFile('the README has each field of the spec', () => {
  const readme = readFileSync(join(FOLDER, 'README.md'), 'utf8');
  for (const { text } of SCHEMAS) {
    const { properties } = JSON.parse(text) as SchemaNode;
    for (const [key, { properties: inner }] of Object.entries(properties?.['spec']?.properties ?? {})) {
      assert.match(readme, new RegExp(`^\\| .*\`${key}\\b.* \\|$`, 'm'));
      for (const field of Object.keys(inner ?? {})) assert.match(readme, new RegExp(`\\b${field}\\b`));
    }
  }
});

schemaFile('the examples are configs, one for each kind and shape', () => {
  const results = Object.fromEntries(
    readdirSync(FOLDER)
      .filter((file) => file.endsWith('.yaml'))
      .map((file) => [file, readConfig(readFileSync(join(FOLDER, file), 'utf8'))] as const),
  );
  const kindOf = (file: string): string | undefined => {
    const result = results[file];
    return result?.configs[0]?.kind;
  };
  assert.equal(results['registry-trust.yaml'], results['configmap.yaml']);
  assert.is(kindOf('registry-trust.yaml'), 'RegistryTrust');
  assert.is(kindOf('registry-mirror.yaml'), 'RegistryMirror');
  assert.is(kindOf('cluster-network.yaml'), 'ClusterNetwork');
  assert.is(Object.keys(results).length, 4);
});

schemaFile.run();

function fieldsOf(node: SchemaNode, path: string): readonly (readonly [string, SchemaNode])[] {
  const own = Object.entries(node.properties ?? {}).flatMap(([key, field]) => [
    [`${path}/${key}`, field] as const,
    ...fieldsOf(field, `${path}/${key}`),
  ]);
  return node.items === undefined ? own : [...own, ...fieldsOf(node.items, path)];
}
