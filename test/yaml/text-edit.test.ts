import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { applyEdits, columnOf, nextLine, positionOf } from '../../src/yaml/text-edit.ts';

const edit = suite('text edits');

edit('insertions at one offset keep their order, whatever comes between', () => {
  const edits = [
    { start: 3, end: 3, text: 'B' },
    { start: 0, end: 1, text: 'A' },
    { start: 3, end: 3, text: 'C' },
  ];
  assert.is(applyEdits('abcdef', edits), 'AbcBCdef');
});

edit('overlapping edits are a bug', () => {
  assert.throws(
    () =>
      applyEdits('abc', [
        { start: 0, end: 2, text: '' },
        { start: 1, end: 3, text: '' },
      ]),
    /overlapping/,
  );
});

edit('positions count from 1', () => {
  assert.equal(positionOf('a\nbc\n', 0), { line: 1, column: 1 });
  assert.equal(positionOf('a\nbc\n', 3), { line: 2, column: 2 });
});

edit('a last line without a line end has its end at the end', () => {
  assert.is(nextLine('a\nb', 2), 3);
  assert.is(columnOf('a\n  b', 4), 2);
});

edit.run();
