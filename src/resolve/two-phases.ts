/**
 * What is said of a cluster whose registry's CA is on itself: how it is bootstrapped in two phases, ready to paste.
 *
 * Invariant: commands hold only names of the config, names that are Kubernetes names, and what the caller says is fit for
 * a shell.
 */
import { type Diagnostic, error, warning } from '../diagnostic.ts';
import type { ClusterName } from '../manifest/cluster-name.ts';
import type { Rendering } from '../manifest/rendered-clusters.ts';
import type { RegistryTrust } from '../spec/registry-trust.ts';
import { ROLES } from './role.ts';
import type { Evidence, SelfReference } from './self-reference.ts';

export interface SelfHosted extends SelfReference {
  readonly trust: Pick<RegistryTrust, 'host' | 'ca'>;
  /** Clusters of the same manifest that are not concerned. */
  readonly others: readonly ClusterName[];
  readonly pasteable?: NonNullable<Rendering['pasteable']>;
}

/** SELF_REFERENCE of a cluster that isn't there yet, or whose registry isn't. */
export function cannotBootstrap(found: SelfHosted): Diagnostic {
  const { trust, evidence } = found;
  return error(
    'SELF_REFERENCE',
    `${subject(found)} can't be bootstrapped with trust in ${trust.host.key}: the CA is on that cluster itself (${reason(evidence)}).`,
    lines(
      'Bootstrap it in two phases, with the flags and variables of now.',
      'Phase 1, without this registry: apply the manifest without its placeholders, then install the registry.',
      ...firstPhase(found),
      ...leftOut(found),
      `Phase 2, when ${sourceOf(found)} is there: see what is replaced or needs a new name, then apply.`,
      ...secondPhase(found),
      `If the registry is elsewhere: correct ${mistaken(evidence)}.`,
    ),
  );
}

/** SELF_REFERENCE of a cluster that is there: what is rendered is the second phase. */
export function isSecondPhase(found: SelfHosted): Diagnostic {
  const { trust, evidence } = found;
  return warning(
    'SELF_REFERENCE',
    `${subject(found)} takes the CA of ${trust.host.key} from itself (${reason(evidence)}), which works only while it runs.`,
    lines(
      'This is phase 2, for a cluster that runs: see what is replaced or needs a new name, then apply.',
      ...secondPhase(found),
      'To bootstrap it anew, begin with phase 1: apply the manifest without its placeholders, then install the registry.',
      ...firstPhase(found),
      ...leftOut(found),
    ),
  );
}

/** A step on a line of its own, for it is pasted. */
function lines(...all: readonly string[]): string {
  return all.join('\n    ');
}

function subject({ clusters }: SelfReference): string {
  const [first, ...more] = clusters;
  if (first === undefined) return 'The workload cluster';
  return more.length === 0 ? `Cluster ${shown(first)}` : `One of the clusters ${list(clusters)}`;
}

function shown({ name, namespace }: ClusterName): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

function list(clusters: readonly ClusterName[]): string {
  return clusters.map(shown).join(', ');
}

function reason(evidence: Evidence): string {
  const kubeconfig = `the ${ROLES.ca.title}'s kubeconfig`;
  switch (evidence.kind) {
    case 'hostedOn':
      return 'hostedOn names it';
    case 'endpoint':
      return `its controlPlaneEndpoint ${evidence.place} is the server in ${kubeconfig}`;
    case 'workload':
      return `${kubeconfig} and the ${ROLES.workload.title}'s have the same server, ${evidence.place}`;
    case 'name':
      return evidence.of === 'file'
        ? `${kubeconfig} is named like it`
        : `the ${evidence.of} in ${kubeconfig} is named like it`;
  }
}

/** What to look at when a cluster is taken for another one. */
function mistaken({ kind }: Evidence): string {
  switch (kind) {
    case 'hostedOn':
      return 'hostedOn (it also takes namespace/name)';
    case 'name':
      return `${ROLES.ca.variable}, or name the other cluster by hostedOn`;
    case 'endpoint':
    case 'workload':
      return ROLES.ca.variable;
  }
}

function sourceOf({ trust: { ca } }: SelfHosted): string {
  return `${ca.kind} ${ca.namespace}/${ca.name} with ${ca.key}`;
}

const APPLY = 'kubectl apply --server-side --field-manager=registry-trust -f -';

/** Only lines that are nothing but the placeholder: the API server refuses what is left of others. */
function firstPhase({ trust: { host }, pasteable }: SelfHosted): readonly string[] {
  const sed = `sed -E '/^ *- *\\{?registryTrust: *"?${host.key.replaceAll('.', '\\.')}"?\\}? *(#.*)?$/d'`;
  const files = pasteable?.files ?? ['MANIFEST'];
  return [
    files.length === 1
      ? `  ${sed} ${files.join()} | ${APPLY}`
      : `  for file in ${files.join(' ')}; do echo ---; ${sed} "$file"; done | ${APPLY}`,
  ];
}

function leftOut({ others }: SelfHosted): readonly string[] {
  return others.length === 0
    ? []
    : [`  Leave the other clusters of the manifest out of phase 1: ${list(others)}.`];
}

function secondPhase({ clusters, pasteable }: SelfHosted): readonly string[] {
  const namespaces = clusters.map(({ namespace }) => namespace);
  const where = namespaces.length === 1 && namespaces[0] !== undefined ? `-n ${namespaces[0]}` : '-A';
  const args = pasteable?.arguments ?? '--config CONFIG MANIFEST';
  return [
    `  kubectl get taloscontrolplanes,talosconfigtemplates ${where} -o yaml | registry-trust check ${args} --against -`,
    `  registry-trust render ${args} | ${APPLY}`,
  ];
}
