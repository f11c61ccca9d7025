/**
 * A holder's patches as the steps that Talos takes, in its order: operations of `configPatches`, then the documents of
 * each string of `strategicPatches`, which may also be operations. The author's own configuration (`data`) comes before
 * all. Steps that can't reach what is owned are left out.
 */
import { error, type Location, Refusal } from '../diagnostic.ts';
import { concernsOwned, pointerSegments } from '../machine-config/owned-path.ts';
import {
  isMap,
  isNull,
  isScalar,
  isSeq,
  memberOf,
  type Node,
  parseYaml,
  refuseIndirection,
  type Scalar,
  textOf,
  type YAMLMap,
  type YamlDocument,
} from '../yaml/document.ts';
import { splitDocuments } from '../yaml/split-documents.ts';
import { type Holder, locateIn, type PatchList } from './holders.ts';
import { type FoundPlaceholder, listItems } from './patch-list.ts';
import { readPlaceholder } from './placeholder.ts';

/** The text that a step stands in: the holder's document, or a document inside the value of a scalar. */
export interface Owner {
  readonly document: YamlDocument;
  /** The scalar whose value holds the document; its offsets count from the value's first character. */
  readonly scalar?: Scalar<string>;
  at(offset: number): Location;
}

interface Common {
  readonly list: PatchList | 'data';
  readonly index: number;
  readonly owner: Owner;
  at(): Location;
}

export interface OperationStep extends Common {
  readonly kind: 'operation';
  readonly op: string;
  /** As the author writes it, and its segments. */
  readonly pointer: string;
  readonly path: readonly string[];
  readonly operation: YAMLMap;
  readonly value: Node | undefined;
}

export interface LegacyStep extends Common {
  readonly kind: 'legacy';
  readonly root: YAMLMap;
}

export interface DocumentStep extends Common {
  readonly kind: 'document';
  readonly documentKind: string;
  readonly name: string;
  readonly root: YAMLMap;
}

export type Step = OperationStep | LegacyStep | DocumentStep;

export interface HolderPatches {
  readonly steps: readonly Step[];
  readonly placeholders: readonly (FoundPlaceholder & { readonly list: PatchList })[];
  /** Operations in `configPatches` that aren't placeholders. */
  readonly operations: number;
  /** Texts of `strategicPatches` that aren't placeholders, in order. */
  readonly texts: readonly { readonly index: number; readonly text: string; at(): Location }[];
}

/** What a text must contain to reach what is owned; escapes can spell any key, and a list may be JSON 6902. */
export const MAY_REACH =
  /registries|extraHostEntries|Subnets|\$patch|Registry|StaticHost|\\[ux]|(?:^\s*|\n|--- *)(?:\[|-[ \t\r\n])|^(?:\s|#[^\n]*(?:\n|$)|---)*$/;

/** @throws Refusal PATCH_INVALID, PATCH_VARIABLE, PLACEHOLDER_INVALID, YAML_ALIAS, HOLDER_INVALID */
export function readPatches(holder: Holder): HolderPatches {
  const placeholders: HolderPatches['placeholders'][number][] = [];
  const items = (list: PatchList) =>
    listItems(holder, list).flatMap((item, index) => {
      const at = (): Location => locateIn(holder.object, item, `${holder.pointer}/${list}/${index}`);
      refuseIndirection(holder.object.document, item);
      const found = readPlaceholder(item, at);
      if (found === undefined) return [{ item, index, at }];
      placeholders.push({ ...found, index, item, at, list });
      return [];
    });
  const operations = items('configPatches');
  const texts = items('strategicPatches').map(({ item, index, at }) => {
    if (!isText(item))
      refusePatch(
        'An entry of strategicPatches is not a string',
        'Write the patch as a block literal.',
        at(),
      );
    return { scalar: item, text: item.value, index, at };
  });
  return {
    steps: [
      ...dataSteps(holder),
      ...operations.map(({ item, index, at }) => configStep(holder, item, index, at)),
      ...texts.flatMap(({ scalar, index, at }) => textSteps('strategicPatches', scalar, index, at)),
    ],
    placeholders,
    operations: operations.length,
    texts: texts.map(({ text, index, at }) => ({ text, index, at })),
  };
}

function configStep(holder: Holder, item: Node, index: number, at: () => Location): OperationStep {
  const { document } = holder.object;
  const pointer = `${holder.pointer}/configPatches/${index}/value`;
  const owner: Owner = { document, at: (offset) => ({ ...at(), ...document.locate(offset), pointer }) };
  return operationStep('configPatches', item, index, owner, at);
}

function operationStep(
  list: PatchList,
  item: Node,
  index: number,
  owner: Owner,
  at: () => Location,
): OperationStep {
  if (!isMap(item)) refuseOperation('is not a mapping', 'Write op, path and value.', at());
  const op = textOf(memberOf(item, 'op'));
  const path = textOf(memberOf(item, 'path'));
  if (op === undefined || path === undefined)
    refuseOperation('lacks op or path', 'Write op, path and value.', at());
  if (op.includes('${') || path.includes('${'))
    refusePatchVariable('The op or path of a patch is a variable.', at());
  if (list === 'configPatches' && (op === 'move' || op === 'copy'))
    refuseOperation('is a move or copy, which never works here (from is pruned)', 'Use add.', at());
  const value = memberOf(item, 'value');
  if (concernsOwned(pointerSegments(path))) refuseIndirection(owner.document, value);
  return {
    kind: 'operation',
    list,
    index,
    owner,
    at,
    op,
    pointer: path,
    path: pointerSegments(path),
    operation: item,
    value,
  };
}

/** Read for `generateType: none` only. Variables in the author's own configuration leave it undecided: it is then no step. */
function dataSteps(holder: Holder): readonly Step[] {
  const data = holder.generateType === 'none' ? memberOf(holder.node, 'data') : undefined;
  if (data === undefined || !isText(data) || data.value.includes('${') || !MAY_REACH.test(data.value))
    return [];
  return textSteps('data', data, 0, () => locateIn(holder.object, data, `${holder.pointer}/data`));
}

function textSteps(
  list: PatchList | 'data',
  scalar: Scalar<string>,
  index: number,
  at: () => Location,
): readonly Step[] {
  if (/^\s*\$\{[^}]*\}\s*$/.test(scalar.value)) refusePatchVariable('A whole patch is a variable.', at());
  if (!MAY_REACH.test(scalar.value)) return [];
  return splitDocuments(scalar.value).flatMap((segment): readonly Step[] => {
    const document = parseEmbedded(scalar.value, segment.start, segment.end, at);
    const common = { list, index, at, owner: { document, scalar, at } };
    const { root } = document;
    if (isSeq(root) && list !== 'data')
      return root.items.map((item) => operationStep(list, item, index, common.owner, at));
    if (!isMap(root)) return [];
    refuseIndirection(document, root);
    const documentKind = textOf(memberOf(root, 'kind'));
    if (documentKind === undefined) return [{ kind: 'legacy', ...common, root }];
    return [{ kind: 'document', ...common, documentKind, name: textOf(memberOf(root, 'name')) ?? '', root }];
  });
}

function parseEmbedded(text: string, start: number, end: number, at: () => Location): YamlDocument {
  try {
    return { ...parseYaml({ text: text.slice(start, end), offset: start, whole: text }), locate: at };
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    const inner = cause.diagnostics[0]?.at;
    const where = inner?.line === undefined ? '' : ` (line ${inner.line} of the patch)`;
    return refusePatch(
      `A strategic patch is not valid YAML${where}`,
      'Correct the patch; Talos refuses it too.',
      at(),
    );
  }
}

function isText(node: Node): node is Scalar<string> {
  return isScalar(node) && typeof node.value === 'string' && !isNull(node);
}

function refusePatchVariable(message: string, at: Location): never {
  throw new Refusal(error('PATCH_VARIABLE', message, 'Expand variables before this step.', at));
}

function refuseOperation(what: string, hint: string, at: Location): never {
  return refusePatch(`An entry of configPatches ${what}`, hint, at);
}

function refusePatch(message: string, hint: string, at: Location): never {
  throw new Refusal(error('PATCH_INVALID', `${message}.`, hint, at));
}
