/**
 * Every truth vector, replayed: what real Talos machinery made of patches must be what the replay makes of them, down to
 * the kind of failure. Nothing is skipped; what isn't compared is listed in `NOT_COMPARED` with its reason.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { effectiveOf } from '../../../src/machine-config/replay/effective.ts';
import type { FailureKind } from '../../../src/machine-config/replay/failure.ts';
import { parseText, patchText } from '../../../src/machine-config/replay/load-patch.ts';
import { BEHAVIOUR, type Machinery } from '../../../src/machine-config/replay/machinery.ts';
import {
  isRawMap,
  type Json,
  jsonOfRaw,
  type Raw,
  rawOfJson,
} from '../../../src/machine-config/replay/raw.ts';
import { type Base, dataBase, type Outcome, replay } from '../../../src/machine-config/replay/replay.ts';
import { invalidSettings } from '../../../src/machine-config/replay/validate.ts';

/** What a vector says and this test doesn't compare. */
const NOT_COMPARED: Readonly<Record<string, string>> = {
  validate_error:
    'what a node says of parts that we neither read nor write; those of our documents are compared',
  warnings: 'about machine.type, which is never touched',
};

interface Expectation {
  readonly ok: boolean;
  readonly stage?: string;
  readonly error?: string;
  readonly registries?: Json;
  readonly network?: Json;
  readonly explicit_nulls?: readonly string[];
  readonly documents?: readonly Json[];
  readonly document_kinds?: readonly string[];
  readonly watched?: Readonly<Record<string, Json>>;
  readonly reload_error?: string;
  readonly validate_error?: string;
  readonly warnings?: readonly string[];
  readonly effective?: {
    readonly error?: string;
    readonly tls?: Readonly<Record<string, Json>>;
    readonly hosts?: readonly { readonly ip: string; readonly aliases: readonly string[] | null }[];
  };
}

interface Vector {
  readonly id: string;
  readonly configPatches?: readonly { readonly op: string; readonly path?: string; readonly value?: Json }[];
  readonly strategicPatches?: readonly string[];
  readonly data?: string;
  readonly podCIDRs?: readonly string[];
  readonly serviceCIDRs?: readonly string[];
  readonly contract?: string;
  readonly expect?: Expectation;
  readonly outcomes?: readonly {
    readonly on?: readonly {
      readonly machinery: readonly string[];
      readonly contract: readonly string[];
      readonly role: readonly string[];
    }[];
    readonly machinery?: readonly string[];
    readonly expect: Expectation;
  }[];
}

const VECTORS = join(import.meta.dirname, '..', '..', 'vectors');
const read = <T>(file: string): T => JSON.parse(readFileSync(join(VECTORS, file), 'utf8')) as T;

const bases = read<{
  readonly index: readonly Readonly<Record<'machinery' | 'contract' | 'role' | 'sha256', string>>[];
  readonly texts: Readonly<Record<string, string>>;
}>('bases.json');

/** Kinds of failure by the texts of real machinery; the first that matches. */
const FAILURES: readonly (readonly [RegExp, FailureKind])[] = [
  [/^panic: /, 'panic'],
  [/not supported for multi-document/, 'multi-document'],
  [/not registered/, 'not-registered'],
  [/missing apiVersion/, 'missing-version'],
  [/duplicate document/, 'duplicate-document'],
  [/unknown keys found/, 'unknown-key'],
  [/already defined at line/, 'duplicate-key'],
  [/illegal base64 data/, 'base64'],
  [/cannot (?:unmarshal|construct)/, 'type'],
  [/decode error: /, 'yaml'],
  [/expected a mapping node|expected a YAML document/, 'not-a-document'],
  [/config not found/, 'no-document'],
  [/lookup failed/, 'lookup-failed'],
  [/missing from field/, 'missing-from'],
  [/Unexpected kind/, 'unknown-operation'],
  [/test failed/, 'test-failed'],
  [/doc is missing key|nonexistent key/, 'missing-key'],
  [/missing path/, 'missing-path'],
  [/invalid index|proper array index|strconv.Atoi/, 'invalid-index'],
];

function failureOf(text: string): FailureKind | string {
  return FAILURES.find(([pattern]) => pattern.test(text))?.[1] ?? text;
}

function generationOf(version: string): Machinery {
  const [, minor = '', patch = ''] = /^v1\.(\d+)\.(\d+)/.exec(version) ?? [];
  if (Number(minor) < 12) return '1.9';
  if (minor === '12') return Number(patch) < 2 ? '1.12.0' : '1.12';
  return minor === '13' ? '1.13' : '1.14';
}

const parsed = new Map<string, Base>();
function baseOf(vector: Vector, machinery: string, contract: string, role: string): Base {
  if (vector.data !== undefined) return dataBase(vector.data);
  const row = bases.index.find(
    (one) => one.machinery === machinery && one.contract === contract && one.role === role,
  );
  const text = bases.texts[row?.sha256 ?? ''];
  if (text === undefined) throw new Error(`no base for ${machinery} ${contract} ${role}`);
  const base = parsed.get(text) ?? { origin: 'generated', documents: parseText(text) };
  parsed.set(text, base);
  return base;
}

/** The provider writes the subnets of the Cluster object into the legacy document, before any patch. */
function withCidrs({ podCIDRs, serviceCIDRs }: Vector, base: Base): Base | 'panic' {
  if (podCIDRs === undefined && serviceCIDRs === undefined) return base;
  const [legacy, ...others] = base.documents;
  const cluster = at(legacy, 'cluster');
  const network = at(cluster, 'network');
  if (!isRawMap(legacy) || !isRawMap(cluster) || !isRawMap(network)) return 'panic';
  const subnets = new Map(network)
    .set('podSubnets', rawOfJson(podCIDRs ?? []))
    .set('serviceSubnets', rawOfJson(serviceCIDRs ?? []));
  const patched = new Map(legacy).set('cluster', new Map(cluster).set('network', subnets));
  return { ...base, documents: [patched, ...others] };
}

function run(vector: Vector, machinery: string, contract: string, role: string): Outcome {
  const base = withCidrs(vector, baseOf(vector, machinery, contract, role));
  if (base === 'panic') return { kind: 'failed', stage: 'data', failure: 'panic' };
  return replay(generationOf(machinery), base, {
    configPatches: (vector.configPatches ?? []).map(({ op, path, value }) => ({
      op,
      path: path ?? '',
      value: rawOfJson(value),
    })),
    strategicPatches: (vector.strategicPatches ?? []).map(patchText),
  });
}

function at(root: Raw | undefined, ...path: readonly string[]): Raw | undefined {
  return path.reduce<Raw | undefined>((node, key) => (isRawMap(node) ? node.get(key) : undefined), root);
}

const OWN = /^(?:Registry[A-Za-z]*|StaticHost)Config$/;

function compare(
  outcome: Outcome,
  expect: Expectation,
  behaviour: (typeof BEHAVIOUR)[Machinery],
  where: string,
): void {
  if (!expect.ok) {
    const expected = { kind: 'failed', failure: failureOf(expect.error ?? '') };
    assert.equal(
      outcome.kind === 'failed' ? { kind: outcome.kind, failure: outcome.failure } : { kind: outcome.kind },
      expected,
      where,
    );
    if (outcome.kind === 'failed' && expect.stage !== 'panic') assert.is(outcome.stage, expect.stage, where);
    return;
  }
  if (outcome.kind === 'failed') throw new Error(`${where}: ${outcome.stage} ${outcome.failure}`);
  const { written, loaded } = outcome;
  const legacy = written.find((document) => at(document, 'kind') === undefined);
  assert.equal(
    jsonOfRaw(at(legacy, 'machine', 'registries')),
    expect.registries ?? null,
    `${where} registries`,
  );
  assert.equal(jsonOfRaw(at(legacy, 'machine', 'network')), expect.network ?? null, `${where} network`);
  for (const key of expect.explicit_nulls ?? []) assert.is.not(at(legacy, 'machine', key), undefined, where);
  assert.equal(
    written.map(jsonOfRaw).filter((one) => OWN.test(String((one as { kind?: string }).kind ?? ''))),
    expect.documents ?? [],
    `${where} documents`,
  );
  if (expect.document_kinds !== undefined)
    assert.equal(kindsOf(written), expect.document_kinds, `${where} kinds`);
  for (const [pointer, value] of Object.entries(expect.watched ?? {}))
    assert.equal(watchedAt(legacy, pointer), value, `${where} ${pointer}`);
  if (typeof loaded === 'string') {
    assert.is(loaded, failureOf(expect.reload_error ?? ''), where);
    return;
  }
  assert.is(expect.reload_error, undefined, where);
  compareValidation(invalidSettings(loaded)[0]?.failure, expect.validate_error ?? '', where);
  if (expect.effective !== undefined)
    compareEffective(effectiveOf(loaded, behaviour), expect.effective, where);
}

/** Kinds of what nodes refuse, of registries and hosts. */
const INVALID: readonly (readonly [RegExp, FailureKind])[] = [
  [/registries\.(?:config|mirrors)\["[^"]*"\] is null/, 'null-entry'],
  [/RegistryTLSConfig\/[^:]*: name must be specified/, 'no-name'],
  [/ca must be a valid PEM/, 'not-a-certificate'],
  [/only one of auth, username/, 'credentials'],
  [/has unsupported scheme/, 'url'],
  [/name must be a valid IP address/, 'not-an-address'],
  [/at least one hostname/, 'no-hostname'],
];

function compareValidation(actual: FailureKind | undefined, text: string, where: string): void {
  assert.is(actual, INVALID.find(([pattern]) => pattern.test(text))?.[1], `${where} ${text}`);
}

function compareEffective(
  effective: ReturnType<typeof effectiveOf>,
  expect: NonNullable<Expectation['effective']>,
  where: string,
): void {
  if (effective === 'panic') {
    assert.match(expect.error ?? '', /^panic/, where);
    return;
  }
  assert.equal(
    {
      hosts: effective.hosts,
      tls: Object.fromEntries(
        [...effective.tls].map(([host, { caBase64, verification, clientIdentity }]) => [
          host,
          {
            ...(caBase64 === undefined ? {} : { caSha256: sha256(caBase64) }),
            ...(verification === 'skip' ? { insecureSkipVerify: true } : {}),
            ...(clientIdentity === undefined ? {} : { clientIdentity: true }),
          },
        ]),
      ),
    },
    {
      hosts: expect.hosts?.map(({ ip, aliases }) => ({ ip, aliases: aliases ?? [] })),
      tls: expect.tls,
    },
    `${where} effective`,
  );
}

function kindsOf(written: readonly Raw[]): readonly string[] {
  const kinds = written.map((one) => jsonOfRaw(at(one, 'kind')));
  const legacy = kinds.indexOf(null);
  return kinds.map((kind, i) => (kind === null ? (i === legacy ? 'v1alpha1' : '(none)') : String(kind)));
}

function watchedAt(legacy: Raw | undefined, pointer: string): Json {
  return jsonOfRaw(at(legacy, ...pointer.split('/').slice(1)));
}

function sha256(base64: string): string {
  return createHash('sha256').update(Buffer.from(base64, 'base64')).digest('hex');
}

const counts = { cases: 0, 'random-json6902': 0, 'random-strategic': 0, runs: 0 };

const vectors = suite('replay of the vectors');

for (const vector of read<readonly Vector[]>('cases.json')) {
  vectors(vector.id, () => {
    counts.cases++;
    for (const { on, expect } of vector.outcomes ?? [])
      for (const { machinery, contract, role } of on ?? [])
        for (const m of machinery)
          for (const c of contract)
            for (const r of role) {
              counts.runs++;
              const where = `${vector.id} on ${m}, contract ${c}, ${r}`;
              compare(run(vector, m, c, r), expect, BEHAVIOUR[generationOf(m)], where);
            }
  });
}

for (const vector of read<readonly Vector[]>('random-json6902.json')) {
  vectors(vector.id, () => {
    counts['random-json6902']++;
    const { expect } = vector;
    if (expect === undefined) return assert.unreachable();
    for (const m of ['v1.9.5', 'v1.13.9'])
      compare(run(vector, m, 'v1.11', 'worker'), expect, BEHAVIOUR[generationOf(m)], `${vector.id} on ${m}`);
  });
}

for (const vector of read<readonly Vector[]>('random-strategic.json')) {
  vectors(vector.id, () => {
    counts['random-strategic']++;
    for (const { machinery, expect } of vector.outcomes ?? [])
      for (const m of machinery ?? [])
        compare(
          run(vector, m, vector.contract ?? '', 'worker'),
          expect,
          BEHAVIOUR[generationOf(m)],
          `${vector.id} on ${m}`,
        );
  });
}

vectors('none was left out', () => {
  assert.is(counts.cases, 465);
  assert.is(counts['random-json6902'], 600);
  assert.is(counts['random-strategic'], 450);
  assert.ok(Object.values(NOT_COMPARED).every((reason) => reason !== ''));
});

vectors.run();
