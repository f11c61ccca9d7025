/** Laws of hydrate over generated manifests: patch lists in every layout, hosts and values at random. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseAllDocuments } from 'yaml';
import { Refusal } from '../../src/diagnostic.ts';
import type { Form } from '../../src/machine-config/form.ts';
import { type TrustValues, withoutHost } from '../../src/machine-config/intents/trust.ts';
import type { HostEntry } from '../../src/machine-config/replay/effective.ts';
import { jsonOfRaw } from '../../src/machine-config/replay/raw.ts';
import { type ReadResult, readingsOf } from '../../src/manifest/holder-config.ts';
import { holdersOf } from '../../src/manifest/holders.ts';
import { documentsOf, hydrate } from '../../src/manifest/hydrate.ts';
import { type Intent, mirrorIntent, networkIntent, trustIntent } from '../../src/manifest/intent.ts';
import { objectsOf } from '../../src/manifest/objects.ts';
import { readPatches } from '../../src/manifest/steps.ts';
import { sameHostName } from '../../src/trust/registry-host.ts';
import { fc, fuzzRuns } from '../support/fuzz.ts';
import { HOST, manifests, SECOND } from '../support/manifests.ts';
import { GOLDEN_VALUES } from '../support/owned-lines.ts';

const laws = suite('laws of hydrate');

const RUNS = fuzzRuns(600);

/** Addresses of entries that may go, or move. */
const ADDRESSES = ['10.0.0.1', '10.0.0.2', '10.0.0.9'];

const intentFor = (
  host: typeof HOST,
  values: TrustValues | 'unknown' = GOLDEN_VALUES,
  patchFormat: 'auto' | Form = 'auto',
): Intent => trustIntent(host, values, { patchFormat });

for (const patches of ['ordinary', 'all'] as const) {
  laws(
    `${patches} patches: twice is once, offline first is the same, and the output is YAML with the values`,
    () => {
      let done = 0;
      check(manifests({ patches }), (text) => {
        const output = attempt(text, [intentFor(HOST)]);
        const offline = attempt(text, [intentFor(HOST, 'unknown')]);
        assert.is(offline === undefined, output === undefined);
        if (output === undefined || offline === undefined) return;
        done++;
        assert.is(attempt(output, [intentFor(HOST)]), output);
        assert.is(attempt(offline, [intentFor(HOST)]), output);
        for (const document of parseAllDocuments(output)) assert.equal(document.errors, []);
        const flat = JSON.stringify(parseAllDocuments(output).map((document) => document.toJS()));
        assert.ok(flat.includes(GOLDEN_VALUES.caBase64) || flat.includes('Z29sZGVu'), output);
        assert.ok(flat.includes(GOLDEN_VALUES.ip), output);
      });
      assert.ok(done > RUNS / 4, `only ${done} of ${RUNS} were hydrated`);
    },
  );

  laws(`${patches} patches: every scalar that was there is there, but for what is owned`, () => {
    check(manifests({ patches }), (text) => {
      const output = attempt(text, [intentFor(HOST)]);
      if (output === undefined) return;
      const kept = new Set(scalars(output));
      const owned = new Set([
        'b2xk',
        'old',
        'false',
        '',
        'null',
        'ip',
        'aliases',
        HOST.key,
        'registryTrust',
        'Registry.OK-shared.internal',
        ...ADDRESSES,
      ]);
      assert.equal(
        scalars(text).filter((scalar) => !kept.has(scalar) && !owned.has(scalar)),
        [],
        text,
      );
    });
  });

  laws(`${patches} patches: lines that are not ours stay, in their order`, () => {
    check(manifests({ patches }), (text) => {
      const output = attempt(text, [intentFor(HOST)]);
      if (output === undefined || /[[{]|"(?:machine|apiVersion|---)/.test(text)) return;
      const ours =
        /registryTrust|ca['"]?: |ip['"]?: |name['"]?: 10|aliases|hostnames|extraHostEntries|registry\.ok-shared|configPatches|strategicPatches|- \|/i;
      const lines = output.split(/\r?\n/);
      let at = 0;
      for (const line of text.split(/\r?\n/).filter((one) => !ours.test(one))) {
        const found = lines.indexOf(line, at);
        assert.ok(found >= at, `lost: ${JSON.stringify(line)} of ${JSON.stringify(text)}`);
        at = found + 1;
      }
    });
  });

  laws(`${patches} patches: only the wanted changes in the effective configuration`, () => {
    check(manifests({ patches }), (text) => {
      const output = attempt(text, [intentFor(HOST)]);
      if (output === undefined) return;
      const before = effects(text);
      for (const [way, after] of Object.entries(effects(output))) {
        const was = before[way];
        if (typeof after === 'string' || was === undefined || typeof was === 'string') continue;
        assert.is(after.tls.get(HOST.key)?.caBase64, GOLDEN_VALUES.caBase64, text);
        assert.equal(addressesOf(after.hosts), [GOLDEN_VALUES.ip], text);
        assert.equal(others(after), others(was), text);
      }
    });
  });

  laws(`${patches} patches: two registries in either order have the same effect`, () => {
    check(manifests({ patches }), (text) => {
      const ab = attempt(text, [intentFor(HOST), intentFor(SECOND)]);
      const ba = attempt(text, [intentFor(SECOND), intentFor(HOST)]);
      if (ab === undefined || ba === undefined) return;
      const [first, second] = [effects(ab), effects(ba)];
      for (const way of Object.keys(first))
        assert.equal(comparable(first[way]), comparable(second[way]), text);
    });
  });
}

laws('trust, a mirror and subnets in any order have the same effect, and a second time none', () => {
  const mirror = mirrorIntent(
    {
      registry: 'docker.io',
      endpoints: [
        {
          url: 'https://m.example.internal',
          scheme: 'https',
          hostKey: 'm.example.internal',
          path: 'override',
        },
        {
          url: 'https://n.example.internal',
          scheme: 'https',
          hostKey: 'n.example.internal',
          path: 'override',
        },
      ],
      fallback: 'use',
    },
    new Map([['n.example.internal', { username: 'u', password: 'p' }]]),
  );
  const network = networkIntent({ podSubnets: ['10.64.0.0/16'], serviceSubnets: ['10.97.0.0/16'] });
  let done = 0;
  check(manifests({ patches: 'all' }), (text) => {
    const orders = [
      [intentFor(HOST), mirror, network],
      [network, mirror, intentFor(HOST)],
      [mirror, intentFor(HOST), network],
    ];
    const [first, ...rest] = orders.map((intents) => attempt(text, intents));
    if (first === undefined) return;
    done++;
    assert.is(attempt(first, orders[0] ?? []), first, text);
    for (const other of rest) {
      if (other === undefined) continue;
      const [a, b] = [effects(first), effects(other)];
      for (const way of Object.keys(a)) assert.equal(comparable(a[way]), comparable(b[way]), text);
    }
  });
  assert.ok(done > RUNS / 10, `only ${done} of ${RUNS} were hydrated`);
});

laws('an empty list is never added: to a provider it is another value than none', () => {
  const empty = /(?:configPatches|strategicPatches)['"]?:\s*\[\s*\]/g;
  const count = (text: string): number => text.match(empty)?.length ?? 0;
  check(manifests({ patches: 'all' }), (text) => {
    for (const values of [GOLDEN_VALUES, 'unknown'] as const) {
      const output = attempt(text, [intentFor(HOST, values)]);
      if (output !== undefined) assert.ok(count(output) <= count(text), text);
    }
  });
});

laws('a refusal leaves no output, and no text gives anything but a refusal', () => {
  const snippets = fc.constantFrom(
    'apiVersion: bootstrap.cluster.x-k8s.io/v1alpha3\n',
    'kind: TalosConfigTemplate\n',
    'spec: {template: {spec: ',
    '{}',
    '}}\n',
    'spec:\n  template:\n    spec:\n',
    '      configPatches:\n',
    '      - ',
    'registryTrust: registry.ok-shared.internal\n',
    'op: add\n',
    '&a ',
    '*a',
    '---\n',
    '|\n',
    '"',
    "'",
    '\t',
    '\r',
    '<<: ',
    '? ',
    '!!map ',
    '- - ',
    '${X}',
  );
  check(
    fc.oneof(
      fc.array(snippets, { maxLength: 16 }).map((parts) => parts.join('')),
      fc.string({ unit: 'binary' }),
    ),
    (text) => {
      attempt(text, [intentFor(HOST)]);
      attempt(text, [intentFor(HOST, 'unknown', 'strategic')]);
    },
  );
});

laws.run();

function check<T>(arbitrary: fc.Arbitrary<T>, law: (value: T) => void): void {
  fc.assert(fc.property(arbitrary, law), { numRuns: RUNS, includeErrorInReport: true });
}

function attempt(text: string, intents: readonly Intent[]): string | undefined {
  try {
    return hydrate(text, intents).output;
  } catch (cause) {
    if (cause instanceof Refusal) return undefined;
    throw cause;
  }
}

/** All keys and scalars of all documents, those inside strategic patches too. */
function scalars(text: string): readonly string[] {
  return parseAllDocuments(text).flatMap((document) => scalarsOf(document.toJS()));
}

function scalarsOf(value: unknown): readonly string[] {
  if (typeof value === 'string' && /^\s*(?:---\s|machine:|apiVersion:|\{|\[|- op)/.test(value))
    return scalars(value);
  if (typeof value !== 'object' || value === null) return [String(value)];
  return Object.entries(value).flatMap(([key, child]) => [
    ...(Array.isArray(value) ? [] : [key]),
    ...scalarsOf(child),
  ]);
}

type Read = Extract<ReadResult, { readonly kind: 'read' }>['effective'];

/** What each machinery makes of the one holder of a manifest. */
function effects(text: string): Readonly<Record<string, Read | 'failed'>> {
  const [document] = documentsOf({ text });
  const [holder] = document === undefined ? [] : objectsOf(document.parse()).flatMap(holdersOf);
  if (holder === undefined) return {};
  return Object.fromEntries(
    readingsOf(holder, readPatches(holder)).map(({ machinery, contract, result }) => [
      JSON.stringify([machinery, contract]),
      result.kind === 'read' ? result.effective : 'failed',
    ]),
  );
}

function addressesOf(hosts: readonly HostEntry[]): readonly string[] {
  return hosts.flatMap(({ ip, aliases }) =>
    aliases.filter((alias) => sameHostName(alias, HOST) !== 'other').map(() => ip),
  );
}

/** All but what the intent is about; how aliases are grouped means nothing. */
function others(effective: Read): unknown {
  return comparable({
    ...effective,
    tls: new Map([...effective.tls].filter(([host]) => host !== HOST.key)),
    hosts: withoutHost(effective.hosts, HOST),
  });
}

function comparable(effective: Read | 'failed' | undefined): unknown {
  if (effective === undefined || effective === 'failed') return 'failed';
  const sorted = <T>(map: ReadonlyMap<string, T>): unknown => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.parse(
    JSON.stringify({
      ...effective,
      tls: sorted(effective.tls),
      auth: sorted(new Map([...effective.auth].map(([host, auth]) => [host, jsonOfRaw(auth)]))),
      mirrors: sorted(effective.mirrors),
      hosts: effective.hosts.flatMap(({ ip, aliases }) => aliases.map((alias) => `${ip} ${alias}`)).sort(),
    }),
  );
}
