/** Why a holder is refused after its patches were replayed: the patch that is to blame, and what to do about it. */
import { type Diagnostic, error, type Location } from '../diagnostic.ts';
import { LEAF_PATHS, OWNED_LEAVES, pointerTo, relatePaths } from '../machine-config/owned-path.ts';
import type { FailureKind } from '../machine-config/replay/failure.ts';
import type { DecidedHolder } from './decide.ts';
import type { ReadResult } from './holder-config.ts';
import { locateIn } from './holders.ts';
import type { Verdict } from './postcondition.ts';
import type { HolderPatches, OperationStep, Step } from './steps.ts';

type Failed = Extract<ReadResult, { readonly kind: 'failed' }>;

/** The error of a verdict that isn't `held`. Codes: PATCH_NESTED, PATCH_ORDER_DEPENDENT, PATCH_FAILS, PATCH_FORM_CONFLICT, MIRROR_CONFLICT, EFFECTIVE_MISMATCH. */
export function explain(
  { holder, patches, intent }: Pick<DecidedHolder, 'holder' | 'patches' | 'intent'>,
  verdict: Exclude<Verdict, { readonly kind: 'held' }>,
): Diagnostic {
  const whole = locateIn(holder.object, holder.node, holder.pointer);
  if (verdict.kind === 'unreadable') return unreadable(patches, verdict.failure, whole);
  if (verdict.kind === 'differs' && verdict.paths.join() === `machine.registries.mirrors[${intent.subject}]`)
    return mirrorConflict(patches, whole);
  if (verdict.kind === 'broken' && verdict.failure.failure === 'credentials') return otherCredentials(whole);
  const culprit = patches.steps.find(isOrderDependent) ?? deletingText(patches);
  if (culprit !== undefined) return orderDependent(culprit);
  if (verdict.kind === 'broken' && verdict.failure.failure === 'not-registered')
    return unknownDocuments(whole);
  const what = verdict.kind === 'broken' ? WORDS[verdict.failure.failure] : verdict.paths.join(', ');
  return error(
    'EFFECTIVE_MISMATCH',
    `A bug in registry-trust: what Talos would make of the hydrated patches is not what is wanted (${what}). Nothing was written.`,
    'Please report it with this line and the patches of this holder, without their values.',
    whole,
  );
}

/** Of a mirror all can be merged but what legacy fields say once for all its endpoints. */
function mirrorConflict({ steps }: HolderPatches, whole: Location): Diagnostic {
  const culprit = steps.find(isOrderDependent);
  if (culprit !== undefined) return orderDependent(culprit);
  return error(
    'MIRROR_CONFLICT',
    'The mirror is set here already, with another overridePath; it is one for all endpoints.',
    'Give all endpoints of the registry the same overridePath, or use documents (Talos ≥ 1.12).',
    whole,
  );
}

function unknownDocuments(whole: Location): Diagnostic {
  return error(
    'PATCH_FORM_CONFLICT',
    'Documents are asked for, but only versions of Talos that know none can read the other patches of this holder.',
    'Write JSON 6902 lists in strategicPatches as strategic patches, or set patchFormat: auto.',
    whole,
  );
}

/** A host has one way to log in, and which one is meant isn't ours to say. */
export function otherCredentials(whole: Location): Diagnostic {
  return error(
    'MIRROR_CONFLICT',
    'A patch has credentials for a host of this mirror by another way to log in (username and password, auth, identityToken) than the Secret; one would win.',
    'Remove the credentials from the patch, or authSecretRef from the config.',
    whole,
  );
}

/** Operations and deletes whose effect depends on what stands before them. */
function isOrderDependent(step: Step): step is OperationStep {
  if (step.kind !== 'operation') return false;
  const relations = OWNED_LEAVES.map((leaf) => relatePaths(step.path, LEAF_PATHS[leaf]));
  if (relations.every((relation) => relation === 'unrelated')) return false;
  return step.list !== 'configPatches' || relations.includes('inside') || !/^(?:add|replace)$/.test(step.op);
}

function deletingText({ texts }: HolderPatches): HolderPatches['texts'][number] | undefined {
  return texts.find(({ text }) => text.includes('$patch'));
}

function orderDependent(culprit: OperationStep | HolderPatches['texts'][number]): Diagnostic {
  const [what, hint] =
    'text' in culprit
      ? ['A $patch directive', 'Write the wanted result out, without $patch.']
      : describe(culprit);
  return error(
    'PATCH_ORDER_DEPENDENT',
    `${what} would undo or move what is written here; the result depends on the order of patches.`,
    hint,
    culprit.at(),
  );
}

function describe(step: OperationStep): readonly [string, string] {
  if (step.list !== 'configPatches')
    return [
      'A JSON 6902 list inside strategicPatches',
      'Write it as a strategic patch: a mapping under machine.',
    ];
  if (step.op === 'test') return ['A test', 'Remove it.'];
  if (step.op === 'remove') return ['A removal', 'Leave out what it removes, and the removal.'];
  const pointer = insideLeaf(step) ?? 'the parent';
  return [
    `A patch inside ${pointer}`,
    `Consolidate it at the parent path: one add of ${pointer} with everything in its value.`,
  ];
}

function unreadable(patches: HolderPatches, failure: Failed, whole: Location): Diagnostic {
  const step = patches.steps.find(({ list, index }) => list === failure.stage && index === failure.index);
  const nested =
    failure.failure === 'missing-path' && step?.kind === 'operation' ? insideLeaf(step) : undefined;
  if (nested !== undefined) {
    return error(
      'PATCH_NESTED',
      `This patch reaches inside ${nested}, which nothing sets before; Talos refuses it.`,
      `Consolidate it at the parent path: one add of ${nested} with everything in its value.`,
      step?.at() ?? whole,
    );
  }
  const text = patches.texts.find(
    ({ index }) => failure.stage === 'strategicPatches' && index === failure.index,
  );
  return error(
    'PATCH_FAILS',
    `Talos refuses this holder as it stands, before anything is written: ${WORDS[failure.failure]}${STAGES[failure.stage]}.`,
    'Correct it; the machine would not come up.',
    step?.at() ?? text?.at() ?? whole,
  );
}

function insideLeaf(step: OperationStep): string | undefined {
  const leaf = OWNED_LEAVES.find((one) => relatePaths(step.path, LEAF_PATHS[one]) === 'inside');
  return leaf === undefined ? undefined : pointerTo(leaf);
}

const STAGES: Readonly<Record<Failed['stage'], string>> = {
  data: ' (in data)',
  configPatches: ' (in configPatches)',
  strategicPatches: ' (in strategicPatches)',
  reload: ' (when the node loads it)',
  validate: ' (when the node validates it)',
};

const WORDS: Readonly<Record<FailureKind, string>> = {
  'multi-document': 'JSON 6902 patches on several documents',
  'missing-path': 'a patch whose parent is missing',
  'missing-key': 'a removal of what is not there',
  'invalid-index': 'a list index that does not exist',
  'test-failed': 'a test that fails',
  'unknown-operation': 'an operation that does not exist',
  'missing-from': 'a move or copy without from',
  yaml: 'text that is not valid YAML',
  'not-a-document': 'text that is not a mapping',
  'no-document': 'an empty patch',
  'duplicate-document': 'the same document twice in one text',
  'missing-kind': 'a document without kind',
  'missing-version': 'a document without apiVersion',
  'not-registered': 'a document of a kind that nodes do not know',
  'duplicate-key': 'a key twice',
  type: 'a value of the wrong type',
  base64: 'a CA that is not padded base64',
  url: 'an endpoint that is not a URL',
  'unknown-key': 'an unknown key',
  'lookup-failed': 'a $patch: delete of what is not there',
  'bad-selector': 'a $patch: delete where none can be',
  panic: 'a value that stops Talos',
  'null-entry': 'a registry or mirror without value',
  'no-name': 'a registry document without name',
  'not-a-certificate': 'a CA that is no certificate',
  credentials: 'more than one way to log in to a registry',
  'not-an-address': 'a host document whose name is no IP address',
  'no-hostname': 'a host document without hostnames',
};
