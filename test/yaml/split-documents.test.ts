import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseAllDocuments } from 'yaml';
import { splitDocuments } from '../../src/yaml/split-documents.ts';

const split = suite('split documents');

const STREAMS: Readonly<Record<string, string>> = {
  one: 'a: 1\n',
  'a leading marker': '---\na: 1\n',
  'comments before the first marker': '# head\n---\na: 1\n',
  'a trailing marker': 'a: 1\n---\n',
  'a marker with a blank and a comment': 'a: 1\n---   # next\nb: 2\n',
  'content on the marker line': '--- {a: 1}\n--- "text"\n',
  'dashes inside a block scalar': 'a: |\n  ---\n  b\n---\nc: 3\n',
  'a key that starts with dashes': '---a: 1\n',
  CRLF: 'a: 1\r\n---\r\nb: 2\r\n',
  'a document end mark': 'a: 1\n...\n---\nb: 2\n',
  directives: '%YAML 1.2\n---\na: 1\n...\n%YAML 1.1\n---\nb: 2\n',
  'no final newline': 'a: 1\n---\nb: 2',
  empty: '',
};

for (const [about, text] of Object.entries(STREAMS)) {
  split(`${about}: the same documents as a YAML parser sees`, () => {
    const contents = (source: string): readonly unknown[] =>
      parseAllDocuments(source)
        .filter((document) => 'contents' in document)
        .map((document) => document.toJS() as unknown)
        .filter((content) => content !== null && content !== undefined);
    const ours = splitDocuments(text).flatMap(({ start, end }) => contents(text.slice(start, end)));
    assert.equal(ours, contents(text));
  });

  split(`${about}: segments are in order and inside the text`, () => {
    let position = 0;
    for (const { start, end } of splitDocuments(text)) {
      assert.ok(start >= position && end >= start && end <= text.length);
      position = end;
    }
  });
}

split.run();
