import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { layoutOf } from '../../src/yaml/layout.ts';

const layout = suite('layout');

const CASES: Readonly<Record<string, readonly [string, ReturnType<typeof layoutOf>]>> = {
  nothing: ['', { lineEnd: '\n', step: 2, listIndent: 2 }],
  'lists at the key': ['a:\n  b:\n  - c\n', { lineEnd: '\n', step: 2, listIndent: 0 }],
  'lists below the key': ['a:\n  b:\n    - c\n', { lineEnd: '\n', step: 2, listIndent: 2 }],
  'four columns': ['a:\n    b:\n        c: 1\n', { lineEnd: '\n', step: 4, listIndent: 4 }],
  'comments and blank lines between': [
    'a: # x\n\n  # y\n   b: 1\n',
    { lineEnd: '\n', step: 3, listIndent: 3 },
  ],
  'a key inside a list item': ['- a:\n    - b\n', { lineEnd: '\n', step: 2, listIndent: 2 }],
  CRLF: ['a:\r\n  b:\r\n  - c\r\n', { lineEnd: '\r\n', step: 2, listIndent: 0 }],
};

for (const [about, [text, expected]] of Object.entries(CASES))
  layout(about, () => assert.equal(layoutOf(text), expected));

layout.run();
