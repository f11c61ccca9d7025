/**
 * The truth vectors, which real Talos machinery made, against what the rules here say of paths, contracts and forms. The
 * copy in `test/vectors/` must be the one that is shared; where that isn't laid beside the project, only the copy is read.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { generatedDocuments, parseContract } from '../../src/machine-config/contract.ts';
import { automaticForm, leafOperation, strategicPatch } from '../../src/machine-config/form.ts';
import { relateToOwned } from '../../src/machine-config/owned-path.ts';
import { parseRegistryHost } from '../../src/trust/registry-host.ts';

const vectors = suite('vectors');

const SHARED = join(import.meta.dirname, '..', '..', '..', 'shared', 'talos-vectors');
const VECTORS = join(import.meta.dirname, '..', 'vectors');

interface Operation {
  readonly op: string;
  readonly path?: string;
  readonly value?: unknown;
}

interface Expectation {
  readonly ok: boolean;
  readonly registries?: unknown;
  readonly network?: { readonly extraHostEntries?: unknown } | null;
  readonly effective?: {
    readonly error?: string;
    readonly tls?: Readonly<Record<string, { readonly caSha256?: string }>>;
    readonly hosts?: readonly unknown[];
  };
}

interface Case {
  readonly id: string;
  readonly configPatches: readonly Operation[];
  readonly strategicPatches: readonly string[];
  readonly outcomes: readonly {
    readonly on: readonly {
      readonly machinery: readonly string[];
      readonly contract: readonly string[];
      readonly role: readonly string[];
    }[];
    readonly expect: Expectation;
  }[];
}

interface Base {
  readonly machinery: string;
  readonly contract: string;
  readonly role: string;
  readonly documents: number;
  readonly machine_network: unknown;
  readonly machine_registries: unknown;
}

const read = <T>(file: string): T => JSON.parse(readFileSync(join(VECTORS, file), 'utf8')) as T;
const cases = new Map(read<readonly Case[]>('cases.json').map((one) => [one.id, one]));
const random =
  read<
    readonly {
      readonly id: string;
      readonly configPatches: readonly Operation[];
      readonly expect: Expectation;
    }[]
  >('random-json6902.json');
const bases = read<{ readonly index: readonly Base[] }>('bases.json').index;

const HOST = parseRegistryHost('registry.example.internal');
const IP = '192.0.2.10';

vectors('the copy here is the shared one', () => {
  if (!existsSync(SHARED))
    return console.log('no shared vectors beside the project: the copy is not compared');
  for (const file of readdirSync(SHARED)) {
    assert.ok(
      readFileSync(join(SHARED, file)).equals(readFileSync(join(VECTORS, file))),
      `${file} differs: copy it again`,
    );
  }
});

vectors('a contract that gives one document does so on every machinery, and none has registries yet', () => {
  for (const { contract, documents, machinery, machine_registries: registries } of bases) {
    const parsed = parseContract(contract === 'unset' ? undefined : contract);
    if (parsed !== undefined && generatedDocuments(parsed) === 'one')
      assert.is(documents, 1, `${contract} on ${machinery}`);
    assert.is(registries, 'absent');
  }
});

vectors('a contract that gives several does so on the newest machinery', () => {
  for (const { contract, documents } of bases.filter(({ machinery }) => machinery === 'v1.14.0-rc.1')) {
    const parsed = parseContract(contract === 'unset' ? undefined : contract);
    assert.is(parsed && generatedDocuments(parsed), documents === 1 ? 'one' : 'several', contract);
  }
});

vectors('json6902 is chosen only where the parents of both leaves are there', () => {
  for (const { contract, machinery, machine_network: network } of bases) {
    const parsed = parseContract(contract === 'unset' ? undefined : contract);
    if (parsed === undefined || automaticForm({ contract: parsed, generateType: 'worker' }) !== 'json6902')
      continue;
    assert.equal(network, {}, `${contract} on ${machinery}`);
  }
});

vectors(
  'the operations that we write are those of own-json-both, which works wherever auto chooses them',
  () => {
    const { configPatches, outcomes } = caseOf('own-json-both');
    const values = { caBase64: caIn(configPatches[0]?.value), ip: IP };
    assert.equal(
      [leafOperation('registries', HOST, values), leafOperation('hostEntries', HOST, values)],
      configPatches,
    );
    for (const { on, expect } of outcomes) {
      const isChosen = on.some(({ contract }) =>
        contract.some((version) => ['v1.9', 'v1.11'].includes(version)),
      );
      if (isChosen) assertTrusted(expect, values.caBase64);
    }
  },
);

vectors(
  'the patch that we write is that of own-leg-both, which works on every machinery, contract and role',
  () => {
    const { strategicPatches, outcomes } = caseOf('own-leg-both');
    const patch = parse(strategicPatches[0] ?? '') as { readonly machine: { readonly registries: unknown } };
    const values = { caBase64: caIn(patch.machine.registries), ip: IP };
    assert.equal(strategicPatch(['registries', 'hostEntries'], HOST, values), patch);
    for (const { expect } of outcomes) assertTrusted(expect, values.caBase64);
  },
);

vectors('operations whose path is unrelated set neither registries nor host entries', () => {
  let checked = 0;
  for (const { id, configPatches, expect } of random) {
    if (!expect.ok || configPatches.some(({ path = '' }) => relateToOwned(path).kind !== 'unrelated'))
      continue;
    checked++;
    assert.is(expect.registries ?? null, null, id);
    assert.is(expect.network?.extraHostEntries, undefined, id);
  }
  for (const { id, configPatches, strategicPatches, outcomes } of cases.values()) {
    if (strategicPatches.length > 0 || configPatches.length === 0) continue;
    if (configPatches.some(({ path = '' }) => relateToOwned(path).kind !== 'unrelated')) continue;
    for (const { on, expect } of outcomes) {
      if (!expect.ok || on.some(({ contract }) => contract.includes('data'))) continue;
      checked++;
      assert.is(expect.registries ?? null, null, id);
      assert.is(expect.network?.extraHostEntries, undefined, id);
    }
  }
  assert.ok(checked > 0);
});

vectors('of operations that set a whole leaf the last one wins, as merging into it presumes', () => {
  let checked = 0;
  for (const { id, configPatches, expect } of random) {
    const related = configPatches.filter(({ path = '' }) => relateToOwned(path).kind !== 'unrelated');
    const setsWhole = related.every(
      ({ op, path = '' }) => (op === 'add' || op === 'replace') && relateToOwned(path).kind === 'leaf',
    );
    if (!expect.ok || related.length === 0 || !setsWhole) continue;
    const last = (leaf: 'registries' | 'hostEntries'): unknown =>
      related.filter(({ path = '' }) => isLeaf(path, leaf)).at(-1)?.value ?? null;
    checked++;
    assert.equal(expect.registries ?? null, last('registries'), id);
    assert.equal(expect.network?.extraHostEntries ?? null, last('hostEntries'), id);
  }
  assert.ok(checked > 0);
});

vectors.run();

function isLeaf(path: string, leaf: 'registries' | 'hostEntries'): boolean {
  const relation = relateToOwned(path);
  return relation.kind === 'leaf' && relation.leaf === leaf;
}

function caseOf(id: string): Case {
  const found = cases.get(id);
  if (found === undefined) throw new Error(`no case ${id}`);
  return found;
}

function caIn(registries: unknown): string {
  return (
    (registries as { readonly config: Readonly<Record<string, { readonly tls: { readonly ca: string } }>> })
      .config[HOST.key]?.tls.ca ?? ''
  );
}

function assertTrusted(expect: Expectation, caBase64: string): void {
  assert.ok(expect.ok && caBase64 !== '');
  assert.is(expect.effective?.error, undefined);
  assert.equal(Object.keys(expect.effective?.tls ?? {}), [HOST.key]);
  assert.ok(expect.effective?.tls?.[HOST.key]?.caSha256);
  assert.equal(expect.effective?.hosts, [{ ip: IP, aliases: [HOST.name] }]);
}
