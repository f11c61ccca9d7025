/**
 * What Talos makes of one holder, on each machinery that may run: the replay of its patches, without those that can't
 * reach what is owned. Parts that we don't know are left out rather than judged.
 */
import { concernsOwned } from '../machine-config/owned-path.ts';
import { type Effective, effectiveOf } from '../machine-config/replay/effective.ts';
import { type FailureKind, ReplayFailure, type Stage } from '../machine-config/replay/failure.ts';
import { generatedBase, type KnownContract } from '../machine-config/replay/generated-base.ts';
import type { Operation } from '../machine-config/replay/json6902.ts';
import { type PatchText, patchText } from '../machine-config/replay/load-patch.ts';
import { BEHAVIOUR, MACHINERIES, type Machinery } from '../machine-config/replay/machinery.ts';
import { prunedPatch } from '../machine-config/replay/prune.ts';
import { isRawList, isRawMap, jsonOfRaw, Plain, type Raw, rawOfNode } from '../machine-config/replay/raw.ts';
import { type Base, replay } from '../machine-config/replay/replay.ts';
import { restOf, restOfPatch } from '../machine-config/replay/rest.ts';
import { type InvalidSetting, invalidSettings } from '../machine-config/replay/validate.ts';
import type { Node } from '../yaml/document.ts';
import type { Holder } from './holders.ts';
import { type HolderPatches, MAY_REACH, type Owner } from './steps.ts';
import { kubectlWord } from './stored-value.ts';

/** One way in which the holder may be read. */
export interface Reading {
  readonly machinery: Machinery;
  readonly contract: KnownContract | 'data';
  readonly result: ReadResult;
}

export type ReadResult =
  | {
      readonly kind: 'read';
      readonly effective: Effective;
      /** All that isn't owned, in a form that compares. */
      readonly rest: string;
      /** What the node would refuse of it. */
      readonly invalid: readonly InvalidSetting[];
    }
  | {
      readonly kind: 'failed';
      readonly stage: Stage;
      readonly failure: FailureKind;
      /** Index in `configPatches` or `strategicPatches`. */
      readonly index?: number;
    };

/** `enough`: where no two machineries differ, only one of them. */
export type Extent = 'enough' | 'all';

/** Never throws. Without `data` that can be read there is nothing to say: then the list is empty. */
export function readingsOf(
  holder: Holder,
  patches: HolderPatches,
  extent: Extent = 'enough',
): readonly Reading[] {
  const operations = relevantOperations(patches);
  if (typeof operations === 'string') {
    return basesOf(holder, plainMachineries).map(({ machinery, contract }) => ({
      machinery,
      contract,
      result: { kind: 'failed', stage: 'configPatches', failure: operations },
    }));
  }
  const texts = patches.texts
    .filter(({ text }) => MAY_REACH.test(text))
    .map(({ text, index }) => {
      const whole = patchText(text);
      return { index, whole, roots: prunedPatch(whole) };
    });
  const unowned = unownedText(
    patches,
    texts.map(({ whole }) => whole),
  );
  const lists = {
    configPatches: operations.map(({ operation }) => operation),
    strategicPatches: texts.map(({ roots }) => roots),
  };
  const isEnough = extent === 'enough' && isPlainWork(holder, patches);
  const machineries = isEnough ? plainMachineries : () => MACHINERIES;
  return basesOf(holder, machineries).map(({ machinery, contract, base }): Reading => {
    const outcome = replay(machinery, base, lists);
    const failed = (stage: Stage, failure: FailureKind, at?: number): Reading => ({
      machinery,
      contract,
      result: { kind: 'failed', stage, failure, ...(at === undefined ? {} : { index: at }) },
    });
    if (outcome.kind === 'failed') {
      const of = outcome.stage === 'configPatches' ? operations : texts;
      return failed(outcome.stage, outcome.failure, of[outcome.index ?? -1]?.index);
    }
    if (typeof outcome.loaded === 'string') return failed('reload', outcome.loaded);
    const effective = effectiveOf(outcome.loaded, BEHAVIOUR[machinery]);
    if (effective === 'panic') return failed('reload', 'panic');
    return {
      machinery,
      contract,
      result: {
        kind: 'read',
        effective,
        rest: restOf(outcome.loaded) + unowned,
        invalid: invalidSettings(outcome.loaded),
      },
    };
  });
}

/** What patches say beside owned settings. They aren't replayed: it is enough that they are still there, in their order. */
function unownedText({ steps, texts }: HolderPatches, reached: readonly PatchText[]): string {
  const operations = steps.flatMap((step) =>
    step.kind === 'operation' && step.list === 'configPatches' && !concernsOwned(step.path)
      ? [[step.op, step.pointer, step.value === undefined ? null : jsonOfNode(step.value, step.owner)]]
      : [],
  );
  return JSON.stringify([
    operations,
    texts.filter(({ text }) => !MAY_REACH.test(text)).map(({ text }) => text),
    reached.flatMap((roots) => (typeof roots === 'string' ? [roots] : restOfPatch(roots))),
  ]);
}

function jsonOfNode(node: Node, { document }: Owner): unknown {
  try {
    return jsonOfRaw(rawOfNode(node, document.root));
  } catch (cause) {
    if (cause instanceof ReplayFailure) return cause.kind;
    throw cause;
  }
}

/** Enough for patches in which no two generations differ: one for each base that is generated. */
function plainMachineries(contract: KnownContract): readonly Machinery[] {
  const minor = contract.kind === 'unset' || contract.major > 1 ? Number.POSITIVE_INFINITY : contract.minor;
  if (minor < 12) return ['1.9'];
  return minor < 13 ? ['1.9', '1.12'] : ['1.9', '1.12', '1.14'];
}

/** Only documents, deletes and odd texts are read differently. */
function isPlainWork(holder: Holder, { texts }: HolderPatches): boolean {
  return (
    holder.data === undefined && texts.every(({ text }) => !/\$patch|kind|---|^\s*(?:#|$|\[|- )/.test(text))
  );
}

function basesOf(
  holder: Holder,
  machineries: (contract: KnownContract) => readonly Machinery[],
): readonly { readonly machinery: Machinery; readonly contract: Reading['contract']; readonly base: Base }[] {
  if (holder.generateType === 'none') {
    const data = holder.data === undefined || holder.data.includes('${') ? undefined : patchText(holder.data);
    const documents = data === undefined ? undefined : prunedPatch(data);
    if (documents === undefined || typeof documents === 'string') return [];
    const base: Base = { origin: 'data', documents };
    return MACHINERIES.map((machinery) => ({ machinery, contract: 'data', base }));
  }
  const { contract } = holder;
  const contracts: readonly KnownContract[] =
    contract.kind === 'variable' ? [{ kind: 'version', major: 1, minor: 11 }, { kind: 'unset' }] : [contract];
  return contracts.flatMap((known) =>
    machineries(known).map((machinery) => ({
      machinery,
      contract: known,
      base: generatedBase(machinery, known),
    })),
  );
}

interface RelevantOperation {
  readonly index: number;
  readonly operation: Operation;
}

/** Or why a value can't be read. */
function relevantOperations({ steps }: HolderPatches): readonly RelevantOperation[] | FailureKind {
  try {
    return steps.flatMap((step) => {
      if (step.kind !== 'operation' || step.list !== 'configPatches' || !concernsOwned(step.path)) return [];
      const value = asKubernetesReads(rawOfNode(step.value, step.owner.document.root));
      return [{ index: step.index, operation: { op: step.op, path: step.pointer, value } }];
    });
  } catch (cause) {
    if (cause instanceof ReplayFailure) return cause.kind;
    throw cause;
  }
}

/** Values of `configPatches` reach Talos as the JSON that kubectl makes of them. */
function asKubernetesReads(raw: Raw): Raw {
  if (raw instanceof Plain) {
    const word = kubectlWord(raw.text);
    return typeof word === 'string' ? word : new Plain(String(word));
  }
  if (isRawList(raw)) return raw.map(asKubernetesReads);
  return isRawMap(raw) ? new Map([...raw].map(([key, value]) => [key, asKubernetesReads(value)])) : raw;
}
