/** The fast reader against the full parser: whatever it accepts, the full parser reads as the same nodes at the same places. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isMap, isScalar, isSeq, parseDocument, stringify } from 'yaml';
import { readOrdinary } from '../../src/yaml/ordinary.ts';
import { splitDocuments } from '../../src/yaml/split-documents.ts';
import { fc, fuzzRuns } from '../support/fuzz.ts';

const ordinary = suite('ordinary YAML');

const ROOT = join(import.meta.dirname, '..', '..');
const RUNS = fuzzRuns(4000);

/** What both readers must agree on, as lines. */
function outline(node: unknown, path = ''): readonly string[] {
  if (isMap(node))
    return [
      `${path} map ${placeOf(node)}`,
      ...node.items.flatMap(({ key, value }, i) => [
        ...outline(key, `${path}.${i}k`),
        ...outline(value, `${path}.${i}v`),
      ]),
    ];
  if (isSeq(node))
    return [
      `${path} seq ${placeOf(node)}`,
      ...node.items.flatMap((item, i) => outline(item, `${path}.${i}`)),
    ];
  if (isScalar(node))
    return [
      `${path} ${node.type} ${JSON.stringify(node.value)} ${node.range?.[0]}-${node.range?.[1]} ${node.anchor} ${node.tag}`,
    ];
  return [`${path} ${String(node)}`];
}

/** A block collection ends where its last value ends; only a flow collection has an end of its own. */
function placeOf(node: { flow?: boolean | undefined; range?: [number, number, number] | null }): string {
  return node.flow === true ? `flow ${node.range?.[0]}-${node.range?.[1]}` : `block ${node.range?.[0]}`;
}

function compare(text: string): 'read' | 'left' {
  const fast = readOrdinary(text);
  if (fast === undefined) return 'left';
  const full = parseDocument(text, {
    schema: 'failsafe',
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  assert.equal(
    full.errors.map(({ code }) => code),
    [],
    JSON.stringify(text),
  );
  assert.is(outline(fast).join('\n'), outline(full.contents).join('\n'), JSON.stringify(text));
  return 'read';
}

const READ: readonly string[] = [
  'a: 1\n',
  'a: 1',
  '# head\n\na: 1 # one\n# foot\n',
  'a:\n  b:\n    c: x y z\n  d: ""\n',
  'a:\n- b\n- c: 1\n  d: 2\n-   e: 3\n    f: 4\n',
  'a:\n  - b\n  # between\n  - c\nz: {a: 1, "b": [x, \'y\', {}, []], c: "d e"}\n',
  'a: |\n  x\n\n   y\nb: |- # comment\n  z\n\n\nc: 1\n',
  'a: |+\n  x\nb: 1\n',
  'a:\n  b:\nc:\n# nothing\n',
  'a: b:c\nu: https://x.example:80/y?z#w\nf: --flag=x\n',
  '"a b": 1\n\'c d\': "e \\"f\\" \\n"\ne.f/g-h: it\'s\n',
  '- a\n- b: |\n    x\n  c: 1\n',
  'a: 1\r\nb: |\r\n  x\r\n  y\r\nc:\r\n- d\r\n',
  '{"a": {"b": ["c"]}}\n',
];

for (const text of READ) {
  ordinary(`read: ${JSON.stringify(text)}`, () => assert.is(compare(text), 'read'));
}

const LEFT: readonly string[] = [
  '',
  '# only a comment\n',
  'a: &x 1\nb: *x\n',
  'a: !!str 1\n',
  '? a\n: b\n',
  'a: b\n  c\n',
  'a: "b\n  c"\n',
  'a: >\n  b\n',
  'a: |2\n   b\n',
  'a: {b: 1,\n  c: 2}\n',
  'a: [b, ]\n',
  'a:\tb\n',
  'a: 1\n b: 2\n',
  'a: 1\n- b\n',
  'a: b: c\n',
  'a: "b" c\n',
  'a: [b] c\n',
  '- - a\n',
  '-\n  a: 1\n',
  'a: @b\n',
  '\ufeffa: 1\n',
  'a: "\\x41"\n',
  'a: |\n  x\n      \nb: 1\n',
  'a: {b: c:d, e}\n',
  'text\n  over lines\n',
];

for (const text of LEFT) {
  ordinary(`left to the full parser: ${JSON.stringify(text)}`, () => assert.is(compare(text), 'left'));
}

ordinary('every golden, input and output: the same nodes, and nearly all are read', () => {
  const folder = join(ROOT, 'test/golden');
  const results = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /put\.yaml$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(folder, file), 'utf8');
      return splitDocuments(text).map(({ start, end }) => compare(text.slice(start, end)));
    });
  assert.ok(results.filter((result) => result === 'read').length > results.length * 0.7, `${results.length}`);
});

const values = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(
      'a',
      'a b',
      'a: b',
      '#',
      "it's",
      '',
      '- x',
      'x\ny\n',
      'x\n',
      '\n',
      ' x',
      'x ',
      'null',
      '1',
      '"',
      '|',
      '{',
      'é',
      'a\n\n  b\n',
      'x #y',
      '--z',
    ),
    fc.string(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'b.c/d', 'e-f', 'g h', '1', '', 'true', 'k:l'), tie('value'), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  ),
})).value;

const texts = fc
  .record({
    value: fc.dictionary(fc.constantFrom('a', 'b', 'spec', 'x.y'), values, {
      minKeys: 1,
      maxKeys: 4,
      noNullPrototype: true,
    }),
    indent: fc.constantFrom(2, 3, 4),
    indentSeq: fc.boolean(),
    flow: fc.boolean(),
    lineEnd: fc.constantFrom('\n', '\r\n'),
  })
  .map(({ value, indent, indentSeq, flow, lineEnd }) =>
    stringify(value, {
      indent,
      indentSeq,
      lineWidth: 0,
      version: '1.2',
      collectionStyle: flow ? 'flow' : 'any',
    }).replaceAll('\n', lineEnd),
  );

ordinary('generated documents', () => {
  let read = 0;
  fc.assert(
    fc.property(texts, (text) => {
      if (compare(text) === 'read') read++;
    }),
    { numRuns: RUNS },
  );
  assert.ok(read > RUNS / 4, `only ${read} of ${RUNS} were read`);
});

const SNIPPETS = [
  '\n',
  ' ',
  '  ',
  '- ',
  ': ',
  ':',
  '#',
  ' # c',
  '"',
  "'",
  '|',
  '|-\n',
  '>',
  '{',
  '}',
  '[',
  ']',
  ',',
  '&a ',
  '*a',
  '!t ',
  '? ',
  '---',
  '...',
  '\t',
  '\r',
  '\\',
  'x',
  'a: b',
  '\n\n',
  '\n  - c\n',
  '%',
  '~',
  '\u2028',
  '|+\n  k\n\n',
  '$',
  '${V}',
  '@',
  '<<: ',
];

ordinary('documents with something cut out or put in, at random', () => {
  const edits = fc.array(
    fc.record({ at: fc.nat(400), cut: fc.nat(3), put: fc.constantFrom('', ...SNIPPETS) }),
    { minLength: 1, maxLength: 3 },
  );
  fc.assert(
    fc.property(texts, edits, (text, changes) => {
      const changed = changes.reduce((current, { at, cut, put }) => {
        const offset = current.length === 0 ? 0 : at % current.length;
        return current.slice(0, offset) + put + current.slice(offset + cut);
      }, text);
      compare(changed);
    }),
    { numRuns: RUNS * 2 },
  );
});

ordinary('texts made of snippets', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', 'b', ...SNIPPETS), { maxLength: 14 }),
      (parts) => void compare(parts.join('')),
    ),
    { numRuns: RUNS * 2 },
  );
});

ordinary.run();
