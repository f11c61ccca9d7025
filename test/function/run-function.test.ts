/** The function as text in, text out, with clusters that are a port of the test. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse, parseAllDocuments } from 'yaml';
import { error, Refusal } from '../../src/diagnostic.ts';
import type { Outcome, Ports } from '../../src/function/ports.ts';
import { functionOutcome } from '../../src/function/run-function.ts';
import { offlineIntent, trustIntentOf } from '../../src/manifest/intent.ts';
import { GOLDEN_VALUES } from '../support/owned-lines.ts';

const fn = suite('function');

const CONFIG = `apiVersion: fn.openkubes.io/v1alpha1
kind: RegistryTrust
metadata:
  name: ok-shared
  annotations:
    config.kubernetes.io/local-config: "true"
    config.kubernetes.io/path: registry-trust.yaml
spec:
  host: registry.ok-shared.internal
  caSecret: {namespace: cert-manager, name: ok-shared-internal-ca}
`;

const HOLDER = `apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3
kind: TalosConfigTemplate
metadata:
  name: workers
  annotations:
    config.kubernetes.io/index: '1'
    config.kubernetes.io/path: 'pools/workers.yaml'
    internal.config.kubernetes.io/path: 'pools/workers.yaml'
spec:
  template:
    spec:
      generateType: worker
      talosVersion: v1.9
      configPatches:
      - registryTrust: registry.ok-shared.internal
`;

const NESTED = HOLDER.replace(
  '- registryTrust: registry.ok-shared.internal',
  '- op: remove\n        path: /machine/registries/config/x',
);
const KPTFILE = 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: package\n';
const OTHER = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: other\n';

const GUARD = /SECRETS-HYDRATED\.\./;

fn('a ResourceList: the holder is hydrated and guarded, package files go, the rest stays', async () => {
  const input = list([KPTFILE, HOLDER, OTHER, CONFIG], CONFIG);
  const outcome = await run(input);
  assert.is(outcome.status, 'done');
  assert.is(outcome.content, 'hydrated');
  const output = parse(outcome.output) as ResourceListData;
  assert.equal(
    output.items.map(({ kind }) => kind),
    ['TalosConfigTemplate', 'ConfigMap'],
  );
  assert.ok(outcome.output.includes(GOLDEN_VALUES.caBase64));
  assert.match(output.items[0]?.metadata.annotations?.['config.kubernetes.io/path'] ?? '', GUARD);
  assert.match(output.items[0]?.metadata.annotations?.['internal.config.kubernetes.io/path'] ?? '', GUARD);
  assert.equal(output.functionConfig, (parse(input) as ResourceListData).functionConfig);
  assert.equal(
    output.results?.map(({ severity }) => severity),
    ['info'],
  );
});

fn('JSON in, JSON out', async () => {
  const input = JSON.stringify(parse(list([KPTFILE, HOLDER], CONFIG)));
  const { output, status } = await run(input);
  assert.is(status, 'done');
  const data = JSON.parse(output) as ResourceListData;
  assert.equal(
    data.items.map(({ kind }) => kind),
    ['TalosConfigTemplate'],
  );
  assert.match(data.items[0]?.metadata.annotations?.['config.kubernetes.io/path'] ?? '', GUARD);
});

fn('with the explicit word of the operator paths stay, and a warning says so', async () => {
  const outcome = await run(list([HOLDER], CONFIG), { persist: 'allow' });
  assert.not.match(outcome.output, GUARD);
  assert.ok(
    outcome.diagnostics.some(({ code, severity }) => code === 'PERSIST_ALLOWED' && severity === 'warning'),
  );
});

const NO_CLUSTER: Readonly<Record<string, string>> = {
  'without functionConfig': list([HOLDER], undefined),
  'with the empty ConfigMap that kpt sends': list(
    [HOLDER],
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: function-input\ndata: {}\n',
  ),
  'with a cluster-config that is not enabled': list(
    [HOLDER],
    'type: talos\nregistryTrust:\n  enabled: false\n',
  ),
  'in mode Check': list([HOLDER], `${CONFIG}  mode: Check\n`),
  'under kpt fn render': list(
    [
      HOLDER.replace(
        '    config.kubernetes.io/index',
        "    internal.config.kubernetes.io/package-path: ''\n    config.kubernetes.io/index",
      ),
    ],
    CONFIG,
  ),
  'a plain stream without a config': `${HOLDER}---\n${OTHER}`,
};

for (const [about, input] of Object.entries(NO_CLUSTER)) {
  fn(`${about}: byte for byte, and no cluster is asked`, async () => {
    const outcome = await run(input, { resolve: () => Promise.reject(new Error('a cluster was asked')) });
    assert.is(outcome.output, input);
    assert.is(outcome.status, 'done');
    assert.is(outcome.content, 'committed');
  });
}

const REFUSED: Readonly<Record<string, readonly [string, string]>> = {
  'a nested patch': [list([OTHER, NESTED], CONFIG), 'PATCH_NESTED'],
  'a nested patch in mode Check': [list([NESTED], `${CONFIG}  mode: Check\n`), 'PATCH_NESTED'],
  'a holder that is a package file': [
    list(
      [HOLDER.replace('  annotations:', '  annotations:\n    config.kubernetes.io/local-config: "true"')],
      CONFIG,
    ),
    'HOLDER_NOT_FOUND',
  ],
  'no holder': [list([OTHER], CONFIG), 'HOLDER_NOT_FOUND'],
  'a wrong config': [list([HOLDER], CONFIG.replace('host:', 'hots:')), 'CONFIG_UNKNOWN_KEY'],
  'a config of another kind': [
    list([HOLDER], CONFIG.replace('kind: RegistryTrust', 'kind: RegistryThrust')),
    'CONFIG_UNKNOWN_KIND',
  ],
  'an item that is not YAML': [list([HOLDER.replace('spec:', 'spec: [')], CONFIG), 'YAML_INVALID'],
};

for (const [about, [input, code]] of Object.entries(REFUSED)) {
  fn(`${about}: the items are echoed with results, and no cluster is asked`, async () => {
    const outcome = await run(input, { resolve: () => Promise.reject(new Error('a cluster was asked')) });
    assert.is(outcome.status, 'refused');
    assert.ok(outcome.output.startsWith(input), 'the input is echoed as it came');
    assert.match(
      outcome.output.slice(input.length),
      new RegExp(`${code}: .*\\n    severity: error|${code}: `),
    );
  });
}

fn('a result names object, file, index and field', async () => {
  const outcome = await run(list([OTHER, NESTED], CONFIG));
  const { results } = parse(outcome.output) as ResourceListData;
  assert.equal(results?.[0], {
    message: results?.[0]?.message,
    severity: 'error',
    resourceRef: {
      apiVersion: 'bootstrap.cluster.x-k8s.io/v1alpha3',
      kind: 'TalosConfigTemplate',
      name: 'workers',
    },
    field: { path: 'spec.template.spec.configPatches[0]' },
    file: { path: 'pools/workers.yaml', index: 1 },
    tags: { code: 'PATCH_NESTED' },
  });
});

fn('a cluster that fails: the items are echoed with its code', async () => {
  const input = list([HOLDER], CONFIG);
  const refusal = new Refusal(error('CLUSTER_TIMEOUT', 'm', 'h'));
  const outcome = await run(input, { resolve: () => Promise.reject(refusal) });
  assert.is(outcome.status, 'refused');
  assert.ok(outcome.output.startsWith(input));
  assert.match(outcome.output, /CLUSTER_TIMEOUT/);
});

fn('a ResourceList without items is echoed, since an orchestrator would lose the reason', async () => {
  const input = 'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n';
  const outcome = await run(input);
  assert.is(outcome.output, input);
  assert.equal(
    outcome.diagnostics.map(({ code }) => code),
    ['RESOURCE_LIST_INVALID'],
  );
});

fn('a plain stream takes its config from the stream and drops package files', async () => {
  const input = `${KPTFILE}---\n${CONFIG}---\n# pools\n${HOLDER}---\n${OTHER}`;
  const outcome = await run(input);
  assert.is(outcome.content, 'hydrated');
  const kinds = parseAllDocuments(outcome.output).map(
    (document) => (document.toJS() as { kind?: string } | null)?.kind,
  );
  assert.equal(
    kinds.filter((kind) => kind !== undefined),
    ['TalosConfigTemplate', 'ConfigMap'],
  );
  assert.match(outcome.output, /^---\n# pools\n/);
});

fn('a plain stream that is refused gives nothing', async () => {
  const outcome = await run(`${CONFIG}---\n${NESTED}`);
  assert.is(outcome.status, 'refused');
  assert.is(outcome.output, '');
});

fn('two configs in a stream: both registries, in either order, with the same result', async () => {
  const second = CONFIG.replaceAll('ok-shared.internal', 'second.internal');
  const input = (configs: readonly string[]): string => `${configs.join('---\n')}---\n${HOLDER}`;
  const a = await run(input([CONFIG, second]));
  const b = await run(input([second, CONFIG]));
  assert.is(a.status, 'done');
  const values = (outcome: Outcome): string =>
    JSON.stringify(
      (
        parse(outcome.output.replace(/^---\n/, '')) as {
          spec: {
            template: {
              spec: { configPatches: readonly { path: string; value: Record<string, unknown> }[] };
            };
          };
        }
      ).spec.template.spec.configPatches.map(({ path, value }) => [
        path,
        Object.keys(value['config'] ?? value).length,
      ]),
    );
  assert.is(values(a), values(b));
  assert.is(values(a), '[["/machine/registries",2],["/machine/network/extraHostEntries",2]]');
});

fn('other items are not even parsed', async () => {
  const outcome = await run(list([HOLDER, 'apiVersion: v1\nkind: ConfigMap\ndata: {broken: [\n'], CONFIG));
  assert.is(outcome.status, 'done');
});

fn.run();

interface ResourceListData {
  readonly items: readonly {
    readonly kind: string;
    readonly metadata: { readonly annotations?: Record<string, string> };
  }[];
  readonly functionConfig?: unknown;
  readonly results?: readonly { readonly message: string; readonly severity: string }[];
}

function list(items: readonly string[], config: string | undefined): string {
  const indent = (text: string): string => text.trimEnd().replaceAll('\n', '\n  ');
  const body = items.map((item) => `- ${indent(item)}\n`).join('');
  return `apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n${body}${config === undefined ? '' : `functionConfig:\n  ${indent(config)}\n`}`;
}

function run(input: string, ports: Partial<Ports> = {}): Promise<Outcome> {
  const resolve: Ports['resolve'] = (config) =>
    Promise.resolve({
      intent: config.kind === 'RegistryTrust' ? trustIntentOf(config, GOLDEN_VALUES) : offlineIntent(config),
      redacted: { intent: offlineIntent(config), shown: [] },
      diagnostics: [{ code: 'HYDRATED', severity: 'info', message: 'm', hint: 'h' }],
    });
  return functionOutcome(input, { resolve, persist: 'refuse', ...ports });
}
