/** What users and editors read of the config stays in step with what the parser takes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SCHEMA_FILE, schemaText } from '../../scripts/generate-schema.ts';
import { readConfig } from '../../src/spec/config-source.ts';

const schemaFile = suite('schema file and examples');

const FOLDER = join(import.meta.dirname, '..', '..', 'function-config');

interface SchemaNode {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
}

schemaFile('the file is what npm run schema writes', () => {
  assert.ok(readFileSync(SCHEMA_FILE, 'utf8') === schemaText(), 'out of step: run npm run schema');
});

schemaFile('each field has a description', () => {
  const fields = fieldsOf(JSON.parse(schemaText()) as SchemaNode, '');
  assert.ok(fields.length > 30);
  assert.equal(
    fields.filter(([, { description }]) => description === undefined).map(([path]) => path),
    [],
  );
});

schemaFile('patterns are ones that validators in Go read too: no lookaround, no back-reference', () => {
  const patterns = [...schemaText().matchAll(/"pattern": ("(?:[^"\\]|\\.)*")/g)].map(
    (match) => JSON.parse(match[1] ?? '') as string,
  );
  assert.ok(patterns.length > 10);
  for (const pattern of patterns) {
    assert.not.match(pattern, /\(\?[=!<]|\\[1-9]/);
    assert.type(new RegExp(pattern, 'u').source, 'string');
  }
});

schemaFile('the README has each field of the spec', () => {
  const readme = readFileSync(join(FOLDER, 'README.md'), 'utf8');
  const { properties } = JSON.parse(schemaText()) as SchemaNode;
  for (const [key, { properties: inner }] of Object.entries(properties?.['spec']?.properties ?? {})) {
    assert.match(readme, new RegExp(`^\\| .*\`${key}\\b.* \\|$`, 'm'));
    for (const field of Object.keys(inner ?? {})) assert.match(readme, new RegExp(`\\b${field}\\b`));
  }
});

schemaFile('the examples are configs, and the same one', () => {
  const results = readdirSync(FOLDER)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => readConfig(readFileSync(join(FOLDER, file), 'utf8')));
  assert.is(results.length, 2);
  assert.is(results[0]?.kind, 'trust');
  assert.equal(results[0], results[1]);
});

schemaFile.run();

function fieldsOf(node: SchemaNode, path: string): readonly (readonly [string, SchemaNode])[] {
  const own = Object.entries(node.properties ?? {}).flatMap(([key, field]) => [
    [`${path}/${key}`, field] as const,
    ...fieldsOf(field, `${path}/${key}`),
  ]);
  return node.items === undefined ? own : [...own, ...fieldsOf(node.items, path)];
}
