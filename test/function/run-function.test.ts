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

fn('a second run finds the guard in place and changes nothing', async () => {
  const first = await run(list([HOLDER], CONFIG));
  const second = await run(first.output);
  const [item] = (parse(second.output) as ResourceListData).items;
  assert.equal(item, (parse(first.output) as ResourceListData).items[0]);
});

fn('JSON: several package files at either end go', async () => {
  const items = [KPTFILE, CONFIG, HOLDER, CONFIG, KPTFILE].map((text): unknown => parse(text));
  const input = JSON.stringify({ kind: 'ResourceList', items, functionConfig: parse(CONFIG) as unknown });
  const { output, status } = await run(input);
  assert.is(status, 'done');
  assert.equal(
    (JSON.parse(output) as ResourceListData).items.map(({ kind }) => kind),
    ['TalosConfigTemplate'],
  );
});

/** A `List` of the file `pool.yaml` with these items. */
function listObject(items: readonly string[]): string {
  const body = items.map((text) => `- ${text.trimEnd().replaceAll('\n', '\n  ')}\n`).join('');
  return `apiVersion: v1\nkind: List\nmetadata:\n  annotations:\n    config.kubernetes.io/path: pool.yaml\nitems:\n${body}`;
}

const LOCAL = `${OTHER}  annotations:\n    config.kubernetes.io/local-config: "true"\n`;

for (const [about, object] of [
  ['List', listObject([OTHER, HOLDER])],
  [
    'TalosConfigTemplateList',
    listObject([HOLDER])
      .replace('kind: List', 'kind: TalosConfigTemplateList')
      .replace('apiVersion: v1', 'apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3'),
  ],
] as const) {
  fn(`a ${about} is guarded by its own path`, async () => {
    const { output, content } = await run(list([object], CONFIG));
    assert.is(content, 'hydrated');
    const [item] = (parse(output) as ResourceListData).items;
    assert.match(item?.metadata.annotations?.['config.kubernetes.io/path'] ?? '', GUARD);
  });
}

for (const [about, input] of [
  [
    'a line of an item starts with an apostrophe',
    list([HOLDER, `${OTHER}data:\n  a: |\n    'tis\n`], CONFIG),
  ],
  ['an item has a quoted text over lines', list([HOLDER, `${OTHER}data:\n  a: "x\n    y"\n`], CONFIG)],
  ['it starts with a byte order mark', `\ufeff${list([HOLDER, OTHER], CONFIG)}`],
  [
    'it starts with a byte order mark and the kind',
    `\ufeff${list([HOLDER, OTHER], CONFIG).replace(/^(.*\n)(.*\n)/, '$2$1')}`,
  ],
] as const) {
  fn(`a ResourceList is read with its config when ${about}`, async () => {
    const outcome = await run(input);
    assert.equal(
      outcome.diagnostics.map(({ code }) => code),
      ['HYDRATED'],
    );
    assert.is(outcome.output.startsWith('\ufeff'), input.startsWith('\ufeff'));
    const [hydrated, other] = (parse(outcome.output) as ResourceListData).items;
    assert.match(hydrated?.metadata.annotations?.['config.kubernetes.io/path'] ?? '', GUARD);
    assert.ok(JSON.stringify(hydrated).includes(GOLDEN_VALUES.caBase64));
    assert.equal(other, (parse(input) as ResourceListData).items[1]);
  });
}

for (const [about, input] of [
  ['a ResourceList', list([listObject([LOCAL, HOLDER])], CONFIG)],
  ['a stream', `${CONFIG}---\n${listObject([LOCAL, HOLDER])}`],
] as const) {
  fn(`${about}: a List isn't dropped for what one of its items is`, async () => {
    const { output, status } = await run(input);
    assert.is(status, 'done');
    assert.match(output, /kind: List\n/);
    assert.ok(output.includes(GOLDEN_VALUES.caBase64));
  });
}

for (const functionConfig of ['RegistryTrust', ['RegistryTrust'], [parse(CONFIG) as unknown]]) {
  for (const [style, input] of [
    ['JSON', JSON.stringify({ kind: 'ResourceList', items: [parse(HOLDER) as unknown], functionConfig })],
    ['block', `${list([HOLDER], undefined)}functionConfig: ${JSON.stringify(functionConfig)}\n`],
    [
      'parsed whole',
      `${list([HOLDER], undefined).replace('kind:', '"kind":')}functionConfig: ${JSON.stringify(functionConfig)}\n`,
    ],
  ] as const) {
    const shown = JSON.stringify(functionConfig).slice(0, 30);
    fn(`${style}: a functionConfig that is no mapping is refused, not taken for none: ${shown}`, async () => {
      const outcome = await run(input);
      assert.is(outcome.status, 'refused');
      assert.equal(
        outcome.diagnostics.map(({ code }) => code),
        ['CONFIG_NOT_FOUND'],
      );
      assert.match(outcome.output, /CONFIG_NOT_FOUND/);
    });
  }
}

const ALIASED = HOLDER.replace('configPatches:', 'configPatches: &patches');
const CROSSING: Readonly<Record<string, string>> = {
  'the patches of another item': list([ALIASED, `${OTHER}data: *patches\n`], CONFIG),
  'an item as a whole': list([`&all\n${HOLDER}`, '*all'], CONFIG),
  'a package file’s text': list(
    [KPTFILE.replace('name: package', 'name: &name workers'), HOLDER.replace('name: workers', 'name: *name')],
    CONFIG,
  ),
  'an item from the config': list(
    [ALIASED],
    CONFIG.replace('  annotations:', '  labels: *patches\n  annotations:'),
  ),
  'an item from a merge key': list([ALIASED, `${OTHER}data:\n  <<: *patches\n`], CONFIG),
};

for (const [about, input] of Object.entries(CROSSING)) {
  for (const [style, text] of [
    ['block', input],
    ['parsed whole', input.replace('kind:', '"kind":')],
  ] as const) {
    fn(`an alias of ${about} (${style}) is refused at its place, and the items are echoed`, async () => {
      const outcome = await run(text);
      assert.is(outcome.status, 'refused');
      assert.ok(outcome.output.startsWith(text));
      const [diagnostic] = outcome.diagnostics;
      assert.is(diagnostic?.code, 'YAML_ALIAS');
      const line = text.split('\n')[(diagnostic?.at?.line ?? 0) - 1] ?? '';
      assert.is(line[(diagnostic?.at?.column ?? 0) - 1], '*');
    });
  }
}

fn('aliases inside an item, and what only looks like one, pass', async () => {
  const script = `${OTHER}data:\n  a: &patches 1\n  b: *patches\n  c: |\n    x && *.y &patches *z\n`;
  const { status } = await run(list([script, script, HOLDER], CONFIG));
  assert.is(status, 'done');
});

fn('crossing aliases pass where nothing is enabled', async () => {
  const input = list([ALIASED, `${OTHER}data: *patches\n`], undefined);
  assert.is((await run(input)).output, input);
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

fn('a refused stream that only names a ResourceList gives nothing', async () => {
  const items = [CONFIG, HOLDER].map((text): unknown => parse(text));
  const outcome = await run(JSON.stringify({ kind: 'List', note: 'no ResourceList', items }));
  assert.is(outcome.status, 'refused');
  assert.is(outcome.output, '');
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
      redacted: { intent: offlineIntent(config), cas: [] },
      diagnostics: [{ code: 'HYDRATED', severity: 'info', message: 'm', hint: 'h' }],
    });
  return functionOutcome(input, { resolve, persist: 'refuse', ...ports });
}
