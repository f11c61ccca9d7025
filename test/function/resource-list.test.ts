import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse, stringify } from 'yaml';
import { error } from '../../src/diagnostic.ts';
import { type ResourceList, readResourceList } from '../../src/function/resource-list.ts';
import { resultEdits } from '../../src/function/results.ts';
import { objectsOf } from '../../src/manifest/objects.ts';
import { applyEdits } from '../../src/yaml/text-edit.ts';

const list = suite('ResourceList');

const HEAD = 'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n';

/** The same two items in the styles that orchestrators and people write. */
const STYLES: Readonly<Record<string, string>> = {
  kpt: `${HEAD}items:\n- apiVersion: v1\n  kind: A\n  metadata:\n    name: a\n- apiVersion: v1\n  kind: B\n  metadata:\n    name: b\n`,
  'indented items': `${HEAD}items:\n  # first\n  - apiVersion: v1\n    kind: A\n    metadata: {name: a}\n\n  - apiVersion: v1\n    kind: B\n    metadata: {name: b}\n`,
  'a leading marker and comments': `# head\n---\n${HEAD}items: # two\n- apiVersion: v1\n  kind: A\n  metadata:\n    name: a\n# between\n- apiVersion: v1\n  kind: B\n  metadata:\n    name: b\n# foot\n`,
  'items before the kind, no final newline': `items:\n- apiVersion: v1\n  kind: A\n  metadata:\n    name: a\n- apiVersion: v1\n  kind: B\n  metadata:\n    name: b\nkind: ResourceList`,
  CRLF: `${HEAD}items:\n- apiVersion: v1\n  kind: A\n  metadata:\n    name: a\n- apiVersion: v1\n  kind: B\n  metadata:\n    name: b\n`.replaceAll(
    '\n',
    '\r\n',
  ),
  JSON: JSON.stringify({
    apiVersion: 'config.kubernetes.io/v1',
    kind: 'ResourceList',
    items: [item('A'), item('B')],
  }),
  'indented JSON': JSON.stringify(
    { apiVersion: 'config.kubernetes.io/v1', kind: 'ResourceList', items: [item('A'), item('B')] },
    null,
    2,
  ),
  'flow items': `${HEAD}items: [{apiVersion: v1, kind: A, metadata: {name: a}}, {apiVersion: v1, kind: B, metadata: {name: b}}]\n`,
  'quoted keys': `"kind": "ResourceList"\n"items":\n- apiVersion: v1\n  kind: A\n  metadata:\n    name: a\n- apiVersion: v1\n  kind: B\n  metadata:\n    name: b\n`,
  'a byte order mark': `\ufeffkind: ResourceList\nitems:\n- apiVersion: v1\n  kind: A\n  metadata:\n    name: a\n- apiVersion: v1\n  kind: B\n  metadata:\n    name: b\n`,
  'comments with dashes below the dashes': `"kind": ResourceList\nitems:\n-\n  # x-y\n  apiVersion: v1\n  kind: A\n  metadata:\n    name: a\n-\n  # x - y\n  apiVersion: v1\n  kind: B\n  metadata:\n    name: b\n`,
  'a quoted text over lines': `${HEAD}items:\n- apiVersion: v1\n  kind: A\n  metadata:\n    name: a\n  data: "x\n    - y"\n- apiVersion: v1\n  kind: B\n  metadata:\n    name: b\n`,
};

for (const [style, text] of Object.entries(STYLES)) {
  list(`${style}: both items, at their places in the input`, () => {
    const { items } = read(text);
    assert.equal(
      items.map(({ document }) => objectsOf(document.parse())[0]?.name),
      ['a', 'b'],
    );
    for (const { document } of items) {
      const parsed = document.parse();
      const [object] = objectsOf(parsed);
      const at = (object?.node.range?.[0] ?? 0) + parsed.offset;
      assert.match(text.slice(at, at + 40), /^\{?\s*"?apiVersion/);
    }
  });

  list(`${style}: an item can be taken out`, () => {
    const { items } = read(text);
    for (const [i, left] of ['B', 'A'].entries()) {
      const output = parse(applyEdits(text, items[i]?.drop(1 - i) ?? [])) as {
        items: readonly { kind: string }[];
      };
      assert.equal(
        output.items.map(({ kind }) => kind),
        [left],
      );
    }
  });

  list(`${style}: results are added and nothing else changes`, () => {
    const resources = read(text);
    const diagnostic = error('HOLDER_NOT_FOUND', 'm', 'h', {
      kind: 'A',
      name: 'a',
      pointer: '/spec/list/0/value',
      file: 'a.yaml',
      index: 3,
    });
    const output = applyEdits(text, resultEdits(resources, [diagnostic]));
    const { results, ...rest } = parse(output) as Record<string, unknown>;
    assert.equal(rest, parse(text));
    assert.equal(results, [
      {
        message: 'HOLDER_NOT_FOUND: m h',
        severity: 'error',
        resourceRef: { kind: 'A', name: 'a' },
        field: { path: 'spec.list[0].value' },
        file: { path: 'a.yaml', index: 3 },
        tags: { code: 'HOLDER_NOT_FOUND' },
      },
    ]);
    const twice = parse(applyEdits(output, resultEdits(read(output), [diagnostic]))) as {
      results: readonly unknown[];
    };
    assert.is(twice.results.length, 2);
  });
}

list('functionConfig is found in both styles', () => {
  for (const text of [
    `${HEAD}functionConfig:\n  kind: X\nitems: []\n`,
    JSON.stringify({ kind: 'ResourceList', functionConfig: { kind: 'X' }, items: [] }),
  ]) {
    const document = read(text).functionConfig?.parse();
    assert.is(document && objectsOf(document)[0]?.kind, 'X');
  }
});

list('functionConfig has the text of a document of its own in every style', () => {
  const config = 'kind: X\nspec:\n  a: 1\n';
  const indented = config.replaceAll(/^/gm, '  ').trimEnd();
  for (const text of [
    `${HEAD}functionConfig:\n${indented}\nitems: []\n`,
    `"kind": ResourceList\nfunctionConfig:\n${indented}\nitems: []\n`,
    JSON.stringify({ kind: 'ResourceList', functionConfig: parse(config), items: [] }),
  ])
    assert.equal(parse(read(text).functionConfig?.text ?? ''), parse(config));
});

list('items that go together from a flow list don’t get in each other’s way', () => {
  const text = JSON.stringify({ kind: 'ResourceList', items: ['A', 'B', 'C', 'D', 'E'].map(item) });
  const { items } = read(text);
  const edits = [0, 1, 3, 4].flatMap((i) => items[i]?.drop(2) ?? []);
  const output = parse(applyEdits(text, edits)) as { items: readonly unknown[] };
  assert.equal(output.items, [item('C')]);
});

list('other texts are no ResourceList', () => {
  const json = JSON.stringify({
    kind: 'List',
    items: [{ kind: 'ConfigMap', data: { a: '"kind": "ResourceList"' } }],
  });
  for (const text of [
    '',
    json,
    'a: {"kind": "ResourceList"}\n',
    'kind: Pod\n',
    'a: |\n  kind: ResourceList\n',
    'kind: ResourceListX\n',
  ])
    assert.is(readResourceList(text), undefined);
});

list('a block scalar that looks like items stays inside its item', () => {
  const text = `${HEAD}items:\n- apiVersion: v1\n  kind: A\n  data:\n    x: |\n      - apiVersion: v1\n      items:\n- apiVersion: v1\n  kind: B\n`;
  assert.equal(
    read(text).items.map(({ document }) => objectsOf(document.parse())[0]?.kind),
    ['A', 'B'],
  );
});

for (const separator of ['\u2028', '\u2029', '\u0085', '\r']) {
  list(`${JSON.stringify(separator)} inside a text is no line end`, () => {
    const text = `${HEAD}items:\n- apiVersion: v1\n  kind: A\n  data: 'x${separator}- y'\n- apiVersion: v1\n  kind: B\n`;
    assert.is(read(text).items.length, 2);
  });
}

list('a large list reads the same as a parser reads it', () => {
  const items = Array.from({ length: 300 }, (_, i) => ({
    ...item(`K${i}`),
    data: { text: `line\n- ${i}\n`, list: [i, `it's ${i}`] },
  }));
  const text = stringify({ kind: 'ResourceList', items });
  assert.equal(
    read(text).items.map(({ document }) => objectsOf(document.parse())[0]?.kind),
    items.map(({ kind }) => kind),
  );
});

list.run();

function read(text: string): ResourceList {
  const resources = readResourceList(text);
  if (resources === undefined) throw new Error('not read as a ResourceList');
  return resources;
}

function item(kind: string) {
  return { apiVersion: 'v1', kind, metadata: { name: kind.toLowerCase() } };
}
