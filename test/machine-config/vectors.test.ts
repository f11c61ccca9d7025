/**
 * The truth vectors, which real Talos machinery made, against what the rules here say of paths, contracts and forms. The
 * copy in `test/vectors/` must be the one that is shared; where that isn't laid beside the project, only the copy is read.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse, parseAllDocuments } from 'yaml';
import { generatedDocuments, parseContract } from '../../src/machine-config/contract.ts';
import {
  automaticForm,
  leafOperations,
  legacyDocument,
  ownDocuments,
} from '../../src/machine-config/form.ts';
import { wantedTrust } from '../../src/machine-config/intents/trust.ts';
import { concernsOwned, pointerSegments } from '../../src/machine-config/owned-path.ts';
import { generatedBase } from '../../src/machine-config/replay/generated-base.ts';
import type { Machinery } from '../../src/machine-config/replay/machinery.ts';
import { isRawMap, jsonOfRaw } from '../../src/machine-config/replay/raw.ts';
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
    assert.equal(leafOperations(wantedTrust(HOST, values).settings), configPatches);
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
    assert.equal(legacyDocument(wantedTrust(HOST, values).settings), patch);
    for (const { expect } of outcomes) assertTrusted(expect, values.caBase64);
  },
);

vectors('the documents that we write are those of own-doc-both', () => {
  const { strategicPatches } = caseOf('own-doc-both');
  const documents = parseAllDocuments(strategicPatches[0] ?? '').map((document) => document.toJS());
  const { ca } = documents[0] as { readonly ca: string };
  const caBase64 = Buffer.from(ca).toString('base64');
  assert.equal(ownDocuments(wantedTrust(HOST, { caBase64, ip: IP }).settings), documents);
});

vectors('what is presumed of generated configurations is what providers generate', () => {
  const generations: Readonly<Record<string, Machinery>> = {
    'v1.9.5': '1.9',
    'v1.11.6': '1.9',
    'v1.12.0': '1.12.0',
    'v1.12.11': '1.12',
    'v1.13.0': '1.13',
    'v1.13.9': '1.13',
    'v1.14.0-rc.1': '1.14',
  };
  for (const { machinery, contract, documents, machine_network: network } of bases) {
    const parsed = parseContract(contract === 'unset' ? undefined : contract);
    const generation = generations[machinery];
    if (parsed === undefined || parsed.kind === 'variable' || generation === undefined)
      throw new Error(`a base of another kind: ${machinery} ${contract}`);
    const base = generatedBase(generation, parsed);
    const [legacy] = base.documents;
    const machine = isRawMap(legacy) ? legacy.get('machine') : undefined;
    const presumed = isRawMap(machine) ? machine.get('network') : undefined;
    const where = `${contract} on ${machinery}`;
    assert.is(base.documents.length > 1, documents > 1, where);
    assert.equal(presumed === undefined ? 'absent' : jsonOfRaw(presumed), network, where);
  }
});

vectors('operations that concern nothing owned set neither registries nor host entries', () => {
  const isUnrelated = ({ path = '' }: Operation): boolean => !concernsOwned(pointerSegments(path));
  const candidates = [
    ...random.map(({ id, configPatches, expect }) => ({ id, configPatches, expects: [expect] })),
    ...[...cases.values()]
      .filter(({ strategicPatches }) => strategicPatches.length === 0)
      .map(({ id, configPatches, outcomes }) => ({
        id,
        configPatches,
        expects: outcomes
          .filter(({ on }) => on.every(({ contract }) => !contract.includes('data')))
          .map(({ expect }) => expect),
      })),
  ].filter(({ configPatches }) => configPatches.every(isUnrelated));
  assert.ok(candidates.length > 0);
  for (const { id, expects } of candidates) {
    for (const expect of expects.filter(({ ok }) => ok)) {
      assert.is(expect.registries ?? null, null, id);
      assert.is(expect.network?.extraHostEntries, undefined, id);
    }
  }
});

vectors.run();

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
