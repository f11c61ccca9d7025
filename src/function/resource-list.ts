/**
 * A ResourceList as text with known places: its items, functionConfig and results. Orchestrators send hundreds of
 * items of which a few matter, so items are cut out by line and parsed only on demand; a list in any other style
 * (JSON, flow, documents) is parsed whole. Invariant: an item's offsets are those of the whole input.
 */
import { error, type Location, Refusal } from '../diagnostic.ts';
import {
  endOfContent,
  isMap,
  isSeq,
  type LazyDocument,
  lazyDocument,
  memberOf,
  type Node,
  once,
  parseYaml,
  rangeOf,
  textOf,
  type YAMLMap,
  type YAMLSeq,
  type YamlDocument,
} from '../yaml/document.ts';
import { layoutOf } from '../yaml/layout.ts';
import { dashOf, removeItem, type Target } from '../yaml/splice.ts';
import { columnOf, lineStart, nextLine, type TextEdit } from '../yaml/text-edit.ts';

export interface Item {
  readonly document: LazyDocument;
  /** Takes the item out of the list, of which the item at `firstKept` stays. */
  drop(firstKept: number): readonly TextEdit[];
}

export interface ResourceList {
  readonly text: string;
  readonly items: readonly Item[];
  readonly functionConfig: LazyDocument | undefined;
  /** A parsed mapping that has, or can be given, the key `results`; `undefined`: add it behind the text. */
  readonly results: { readonly document: YamlDocument; readonly map: YAMLMap } | undefined;
}

/** In block style the kind stands at a line start; in JSON and flow style the text starts with a brace. */
const IN_BLOCK = /^\ufeff?["']?kind["']?:[ \t]*["']?ResourceList\b/m;
const IN_FLOW = /^\s*\{[\s\S]*\bResourceList\b/;

export function looksLikeResourceList(text: string): boolean {
  return IN_BLOCK.test(text) || IN_FLOW.test(text);
}

/**
 * The ResourceList in a text, or `undefined` when the text is something else (a plain stream).
 * @throws Refusal YAML_INVALID, YAML_AMBIGUOUS, RESOURCE_LIST_INVALID (no list of items)
 */
export function readResourceList(text: string): ResourceList | undefined {
  if (!looksLikeResourceList(text)) return undefined;
  return cutByLine(text) ?? parseWhole(text);
}

/** Sections by top-level key, in the style that kpt and kustomize write; `undefined` for any other style. */
function cutByLine(text: string): ResourceList | undefined {
  if (HIDES_BORDERS.test(text)) return undefined;
  const sections = topLevelSections(text);
  const items = sections?.get('items');
  if (sections === undefined || items === undefined) return undefined;
  const starts = itemStarts(text, items);
  if (starts === undefined) return undefined;
  const functionConfig = sections.get('functionConfig');
  const results = sections.get('results');
  return {
    text,
    items: starts.map((start, i) => itemByLine(text, start, itemEnd(text, starts[i + 1], items.end))),
    functionConfig: functionConfig && lazyDocument(sectionSource(text, functionConfig)),
    results:
      results &&
      rootMap(
        lazyDocument({
          text: text.slice(results.start, results.end),
          offset: results.start,
          whole: text,
        }).parse(),
      ),
  };
}

/** Quoted scalars over several lines, marks and directives: lines at a border's column may not be borders. */
const HIDES_BORDERS =
  /(?:(?<![^\n]) *|[:?-] +|[,[{] *)(?:"(?:[^"\\\n]|\\.)*|'(?:[^'\n]|'')*)(?=\n|$)|(?<![^\n])(?:\.\.\.|%|---[^\r\n]|\t)/;

interface Section {
  /** Offset of the key. */
  readonly start: number;
  /** Offset behind the colon. */
  readonly body: number;
  readonly end: number;
}

function topLevelSections(text: string): ReadonlyMap<string, Section> | undefined {
  const sections = new Map<string, Section>();
  let open: { key: string; start: number; body: number } | undefined;
  const close = (end: number): void => {
    if (open !== undefined) sections.set(open.key, { start: open.start, body: open.body, end });
  };
  for (let start = 0; start < text.length; start = nextLine(text, start)) {
    if (!hasContent(text[start]) || text[start] === ' ' || isDash(text, start)) continue;
    if (text.startsWith('---', start)) {
      if (open !== undefined || text.slice(0, start).trim() !== '') return undefined;
      continue;
    }
    const key = /([A-Za-z]+):(?=[ \r\n])/y;
    key.lastIndex = start;
    const name = key.exec(text)?.[1];
    if (name === undefined || sections.has(name) || open?.key === name) return undefined;
    close(start);
    open = { key: name, start, body: key.lastIndex };
  }
  close(text.length);
  return sections;
}

/** Offsets of the dashes of a block list, or `undefined` when the section isn't one. */
function itemStarts(text: string, { body, end }: Section): readonly number[] | undefined {
  const keyLine = text.slice(body, nextLine(text, body));
  if (!/^[ ]*(?:#[^\n]*)?\r?\n$/.test(keyLine)) return undefined;
  const starts: number[] = [];
  let column: number | undefined;
  for (let start = nextLine(text, body); start < end; start = nextLine(text, start)) {
    let at = start;
    while (text[at] === ' ') at++;
    if (!hasContent(text[at])) continue;
    column ??= at - start;
    if (at - start > column) continue;
    if (at - start < column || !isDash(text, at)) return undefined;
    starts.push(at);
  }
  return starts.length === 0 ? undefined : starts;
}

/** False for the end of a line and for a comment. */
function hasContent(char: string | undefined): boolean {
  return char !== undefined && char !== '\n' && char !== '\r' && char !== '#';
}

function isDash(text: string, at: number): boolean {
  const next = text[at + 1];
  return text[at] === '-' && (next === ' ' || next === '\r' || next === '\n');
}

function itemEnd(text: string, next: number | undefined, sectionEnd: number): number {
  return next === undefined ? sectionEnd : lineStart(text, next);
}

/** The dash reads as a blank, so the item is a document of its own at unchanged offsets. */
function itemByLine(text: string, dash: number, end: number): Item {
  const start = lineStart(text, dash);
  const behindDash = text.slice(dash + 1, end);
  const parse = once(() =>
    parseYaml({ text: ' '.repeat(dash - start + 1) + behindDash, offset: start, whole: text }),
  );
  return {
    document: { text: behindDash, parse },
    drop: () => [{ start, end, text: '' }],
  };
}

function sectionSource(text: string, section: Section) {
  return { text: text.slice(section.body, section.end), offset: section.body, whole: text };
}

function parseWhole(text: string): ResourceList | undefined {
  const document = lazyDocument({ text, offset: 0, whole: text }).parse();
  const root = rootMap(document);
  const items = root && memberOf(root.map, 'items');
  if (textOf(root && memberOf(root.map, 'kind')) !== 'ResourceList') return undefined;
  if (root === undefined || !isSeq(items)) return refuseList({});
  const target: Target = { text, layout: layoutOf(text) };
  const config = memberOf(root.map, 'functionConfig');
  return {
    text,
    items: items.items.map((node, i) => ({
      document: partOf(document, node),
      drop: (firstKept) =>
        items.flow === true ? removeItem(target, items, i, firstKept) : [blockItem(text, items, i)],
    })),
    functionConfig: config && partOf(document, config),
    results: root,
  };
}

/** An item of a block list with the comments behind it: left alone they could become part of what stands before. */
function blockItem(text: string, items: YAMLSeq, index: number): TextEdit {
  const [item, next] = items.items.slice(index, index + 2) as Node[];
  const dash = dashOf(text, items, item);
  const start = lineStart(text, dash);
  if (next !== undefined) return { start, end: lineStart(text, dashOf(text, items, next)), text: '' };
  let end = nextLine(text, endOfContent(item) - 1);
  while (end < text.length && isBlankOrComment(text, end, dash - start)) end = nextLine(text, end);
  return { start, end, text: '' };
}

/** Whether a line is blank, or a comment that is deeper than `column`. */
function isBlankOrComment(text: string, lineStart: number, column: number): boolean {
  let at = lineStart;
  while (text[at] === ' ') at++;
  return !hasContent(text[at]) && (text[at] !== '#' || at - lineStart > column);
}

function partOf(document: YamlDocument, node: Node): LazyDocument {
  const [start, end] = rangeOf(node);
  // The first line's indentation belongs to a block mapping as much as that of the others.
  const indent = ' '.repeat(isMap(node) && node.flow !== true ? columnOf(document.text, start) : 0);
  return { text: indent + document.text.slice(start, end), parse: () => ({ ...document, root: node }) };
}

function rootMap(
  document: YamlDocument,
): { readonly document: YamlDocument; readonly map: YAMLMap } | undefined {
  return isMap(document.root) ? { document, map: document.root } : undefined;
}

function refuseList(at: Location): never {
  throw new Refusal(
    error(
      'RESOURCE_LIST_INVALID',
      'The ResourceList has no list of items.',
      'Pass what kpt or kustomize sends, or a plain YAML stream.',
      at,
    ),
  );
}
