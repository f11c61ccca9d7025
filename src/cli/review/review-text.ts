/** A review as text for people; on a terminal the patch has colours. */
import type { Diagnostic, Location } from '../../diagnostic.ts';
import type { HolderView } from '../../manifest/effective-view.ts';
import { type Colour, visible } from '../../stdio/report.ts';
import type { Verdict } from '../../talosctl/validate-holder.ts';
import { effectiveText } from '../effective-text.ts';
import type { LiveView } from './live-view.ts';
import type { PatchView } from './patch-view.ts';
import type { ProbeView } from './probe-view.ts';
import type { CertificateView, RegistryView } from './registry-view.ts';
import type { TalosctlView } from './talosctl-view.ts';

export interface Review {
  readonly registries: readonly RegistryView[];
  /** One for each manifest. */
  readonly patches: readonly PatchView[];
  readonly effective: readonly HolderView[];
  readonly talosctl: TalosctlView;
  /** With `--diff`: one for each object that is compared. */
  readonly diff?: readonly LiveView[];
  readonly diagnostics: readonly Diagnostic[];
}

export function reviewText(review: Review, colour: Colour): string {
  const { registries, patches, effective, talosctl, diff } = review;
  return [
    ...registries.map(registryText),
    ...patches.map((patch) => patchText(patch, colour)),
    `what Talos makes of it\n\n${effectiveText(effective)}`,
    talosctlText(talosctl),
    ...(diff === undefined ? [] : [diffText(diff)]),
  ].join('\n');
}

function registryText({ registry, address, provenance, service, ca, probe }: RegistryView): string {
  const source = service === undefined ? provenance : `${provenance} ${service}`;
  return [
    `registry ${registry}`,
    `  address  ${address} (${source})`,
    `  CA       ${ca.source}`,
    ...ca.certificates.flatMap(certificateLines),
    ...probeLines(probe),
    '',
  ].join('\n');
}

function certificateLines({
  subject,
  fingerprint,
  notBefore,
  notAfter,
  daysLeft,
}: CertificateView): readonly string[] {
  return [
    `    ${visible(subject) || '(no subject)'}`,
    `      ${fingerprint}`,
    `      valid from ${notBefore.slice(0, 10)} until ${notAfter.slice(0, 10)} (${daysLeft} days left)`,
  ];
}

function probeLines(probe: ProbeView): readonly string[] {
  if (probe.kind === 'skipped') return ['  probe    skipped (--skip-probe)'];
  const { endpoint, code, certificate } = probe;
  const head = `  probe    ${endpoint} ${code}`;
  if (certificate === undefined) return [head];
  const { subject, fingerprint, notAfter, signedBy } = certificate;
  return [
    head,
    `    ${visible(subject) || '(no subject)'}`,
    `      ${fingerprint}`,
    `      valid until ${notAfter.slice(0, 10)}, signed by ${signedBy.join(' and ')}`,
  ];
}

const SGR: Readonly<Record<string, string>> = { '-': '31', '+': '32', '@': '36' };

function patchText({ file = 'standard input', hunks }: PatchView, colour: Colour): string {
  if (hunks.length === 0) return `patch of ${file}: none, it has all values already\n`;
  const lines = [
    `--- ${file} (committed)`,
    `+++ ${file} (hydrated)`,
    ...hunks.flatMap(({ head, lines: changed }) => [head, ...changed]),
  ].map(visible);
  const coloured =
    colour === 'plain'
      ? lines
      : lines.map((line) => {
          const sgr = SGR[line.slice(0, 1)];
          return sgr === undefined ? line : `\u001b[${sgr}m${line}\u001b[0m`;
        });
  return `patch of ${file}\n${coloured.map((line) => `${line}\n`).join('')}`;
}

function talosctlText(view: TalosctlView): string {
  if (view.kind === 'skipped') return `talosctl validate: skipped, ${view.reason}\n`;
  return [
    `talosctl validate${view.version === undefined ? '' : ` (${view.version})`}`,
    ...view.holders.map(({ at, verdict }) => `  ${nameOf(at)}: ${verdictText(verdict)}`),
    '',
  ].join('\n');
}

function verdictText(verdict: Verdict): string {
  switch (verdict.kind) {
    case 'valid':
      return 'valid';
    case 'refused':
      return verdict.stage === 'generate' ? 'patches refused' : 'INVALID';
    case 'skipped':
      return `skipped, ${verdict.reason}`;
    case 'time-limit':
      return 'not judged within the time limit';
  }
}

const STATES: Readonly<Record<LiveView['state'], string>> = {
  same: 'same',
  differs: 'differs',
  absent: 'absent, applying creates it',
  unknown: 'not known, it could not be read',
};

/** Of a patch that is new each member differs: enough of them to see where. All are in the JSON. */
const SHOWN_POINTERS = 20;

function diffText(views: readonly LiveView[]): string {
  return [
    'live objects of the infra cluster',
    ...(views.length === 0 ? ['  none is compared'] : []),
    ...views.flatMap(({ object, state, pointers }) => [
      `  ${liveName(object)}: ${STATES[state]}`,
      ...pointers.slice(0, SHOWN_POINTERS).map((pointer) => `    ${visible(pointer)}`),
      ...(pointers.length > SHOWN_POINTERS ? [`    and ${pointers.length - SHOWN_POINTERS} more`] : []),
    ]),
    '',
  ].join('\n');
}

function liveName({ kind, namespace, name = '(no name)' }: LiveView['object']): string {
  return `${kind} ${visible(namespace === undefined ? name : `${namespace}/${name}`)}`;
}

function nameOf({ kind = '', name = '(no name)', pointer = '' }: Location): string {
  return `${kind} ${visible(name)} ${pointer}`;
}
