/**
 * What Talos makes of each holder of a manifest, to look at: registries, hosts and subnets, each with the patch that it
 * comes from, and with secrets reduced to fingerprints or to the names of what is set.
 */
import type { Location } from '../diagnostic.ts';
import type { OwnedLeaf } from '../machine-config/owned-path.ts';
import type { Effective, TlsSettings } from '../machine-config/replay/effective.ts';
import type { FailureKind, Stage } from '../machine-config/replay/failure.ts';
import type { Machinery } from '../machine-config/replay/machinery.ts';
import type { NamedSetting, SettingDocument } from '../machine-config/setting.ts';
import { decodeCertificate, describeCertificate } from '../trust/ca-certificate.ts';
import { readPem } from '../trust/pem.ts';
import { textOf } from '../yaml/document.ts';
import { aliasSites } from './alias-sites.ts';
import { type Reading, readingsOf } from './holder-config.ts';
import { type Holder, holdersOf, mayHold } from './holders.ts';
import { documentsOf, type Manifest } from './hydrate.ts';
import { decisiveSite } from './named-sites.ts';
import { objectsOf } from './objects.ts';
import { type HolderPatches, readPatches, type Step } from './steps.ts';

/** `ours`: for a registry that a config is about. `generated`: by the provider, before any patch. */
export type Owner = 'ours' | 'committed' | 'generated';

export interface Source {
  readonly owner: Owner;
  /** Pointer of the patch inside the holder: `configPatches/2`, `strategicPatches/0`, `data`; absent when generated. */
  readonly patch?: string;
}

export interface TlsView extends Source {
  readonly registry: string;
  /** SHA-256 of each certificate, or `unreadable`. */
  readonly ca: readonly string[] | 'unreadable' | 'none';
  readonly verification: TlsSettings['verification'];
  readonly clientIdentity: 'set' | 'none';
}

export interface AuthView extends Source {
  readonly registry: string;
  /** Names of what is set, never what it is. */
  readonly fields: readonly string[];
}

export interface MirrorView extends Source {
  readonly registry: string;
  readonly endpoints: readonly { readonly url: string; readonly overridePath: boolean }[];
  readonly fallback: 'use' | 'skip';
}

export interface HostView extends Source {
  readonly ip: string;
  readonly alias: string;
}

export interface SubnetsView extends Source {
  readonly list: 'podSubnets' | 'serviceSubnets';
  readonly cidrs: readonly string[];
}

/** One outcome, and the Talos versions and contracts that share it. */
export interface OutcomeView {
  readonly on: readonly string[];
  readonly outcome:
    | {
        readonly kind: 'failed';
        readonly stage: Stage;
        readonly failure: FailureKind;
        readonly patch?: string;
      }
    | {
        readonly kind: 'read';
        readonly tls: readonly TlsView[];
        readonly auth: readonly AuthView[];
        readonly mirrors: readonly MirrorView[];
        readonly hosts: readonly HostView[];
        readonly subnets: readonly SubnetsView[];
      };
}

export interface HolderView {
  readonly at: Location;
  /** Registries whose values a placeholder stands in for. */
  readonly placeholders: readonly string[];
  /** Empty when the author's own configuration (`data`) has variables: then nothing is known. */
  readonly outcomes: readonly OutcomeView[];
}

/**
 * Views of all holders, in order. `ours` are the registries that configs are about.
 * @throws Refusal YAML_*, HOLDER_*, PATCH_*
 */
export function effectiveViews(
  manifests: readonly Manifest[],
  ours: readonly string[],
): readonly HolderView[] {
  return manifests.flatMap((manifest) =>
    documentsOf(manifest).flatMap((document) => {
      if (!mayHold(document.text)) return [];
      return objectsOf(document.parse())
        .flatMap(holdersOf)
        .map((holder) => viewOf(holder, ours));
    }),
  );
}

function viewOf(holder: Holder, ours: readonly string[]): HolderView {
  const patches = readPatches(holder);
  const groups = new Map<string, { readonly on: string[]; readonly outcome: OutcomeView['outcome'] }>();
  for (const reading of readingsOf(holder, patches, 'all')) {
    const outcome = outcomeView(reading, patches, ours);
    const key = JSON.stringify(outcome);
    const group = groups.get(key) ?? { on: [], outcome };
    group.on.push(versionsOf(reading));
    groups.set(key, group);
  }
  const onAll = groups.size === 1 ? ['every version'] : undefined;
  return {
    at: { ...holder.object.at(), pointer: holder.pointer },
    placeholders: patches.placeholders.map(({ name }) => name),
    outcomes: [...groups.values()].map(({ on, outcome }) => ({ on: onAll ?? on, outcome })),
  };
}

/** The versions that a machinery stands for, and the contract where the holder leaves it open. */
const VERSIONS: Readonly<Record<Machinery, string>> = {
  '1.9': 'up to 1.11',
  '1.12.0': '1.12.0 and 1.12.1',
  '1.12': '1.12 from 1.12.2',
  '1.13': '1.13',
  '1.14': '1.14',
};

function versionsOf({ machinery, contract }: Reading): string {
  const isOpen = contract !== 'data' && contract.kind === 'unset';
  return isOpen ? `${VERSIONS[machinery]} with its newest contract` : VERSIONS[machinery];
}

function outcomeView(
  { result }: Reading,
  patches: HolderPatches,
  ours: readonly string[],
): OutcomeView['outcome'] {
  if (result.kind === 'failed') {
    const { stage, failure, index } = result;
    return { kind: 'failed', stage, failure, ...(index === undefined ? {} : { patch: `${stage}/${index}` }) };
  }
  const { effective } = result;
  const named = (setting: Omit<NamedSetting, 'kind' | 'value'>, name: string): Source =>
    sourceOf(decisiveSite({ kind: 'named', value: {}, ...setting }, patches.steps)?.step, name, ours);
  const entry = (section: 'config' | 'mirrors', kind: SettingDocument['kind'], name: string): Source =>
    named({ leaf: 'registries', anchor: [section, name], document: { kind, name, value: {} } }, name);
  return {
    kind: 'read',
    tls: [...effective.tls].map(([registry, tls]) => ({
      registry,
      ...tlsView(tls),
      ...entry('config', 'RegistryTLSConfig', registry),
    })),
    auth: [...effective.auth].map(([registry, auth]) => ({
      registry,
      fields: [...auth.keys()],
      ...entry('config', 'RegistryAuthConfig', registry),
    })),
    mirrors: [...effective.mirrors].map(([registry, mirror]) => ({
      registry,
      ...mirror,
      endpoints: mirror.endpoints.map(({ url, ...rest }) => ({ ...rest, url: withoutSecrets(url) })),
      ...entry('mirrors', 'RegistryMirrorConfig', registry),
    })),
    hosts: hostViews(effective, patches, ours),
    subnets: (['podSubnets', 'serviceSubnets'] as const)
      .map((list) => ({ list, cidrs: effective[list], ...subnetsSource(list, patches, ours) }))
      // What a provider generates depends on the Cluster object, which isn't known here.
      .filter(({ owner, cidrs }) => owner !== 'generated' && cidrs.length > 0),
  };
}

/** User information and a query may hold credentials. */
function withoutSecrets(url: string): string {
  return url.replace(/^((?:[a-z][a-z0-9+.-]*:)?\/\/)?[^/?#]*@/i, '$1***@').replace(/[?#].*/s, '?***');
}

function subnetsSource(
  list: OwnedLeaf & ('podSubnets' | 'serviceSubnets'),
  patches: HolderPatches,
  ours: readonly string[],
): Source {
  const setting: NamedSetting = { kind: 'named', leaf: list, anchor: [], value: {} };
  return sourceOf(decisiveSite(setting, patches.steps)?.step, list, ours);
}

function hostViews(
  { hosts }: Effective,
  { steps }: HolderPatches,
  ours: readonly string[],
): readonly HostView[] {
  const names = [...new Set(hosts.flatMap(({ aliases }) => aliases))];
  return names.flatMap((alias) => {
    const sites = aliasSites({ kind: 'alias', leaf: 'hostEntries', host: alias, ip: '' }, steps).filter(
      ({ aliases, aliasIndex }) => textOf(aliases.items[aliasIndex]) === alias,
    );
    return hosts
      .filter(({ aliases }) => aliases.includes(alias))
      .map(({ ip }, i) => ({ ip, alias, ...sourceOf(sites[i]?.step, alias, ours) }));
  });
}

function sourceOf(step: Step | undefined, name: string, ours: readonly string[]): Source {
  if (step === undefined) return { owner: 'generated' };
  const isOurs = ours.some((one) => one === name || one.replace(/:\d+$/, '') === name);
  return {
    owner: isOurs ? 'ours' : 'committed',
    patch: step.list === 'data' ? 'data' : `${step.list}/${step.index}`,
  };
}

function tlsView({
  caBase64,
  verification,
  clientIdentity,
}: TlsSettings): Omit<TlsView, keyof Source | 'registry'> {
  return {
    ca: caBase64 === undefined || caBase64 === '' ? 'none' : fingerprintsOf(caBase64),
    verification,
    clientIdentity: clientIdentity === undefined ? 'none' : 'set',
  };
}

function fingerprintsOf(caBase64: string): readonly string[] | 'unreadable' {
  try {
    const { blocks } = readPem(Buffer.from(caBase64, 'base64').toString());
    const certificates = blocks.map(({ der }) => decodeCertificate(der.reveal()));
    const known = certificates.flatMap((one) =>
      one === undefined ? [] : [describeCertificate(one).fingerprint],
    );
    return known.length === blocks.length ? known : 'unreadable';
  } catch {
    // Whatever stands there isn't PEM; why doesn't matter here.
    return 'unreadable';
  }
}
