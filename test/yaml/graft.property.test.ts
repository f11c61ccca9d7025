/** Random documents and random wanted values: a graft holds what is wanted, keeps the rest, and done twice changes nothing. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { isMap, parseYaml } from '../../src/yaml/document.ts';
import { graft, type ListRule } from '../../src/yaml/graft.ts';
import { layoutOf } from '../../src/yaml/layout.ts';
import { applyEdits } from '../../src/yaml/text-edit.ts';
import { isListValue, isScalarValue, type Value } from '../../src/yaml/value.ts';
import { fc, fuzzRuns } from '../support/fuzz.ts';
import { yamlTexts } from '../support/yaml-texts.ts';

const grafts = suite('graft: laws');

const RUNS = fuzzRuns(1000);

type Data = string | readonly Data[] | { readonly [key: string]: Data };

/** Keys are those of the random documents, so that many are there already; lists are of texts, or of named mappings. */
const wants = fc.letrec<{ value: Value; map: { readonly [key: string]: Value } }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Value>('a', 'x', 'V', '1', 'h:5000', true, 1),
    fc.uniqueArray(fc.constantFrom('a', '1', 'h:5000', 'V'), { minLength: 1, maxLength: 3 }),
    fc
      .uniqueArray(fc.constantFrom('a', 'V'), { minLength: 1, maxLength: 2 })
      .map((urls) => urls.map((url) => ({ url }))),
    tie('map'),
  ),
  map: fc.dictionary(fc.constantFrom('k0', 'k1', 'k2', 'new'), tie('value'), {
    minKeys: 1,
    maxKeys: 3,
    noNullPrototype: true,
  }),
}));

for (const rule of ['keep', 'replace'] as const) {
  grafts(`${rule}: what is wanted is there, the rest stays, and a second graft is empty`, () => {
    let made = 0;
    fc.assert(
      fc.property(yamlTexts, wants.map, (text, wanted) => {
        const output = grafted(text, wanted, rule);
        if (output === undefined) return;
        if (output !== text) made++;
        const about = `${JSON.stringify(text)} wants ${JSON.stringify(wanted)}, became ${JSON.stringify(output)}`;
        const [before, after] = [dataOf(text), dataOf(output)];
        assert.ok(holds(after, wanted, rule), about);
        assert.ok(keeps(before, after, wanted, rule), about);
        assert.is(grafted(output, wanted, rule), output, about);
      }),
      { numRuns: RUNS },
    );
    assert.ok(made > RUNS / 5, `only ${made} of ${RUNS} grafts changed something`);
  });
}

function grafted(text: string, wanted: Value, rule: ListRule): string | undefined {
  const { root } = parseYaml({ text, offset: 0, whole: text });
  assert.ok(isMap(root));
  const edits = graft({ text, layout: layoutOf(text) }, root, wanted, rule);
  return edits === undefined ? undefined : applyEdits(text, edits);
}

function dataOf(text: string): Data {
  return parse(text, { schema: 'failsafe', prettyErrors: false }) as Data;
}

function holds(data: Data | undefined, wanted: Value, rule: ListRule): boolean {
  if (isScalarValue(wanted)) return typeof data === 'string' && isText(data, wanted);
  if (isListValue(wanted)) {
    if (!Array.isArray(data)) return false;
    if (rule === 'keep') return wanted.every((value) => data.some((item: Data) => holds(item, value, rule)));
    return data.length === wanted.length && wanted.every((value, i) => holds(data[i] as Data, value, 'keep'));
  }
  return isMapData(data) && Object.entries(wanted).every(([key, value]) => holds(data[key], value, rule));
}

/** Base64 may be wrapped, and Go reads some words as true, quoted or not. */
function isText(data: string, wanted: string | number | boolean): boolean {
  if (wanted === true && /^(?:true|y)$/.test(data)) return true;
  return data.replaceAll(/[\r\n]/g, '') === String(wanted);
}

/** Whether all that was there and is not wanted otherwise is there, in its order. */
function keeps(before: Data | undefined, after: Data | undefined, wanted: Value, rule: ListRule): boolean {
  if (isScalarValue(wanted) || before === undefined || typeof before === 'string') return true;
  if (isListValue(wanted)) {
    if (!Array.isArray(before) || !Array.isArray(after)) return false;
    return rule === 'replace' || before.every((item: Data, i) => isSame(item, after[i] as Data));
  }
  if (!isMapData(before) || !isMapData(after)) return false;
  return Object.entries(before).every(([key, value]) => {
    const inner = wanted[key];
    return inner === undefined ? isSame(value, after[key]) : keeps(value, after[key], inner, rule);
  });
}

function isMapData(data: Data | undefined): data is { readonly [key: string]: Data } {
  return typeof data === 'object' && !Array.isArray(data);
}

function isSame(one: Data, other: Data | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

grafts.run();
