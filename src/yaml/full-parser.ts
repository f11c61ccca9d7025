/**
 * The library `yaml`, for texts that aren't ordinary. It is loaded when the first of them is met: most runs have none, and
 * loading it costs a third of what they take to start.
 */
import type { ParseOptions } from 'yaml';
import type { Node } from './node.ts';

type Library = typeof import('./library.ts');

/** The file that the bundler makes of `library.ts`; unset where nothing is bundled. */
declare const YAML_FILE: string | undefined;

export type Parsed =
  | { readonly root: Node | null; readonly problem?: undefined }
  /** The library's code of what is wrong, and the offset where. */
  | { readonly problem: { readonly code: string; readonly offset: number } };

/** Reads one document. Scalars stay texts as they are written. */
export function parseFully(text: string): Parsed {
  const { parseDocument } = library();
  const { contents, errors } = parseDocument(text, parseOptions());
  const problem = errors[0];
  return problem === undefined
    ? { root: contents as Node | null }
    : { problem: { code: problem.code, offset: problem.pos[0] } };
}

/** Offsets at which the documents of a stream start, directives included. */
export function documentStarts(text: string): readonly number[] {
  const { Parser } = library();
  const starts: number[] = [];
  let pending: number | undefined;
  for (const token of new Parser().parse(text)) {
    if (token.type === 'document') {
      starts.push(pending ?? token.offset);
      pending = undefined;
    } else if (token.type === 'directive') {
      pending ??= token.offset;
    }
  }
  return starts;
}

let loaded: Library | undefined;

function library(): Library {
  loaded ??= process.getBuiltinModule('node:module').createRequire(import.meta.url)(
    typeof YAML_FILE === 'undefined' ? './library.ts' : YAML_FILE,
  ) as Library;
  return loaded;
}

let options: ParseOptions | undefined;

/** One schema for all documents: making it anew for each costs a fifth of reading a manifest. */
function parseOptions(): ParseOptions {
  options ??= {
    schema: new (library().Schema)({ schema: 'failsafe' }),
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  } as unknown as ParseOptions;
  return options;
}
