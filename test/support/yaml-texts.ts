/**
 * Documents as people write them, with all that makes splicing hard: comments behind and between everything, empty values,
 * scalars over lines, flow collections over lines, anchors and tags, odd indentation, both line ends, no last line end.
 * Every text is valid for the YAML library and has a mapping as its root.
 */
import { parseDocument } from 'yaml';
import { fc } from './fuzz.ts';

type Tree =
  | { readonly is: 'scalar'; readonly text: string; readonly comment: string }
  | { readonly is: 'flow'; readonly text: string; readonly comment: string }
  | { readonly is: 'lines'; readonly head: string; readonly tail: string }
  | {
      readonly is: 'map' | 'list';
      readonly members: readonly Tree[];
      readonly head: string;
      readonly lead: string;
      readonly after: string;
      readonly step: number;
      readonly quotes: boolean;
      /** In a list: the first key of a mapping behind its dash. */
      readonly compact: boolean;
    };

const SCALARS = [
  'a',
  '1',
  '~',
  '',
  '',
  '"x"',
  "'y'",
  '"a\\n b"',
  'a b-c',
  'null',
  '"q\n\n  z"',
  'p\n   q',
  '&anc v',
  '!!str t',
];
const COMMENTS = ['', '', '', ' # c', '  # d, e', ' # a-b'];
const INNER = ['a', '1', '"x"', "'y'", 'null', '~', '"a,b"', ''];

const flows = fc.letrec<{ flow: string }>((tie) => ({
  flow: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(...INNER),
    flowOf(tie('flow'), '{', '}'),
    flowOf(tie('flow'), '[', ']'),
  ),
}));

function flowOf(inner: fc.Arbitrary<string>, open: '{' | '[', close: string): fc.Arbitrary<string> {
  return fc
    .record({
      members: fc.array(inner, { maxLength: 4 }),
      first: fc.constantFrom('', ' ', '\n  ', ' # c\n  '),
      between: fc.constantFrom(', ', ',', ' , ', ',\n  ', ', # c\n  '),
      last: fc.constantFrom('', '', ' ', ', ', '\n  ', ' # e\n  '),
    })
    .map(({ members, first, between, last }) => {
      const texts = members.map((text, i) => (open === '{' ? `"k${i}": ${text}` : text || '~'));
      return open + first + texts.join(between) + (texts.length === 0 ? '' : last) + close;
    });
}

const trees = fc.letrec<{ tree: Tree; map: Tree }>((tie) => {
  const collection = (is: 'map' | 'list'): fc.Arbitrary<Tree> =>
    fc.record({
      is: fc.constant(is),
      members: fc.array(tie('tree'), { minLength: 1, maxLength: 4 }),
      head: fc.constantFrom('', '', ' # h', ' &n', is === 'map' ? ' !!map' : ' !!seq'),
      lead: fc.constantFrom('', '', '# lead-c', '\n'),
      after: fc.constantFrom('', '', '', '# after - x', '\n', '# zero'),
      step: fc.constantFrom(2, 2, 4, 1, 0),
      quotes: fc.boolean(),
      compact: fc.boolean(),
    });
  return {
    map: collection('map'),
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.record({
        is: fc.constant('scalar' as const),
        text: fc.constantFrom(...SCALARS),
        comment: fc.constantFrom(...COMMENTS),
      }),
      fc.record({
        is: fc.constant('flow' as const),
        text: flows.flow,
        comment: fc.constantFrom(...COMMENTS),
      }),
      fc.record({
        is: fc.constant('lines' as const),
        head: fc.constantFrom('|', '|-', '|+', '>', '>-', '| # c'),
        tail: fc.constantFrom('', '\n', '  l2\n', '  # no\n', '\n\n'),
      }),
      collection('map'),
      collection('list'),
    ),
  };
});

export const yamlTexts: fc.Arbitrary<string> = fc
  .record({
    tree: trees.map,
    lineEnd: fc.constantFrom('\n', '\n', '\n', '\r\n'),
    end: fc.constantFrom('kept', 'kept', 'kept', 'cut'),
    mark: fc.constantFrom('', '', '', '', '\ufeff'),
  })
  .map(({ tree, lineEnd, end, mark }) => {
    const text = mark + lines(tree, 0).replaceAll('\n', lineEnd);
    return end === 'cut' ? text.replace(/\r?\n$/, '') : text;
  })
  .filter((text) => parseDocument(text, { schema: 'failsafe', prettyErrors: false }).errors.length === 0);

/** What follows a colon or a dash at `column`. */
function behind(tree: Tree, column: number, parent: 'map' | 'list'): string {
  const pad = ' '.repeat(column);
  switch (tree.is) {
    case 'scalar':
    case 'flow': {
      const text = tree.text.replaceAll(/\n */g, `\n${pad}    `).replaceAll(/ +(?=\n)/g, '');
      return `${text === '' ? '' : ' '}${text}${tree.comment}\n`;
    }
    case 'lines':
      return ` ${tree.head}\n${pad}  l1\n${tree.tail.replace(/^ /, `${pad} `)}`;
    case 'map':
    case 'list': {
      const lead = tree.lead.startsWith('#') ? `${pad} ${tree.lead}\n` : tree.lead;
      const step = tree.is === 'list' && parent === 'map' ? tree.step : tree.step || 2;
      return `${tree.head}\n${lead}${lines(tree, column + step)}`;
    }
    default:
      return tree satisfies never;
  }
}

/** A block collection at `column`. */
function lines(tree: Tree, column: number): string {
  if (tree.is !== 'map' && tree.is !== 'list') return '';
  const pad = ' '.repeat(column);
  const after = tree.after === '# zero' || tree.after === '\n' ? tree.after : tree.after && pad + tree.after;
  const comment = after === '' || after === '\n' ? after : `${after}\n`;
  return tree.members
    .map((member, i) => {
      if (tree.is === 'list' && member.is === 'map' && tree.compact)
        return `${pad}- ${lines(member, column + 2).slice(column + 2)}${comment}`;
      const head = tree.is === 'list' ? '-' : tree.quotes ? `"k${i}":` : `k${i}:`;
      return `${pad}${head}${behind(member, column, tree.is as 'map' | 'list')}${comment}`;
    })
    .join('');
}
