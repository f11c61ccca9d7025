/** How the objects of a hydrated manifest differ from those in the infra cluster: by place, never by value. */
import type { Diagnostic, Location } from '../../diagnostic.ts';
import type { Manifest } from '../../manifest/hydrate.ts';
import { type LiveDifferences, liveDifferences } from '../../manifest/live-differences.ts';
import { refusalDiagnostics } from '../../manifest/plan-document.ts';
import { type Side, sidesOf } from '../../manifest/rollout.ts';
import { type Answer, type NamedObject, readLiveObjects } from '../../resolve/live-objects.ts';
import type { ResolveOptions } from '../../resolve/resolve-trust.ts';

export interface LiveView {
  readonly object: NamedObject;
  /** `absent`: applying creates it. `unknown`: it can't be read, and a diagnostic says why. */
  readonly state: 'same' | 'differs' | 'absent' | 'unknown';
  /** JSON pointers of what differs. */
  readonly pointers: readonly string[];
}

interface Compared {
  readonly view: LiveView;
  readonly diagnostics: readonly Diagnostic[];
}

/** An object of the hydrated manifest, and its place in the committed one. */
interface Wanted extends NamedObject {
  readonly side: Side;
  readonly at: Location;
}

/**
 * Codes: as of `readLiveObjects`, YAML_INVALID, YAML_AMBIGUOUS (hydrating reads no documents without Talos patches);
 * warnings ROLLOUT_REQUIRED, TEMPLATE_IMMUTABLE.
 * @param committed the same manifests as `hydrated`
 */
export async function reviewLive(args: {
  readonly committed: readonly Manifest[];
  readonly hydrated: readonly Manifest[];
  readonly options: ResolveOptions;
  readonly signal: AbortSignal;
}): Promise<{ readonly views: readonly LiveView[]; readonly diagnostics: readonly Diagnostic[] }> {
  const { committed, hydrated, options, signal } = args;
  let wanted: readonly Wanted[];
  try {
    const places = sidesOf(committed).map(({ object }) => object.at());
    wanted = sidesOf(hydrated).map((side, i) => wantedOf(side, places[i]));
  } catch (cause) {
    return { views: [], diagnostics: refusalDiagnostics(cause) };
  }
  const { answers, namespace, diagnostics } = await readLiveObjects(wanted, options, signal);
  const compared = answers.map(([one, answer]) => compare(one, answer, namespace));
  return {
    views: compared.map(({ view }) => view),
    diagnostics: distinct([...diagnostics, ...compared.flatMap(({ diagnostics: found }) => found)]),
  };
}

function wantedOf(side: Side, place: Location | undefined): Wanted {
  const { apiVersion, kind, name } = side.object;
  const at = place ?? side.object.at();
  const { namespace } = at;
  return {
    apiVersion,
    kind,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    side,
    at,
  };
}

function compare(wanted: Wanted, answer: Answer, ofContext: string | undefined): Compared {
  const { side, at, ...named } = wanted;
  const object = ofContext === undefined ? named : { ...named, namespace: named.namespace ?? ofContext };
  const found = answer.kind === 'found' ? differencesOf(side, answer.text) : answer;
  const [state, pointers, diagnostics] = stateOf(found);
  return {
    view: { object, state, pointers },
    diagnostics: diagnostics.map((one) => (one.at?.kind === at.kind ? { ...one, at } : one)),
  };
}

type Found = ({ readonly kind: 'compared' } & LiveDifferences) | Exclude<Answer, { readonly kind: 'found' }>;

function differencesOf(side: Side, live: string): Found {
  try {
    return { kind: 'compared', ...liveDifferences(side, live) };
  } catch (cause) {
    return { kind: 'failed', diagnostics: refusalDiagnostics(cause) };
  }
}

function stateOf(found: Found): readonly [LiveView['state'], LiveView['pointers'], readonly Diagnostic[]] {
  switch (found.kind) {
    case 'absent':
      return ['absent', [], []];
    case 'failed':
      return ['unknown', [], found.diagnostics];
    case 'compared':
      return [found.pointers.length === 0 ? 'same' : 'differs', found.pointers, found.diagnostics];
  }
}

/** What fails for the cluster as a whole is said once; of one object its message says so. */
function distinct(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const keys = diagnostics.map((one) => (one.code.startsWith('CLUSTER_') ? one.message : one));
  return diagnostics.filter((_, i) => keys.indexOf(keys[i] ?? '') === i);
}
