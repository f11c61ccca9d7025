/** Where a command's diagnostics go: text on stderr, or one JSON object. */
import type { Diagnostic } from '../diagnostic.ts';
import { type Colour, reportJson, reportText } from '../stdio/report.ts';
import { type Fd, writeWhole } from '../stdio/write-output.ts';

export interface ReportStyle {
  readonly output: 'text' | 'json';
  readonly colour: Colour;
  /** 1 only for commands whose result is the report. */
  readonly to?: Fd;
}

export async function report(diagnostics: readonly Diagnostic[], style: ReportStyle): Promise<void> {
  const text = style.output === 'json' ? reportJson(diagnostics) : reportText(diagnostics, style.colour);
  await writeWhole(style.to ?? 2, text);
}
