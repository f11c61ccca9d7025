/**
 * Texts of diagnostics aren't mutated: tests assert codes, not message text (design, "Style"). What the texts must not
 * have in them is tested where secrets are.
 */
import type { Ignorer } from '@stryker-mutator/api/ignore';

interface Path {
  readonly node: {
    readonly type: string;
    readonly callee?: { readonly name?: string };
    readonly id?: { readonly name?: string };
  };
  readonly key: string | number | null;
  readonly listKey?: string | null;
  readonly parentPath: Path | null;
}

/** Tables of parts of messages. */
const TABLES = /^(?:WORDS|STAGES)$/;

/** Functions that make diagnostics, with the places of code, message and hint among their arguments. */
const MAKERS = /^(?:error|warning|info|refuse[A-Z]?\w*|invalid)$/;

export const messageText: Ignorer = {
  shouldIgnore(path) {
    const { node, listKey, parentPath } = path as unknown as Path;
    const isText =
      /^(?:StringLiteral|TemplateLiteral|ConditionalExpression|BinaryExpression|LogicalExpression)$/.test(
        node.type,
      );
    if (!isText) return undefined;
    const call = parentPath?.node;
    const isArgument =
      listKey === 'arguments' && call?.type === 'CallExpression' && MAKERS.test(call.callee?.name ?? '');
    const table = call?.type === 'ObjectProperty' ? parentPath?.parentPath?.parentPath?.node : undefined;
    return isArgument || TABLES.test(table?.id?.name ?? '') ? 'text of a diagnostic' : undefined;
  },
};
