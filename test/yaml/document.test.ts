/** Documents of sizes and depths that overflow a stack, and the place of what stands behind a byte order mark. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Refusal } from '../../src/diagnostic.ts';
import { allNodes, parseYaml, startOf, type YamlDocument } from '../../src/yaml/document.ts';

const documents = suite('document');

function read(text: string): YamlDocument {
  return parseYaml({ text, offset: 0, whole: text });
}

for (const [about, text] of [
  ['flow lists', '['.repeat(20_000) + ']'.repeat(20_000)],
  ['flow lists that never end', '['.repeat(20_000)],
] as const) {
  documents(`${about} deeper than the stack are refused`, () => {
    assert.throws(
      () => read(text),
      (cause: unknown) => cause instanceof Refusal && cause.diagnostics[0]?.code === 'YAML_INVALID',
    );
  });
}

for (const [about, text, nodes] of [
  ['list', '- a\n'.repeat(200_000), 200_001],
  ['mapping', Array.from({ length: 100_000 }, (_, i) => `k${i}: a\n`).join(''), 200_001],
] as const) {
  documents(`all nodes of a long ${about}`, () => {
    const { root } = read(text);
    assert.ok(root);
    let count = 0;
    for (const _ of allNodes(root)) count++;
    assert.is(count, nodes);
  });
}

documents('a byte order mark takes no column', () => {
  const { root, locate } = read('\ufeffa: 1\n');
  assert.equal(locate(startOf(root)), { line: 1, column: 1 });
});

documents.run();
