/** What `--help` prints. Each command's page fits a screen and ends with a line that can be run. */

const COMMON = `Inputs:
  --cluster NAME            read NAME/cluster-config.yaml and NAME/cluster-base.yaml
  --config FILE MANIFEST…   a RegistryTrust, ConfigMap or cluster-config file, and manifests; - is standard input
`;

const PAGES: Readonly<Record<string, string>> = {
  render: `Usage: registry-trust render (--cluster NAME | --config FILE [MANIFEST…]) [options]

Writes the hydrated manifest to standard output, whole or not at all.

${COMMON}
Options:
  --offline                 placeholders instead of values: no credentials, no network
  --ca-kubeconfig F[#CTX]   cluster of the CA          (REGISTRY_CA_KUBECONFIG)
  --infra-kubeconfig F[#CTX] cluster of the Service    (TALOS_INFRA_KUBECONFIG)
  --workload-kubeconfig F[#CTX] cluster of authSecretRef (TALOS_WORKLOAD_KUBECONFIG)
  --registry-mirror HOST=URL mirror HOST by URL; repeatable, in order
  --pod-subnets CIDR[,CIDR], --service-subnets CIDR[,CIDR]
  --address IP              use this address           (REGISTRY_ADDRESS)
  --dns-server IP[:PORT]    ask this resolver; repeatable
  --timeout SECONDS         limit for all queries together (30)
  --show                    on a terminal: show the CA instead of its fingerprint
  -o, --output text|json    diagnostics on standard error

Example: registry-trust render --cluster ok-consumer | kubectl apply --server-side --field-manager=registry-trust -f -
`,
  check: `Usage: registry-trust check (--cluster NAME | --config FILE [MANIFEST…]) [--against FILE] [-o text|json]

Judges config and manifests without credentials and network. Exit code 1 when they would be refused.

${COMMON}
Options:
  --against FILE            objects as they are (kubectl get -o yaml, or an earlier rendering): says whether applying
                            would replace machines or change an immutable template, as if CA and address stay the same

Example: kubectl get taloscontrolplanes -A -o yaml | registry-trust check --cluster ok-consumer --against -
`,
  effective: `Usage: registry-trust effective [--cluster NAME | [--config FILE] [MANIFEST…]] [-o text|json]

Shows what Talos makes of the patches of each holder, on each of its versions that differ: registries, mirrors, hosts,
subnets, and the patch that each comes from. CAs are shown as fingerprints, credentials as the names of their fields.

${COMMON}
With a config, what it is about is shown as ours, all else as committed.

Example: registry-trust render --cluster ok-consumer | registry-trust effective --config ok-consumer/cluster-config.yaml -
`,
  review: `Usage: registry-trust review (--cluster NAME | --config FILE [MANIFEST…]) [options]

Shows what would be applied, and applies nothing: the registry's CA and address and where they come from, whether a
registry answers there whom a node would trust, the patch of each holder, what Talos makes of it, and what talosctl says
of it when it is on PATH. No Talos node is asked. CAs are shown as fingerprints, credentials as stand-ins.

${COMMON}
Options: as of render, and
  --connect-to IP:PORT      ask the registry there, such as at a forwarded port; name and trust stay
  --skip-probe              don't ask the registry
  --diff                    compare with the live objects of the infra cluster (--infra-kubeconfig) too: the spec of those
                            with Talos patches, and which template MachineDeployments name; exit code 2 when one differs
                            or is absent
  -o, --output text|json    the report on standard output as text or as one JSON object

Example: registry-trust review --cluster ok-consumer --diff
`,
};

export const OVERVIEW = `registry-trust: the CA and the address of an internal registry, for every node of a Talos cluster.

Usage:
  registry-trust                     KRM function: ResourceList or YAML documents on stdin, hydrated on stdout
  registry-trust render  [options]   hydrated manifest on stdout
  registry-trust check   [options]   everything that can be judged offline
  registry-trust review  [options]   what would be applied, to look at before
  registry-trust effective [options] what Talos makes of the patches, and where it comes from
  registry-trust COMMAND --help | --version

Exit codes: 0 done, 1 refused or failed (standard error says why), 2 differences (review --diff), 64 usage.
`;

/** The page of a command, or the overview. */
export function helpFor(command: string): string {
  return (Object.hasOwn(PAGES, command) ? PAGES[command] : undefined) ?? OVERVIEW;
}
