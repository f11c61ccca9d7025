/** Inputs for the benchmarks: ResourceLists and streams with a given number of items and holders. */
import { readFileSync } from 'node:fs';

const META = (i: number): string => `apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3
kind: TalosConfigTemplate
metadata:
  name: pool-${i}
  namespace: bench
  annotations:
    config.kubernetes.io/index: '${i}'
    config.kubernetes.io/path: 'pools/pool-${i}.yaml'
spec:
  template:
    spec:
      generateType: worker
`;

/** What holders have in public manifests: of 62, 33 only configPatches, 12 only strategicPatches, 17 neither. */
const PATCHES: readonly string[] = [
  `      talosVersion: v1.9.5
      configPatches:
      - op: add
        path: /machine/registries
        value:
          mirrors:
            docker.io:
              endpoints:
              - https://mirror.example.internal
      - op: add
        path: /machine/sysctls
        value:
          vm.max_map_count: "262144"
      - registryTrust: registry.ok-shared.internal
`,
  `      talosVersion: v1.13
      strategicPatches:
      - |
        machine:
          kubelet:
            extraArgs:
              rotate-server-certificates: "true"
      - registryTrust: registry.ok-shared.internal
`,
  `      talosVersion: v1.11
`,
];

const MIX = [0, 0, 1, 2] as const;

/** One of each kind that already has registries or host entries, in both lists. */
const MERGED: readonly string[] = [
  PATCHES[0] ?? '',
  `      talosVersion: v1.13
      strategicPatches:
      - |
        machine:
          registries:
            mirrors:
              docker.io:
                endpoints:
                - https://mirror.example.internal
      - registryTrust: registry.ok-shared.internal
`,
  `      talosVersion: v1.10
      configPatches:
      - op: add
        path: /machine/network
        value:
          interfaces:
          - interface: eth0
            dhcp: true
          extraHostEntries:
          - ip: 192.0.2.7
            aliases: [other.example.internal]
      strategicPatches:
      - |
        machine:
          registries:
            config:
              registry.ok-shared.internal:
                tls:
                  ca: b2xk
`,
];

/** As many holders as wanted, each with existing patches to merge with, no two alike: what is alike is judged once. */
export function mergedHolders(holders: number): string {
  return Array.from({ length: holders }, (_, i) => {
    const patches = MERGED[i % MERGED.length] ?? '';
    return META(i) + patches.replace(/(mirror|other)\.example/, `$1-${i}.example`);
  }).join('---\n');
}

const HOLDER = (i: number, nth: number): string => META(i) + (PATCHES[MIX[nth % MIX.length] ?? 0] ?? '');

const OTHER = (i: number): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: app-${i}
  namespace: bench
  annotations:
    config.kubernetes.io/index: '0'
    config.kubernetes.io/path: 'apps/app-${i}.yaml'
spec:
  replicas: 2
  selector:
    matchLabels: {app: app-${i}}
  template:
    metadata:
      labels: {app: app-${i}}
    spec:
      containers:
      - name: app
        image: registry.ok-shared.internal/app:${i}
        args: ["--listen", ":8080"]
        resources:
          limits: {cpu: "1", memory: 512Mi}
`;

/** The config that is shipped as an example, without its comments. */
export const CONFIG = readFileSync(
  new URL('../function-config/registry-trust.yaml', import.meta.url),
  'utf8',
).replace(/^#.*\n| +#.*$/gm, '');

/** A ResourceList in kpt's style whose functionConfig only checks: everything but the clusters. */
export function resourceList(items: number, holders: number): string {
  const body = documents(items, holders).map((text) => `- ${text.trimEnd().replaceAll('\n', '\n  ')}\n`);
  const config = `${CONFIG}  mode: Check\n`.trimEnd().replaceAll('\n', '\n  ');
  return `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n${body.join('')}functionConfig:\n  ${config}\n`;
}

export function stream(items: number, holders: number): string {
  return documents(items, holders).join('---\n');
}

/** Holders evenly among the other items. */
function documents(items: number, holders: number): readonly string[] {
  const every = Math.floor(items / holders);
  return Array.from({ length: items }, (_, i) =>
    i % every === 0 && i / every < holders ? HOLDER(i, i / every) : OTHER(i),
  );
}
