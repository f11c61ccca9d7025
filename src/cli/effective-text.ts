/** Effective views as text for people. */
import type { HolderView, OutcomeView, Source, TlsView } from '../manifest/effective-view.ts';

/** One paragraph for each holder. */
export function effectiveText(views: readonly HolderView[]): string {
  if (views.length === 0) return 'no holder of Talos patches\n';
  return views.map(holderText).join('\n');
}

function holderText({ at, placeholders, outcomes }: HolderView): string {
  const place = at.file === undefined ? `line ${at.line}` : `${at.file}:${at.line}`;
  return [
    `${at.kind} ${at.name ?? '(no name)'}  ${at.pointer}  (${place})`,
    ...placeholders.map((name) => `  placeholder for ${name}: its values are not here`),
    ...(outcomes.length === 0 ? ['  not known: data has variables'] : outcomes.flatMap(outcomeLines)),
    '',
  ].join('\n');
}

function outcomeLines({ on, outcome }: OutcomeView): readonly string[] {
  const head = `  on Talos ${on.join('; ')}:`;
  if (outcome.kind === 'failed') {
    const where = outcome.patch === undefined ? outcome.stage : outcome.patch;
    return [head, `    fails: ${outcome.failure} (${where})`];
  }
  const rows = [
    ...outcome.tls.map((one) => ['trust', one.registry, tlsText(one), sourceText(one)]),
    ...outcome.auth.map((one) => ['login', one.registry, one.fields.join(', '), sourceText(one)]),
    ...outcome.mirrors.map((one) => [
      'mirror',
      one.registry,
      [
        ...one.endpoints.map(({ url, overridePath }) => (overridePath ? `${url} (whole path)` : url)),
        ...(one.fallback === 'skip' ? ['no fallback'] : []),
      ].join(', '),
      sourceText(one),
    ]),
    ...outcome.hosts.map((one) => ['host', one.alias, one.ip, sourceText(one)]),
    ...outcome.subnets.map((one) => ['subnets', one.list, one.cidrs.join(', '), sourceText(one)]),
  ];
  return [head, ...(rows.length === 0 ? ['    nothing'] : aligned(rows))];
}

function tlsText({ ca, verification, clientIdentity }: TlsView): string {
  const parts = [
    ca === 'none' ? 'no CA' : ca === 'unreadable' ? 'CA unreadable' : `CA ${ca.join(', ')}`,
    ...(verification === 'skip' ? ['NOT VERIFIED'] : []),
    ...(clientIdentity === 'set' ? ['client certificate'] : []),
  ];
  return parts.join(', ');
}

function sourceText({ owner, patch }: Source): string {
  return patch === undefined ? owner : `${owner}, ${patch}`;
}

/** Rows as columns; the last one as it is. */
function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map(
    (row) =>
      `    ${row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd()}`,
  );
}
