/** What the tests of this room do with texts: parse them at one time, and look at what comes back. */
import { type Code, type Diagnostic, Refusal } from '../../src/diagnostic.ts';
import { Secret } from '../../src/secret.ts';
import { type ParsedCaBundle, parseCaBundle } from '../../src/trust/ca-bundle.ts';
import { NOW } from './issue-certificate.ts';

export function parse(text: string): ParsedCaBundle {
  return parseCaBundle(new Secret(text), NOW);
}

export function refusalOf(text: string): Refusal {
  try {
    parse(text);
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown;
    throw thrown;
  }
  throw new Error('accepted');
}

export function diagnosticsOf(text: string): readonly Diagnostic[] {
  try {
    return parse(text).diagnostics;
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown.diagnostics;
    throw thrown;
  }
}

export function codesOf(diagnostics: readonly Diagnostic[]): readonly Code[] {
  return diagnostics.map((diagnostic) => diagnostic.code);
}

/** Each run of 12 characters of a line that isn't a fence: no part of a body may be told. */
export function piecesOf(text: string): readonly string[] {
  const lines = text.split(/[\r\n]+/).filter((line) => !/-----(?:BEGIN|END)/.test(line));
  return lines.flatMap((line) => line.match(/.{12}/g) ?? []);
}
