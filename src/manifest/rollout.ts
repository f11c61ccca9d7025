/**
 * What applying a manifest would do to objects that are there: replace machines, or be refused because a template is
 * immutable (facts: "From a committed manifest to a node's configuration"). Objects are compared as the providers read
 * them from the API server, so what the server adds, drops or defaults is no difference. Differences are told by
 * pointer, never by value.
 */
import { type Diagnostic, error, warning } from '../diagnostic.ts';
import { documentsOf, type Manifest } from './hydrate.ts';
import { groupOf, isSameObject, type KubernetesObject, objectsOf, versionOf } from './objects.ts';
import { type Schema, storedDifferences, TALOS_CONFIG } from './stored-differences.ts';
import { type Stored, storedAt, storedSpec } from './stored-value.ts';

/** An object with its spec, which is read only when there is something to compare it with. */
export interface Side {
  readonly object: KubernetesObject;
  spec(): Stored | undefined;
}

interface Rule {
  readonly group: string;
  /** JSON pointers of what differs and matters. */
  differences(live: Side, next: Side): readonly string[];
  judge(next: Side, pointers: string): Diagnostic;
}

const CONTROL_PLANE = 'controlplane.cluster.x-k8s.io';
const BOOTSTRAP = 'bootstrap.cluster.x-k8s.io';
const CLUSTER = 'cluster.x-k8s.io';

const CONFIG_REF = ['template', 'spec', 'bootstrap', 'configRef'];

const REFUSED = 'The API server will refuse this: the spec is immutable and';

const RULES: Readonly<Record<string, Rule>> = {
  TalosControlPlane: {
    group: CONTROL_PLANE,
    differences: controlPlaneDifferences,
    judge: controlPlaneRollout,
  },
  TalosControlPlaneTemplate: immutable({
    group: CONTROL_PLANE,
    path: ['template', 'spec', 'controlPlaneConfig'],
    schema: { members: { init: TALOS_CONFIG, controlplane: TALOS_CONFIG } },
    // No release of the provider has this kind yet; what its webhook will do isn't known.
    because: 'Templates of a ClusterClass are not changed in place, and this one',
    recipe:
      'let spec.controlPlane of its ClusterClasses name it; that replaces the control planes of their clusters',
  }),
  TalosConfigTemplate: immutable({
    group: BOOTSTRAP,
    path: ['template', 'spec'],
    schema: TALOS_CONFIG,
    because: REFUSED,
    recipe:
      'let spec.template.spec.bootstrap.configRef of its MachineDeployments (or the ClusterClass) name it; that replaces their machines',
  }),
  TalosConfig: immutable({
    group: BOOTSTRAP,
    path: [],
    schema: TALOS_CONFIG,
    because: REFUSED,
    recipe: 'let bootstrap.configRef of its Machine or MachinePool name it',
  }),
  MachineDeployment: {
    group: CLUSTER,
    differences: (live, next) => {
      const ref = storedAt(next.spec(), CONFIG_REF);
      const isOurs = textAt(ref, 'kind') === 'TalosConfigTemplate' && groupOfRef(ref) === BOOTSTRAP;
      return isOurs ? refDifferences(live, next, CONFIG_REF) : [];
    },
    judge: ({ object }, pointers) =>
      warning(
        'ROLLOUT_REQUIRED',
        `Applying this would replace the machines of this MachineDeployment: it differs from the live object at ${pointers}.`,
        'That is how workers get a new template; nothing to do when it is wanted.',
        object.at(),
      ),
  },
};

/**
 * Compares what would be applied with what is there (`kubectl get -o yaml`, or an earlier rendering). Objects that are
 * only on one side say nothing. Codes: ROLLOUT_REQUIRED, TEMPLATE_IMMUTABLE.
 * @throws Refusal YAML_INVALID, YAML_AMBIGUOUS
 */
export function rolloutDiagnostics(args: {
  readonly next: readonly Manifest[];
  readonly live: readonly Manifest[];
}): readonly Diagnostic[] {
  const live = sidesOf(args.live);
  return sidesOf(args.next).flatMap((next) => {
    for (const twin of twinsOf(next.object, live)) {
      const found = rolloutOf(twin, next);
      if (found !== undefined) return [found.diagnostic];
    }
    return [];
  });
}

export interface Rollout {
  /** JSON pointers. */
  readonly pointers: readonly string[];
  readonly diagnostic: Diagnostic;
}

/** What applying `next` over `live`, the same object, would do; nothing when it does nothing that a rule is for. */
export function rolloutOf(live: Side, next: Side): Rollout | undefined {
  const rule = ruleOf(next.object);
  const pointers = rule?.differences(live, next) ?? [];
  if (rule === undefined || pointers.length === 0) return undefined;
  return { pointers, diagnostic: rule.judge(next, shown(pointers)) };
}

/** How many of the objects that would be applied are there. */
export function comparedCount(args: {
  readonly next: readonly Manifest[];
  readonly live: readonly Manifest[];
}): number {
  const live = sidesOf(args.live);
  return sidesOf(args.next).filter(({ object }) => twinsOf(object, live).length > 0).length;
}

/**
 * Objects that some rule is for, in order: those with Talos patches, and MachineDeployments, which name them.
 * @throws Refusal YAML_INVALID, YAML_AMBIGUOUS
 */
export function sidesOf(manifests: readonly Manifest[]): readonly Side[] {
  return manifests.flatMap((manifest) =>
    documentsOf(manifest).flatMap((document) =>
      objectsOf(document.parse()).flatMap((object) =>
        ruleOf(object) === undefined ? [] : [{ object, spec: () => storedSpec(object) }],
      ),
    ),
  );
}

function ruleOf({ kind, apiVersion }: KubernetesObject): Rule | undefined {
  const rule = Object.hasOwn(RULES, kind) ? RULES[kind] : undefined;
  return rule?.group === groupOf(apiVersion) ? rule : undefined;
}

/**
 * The live objects that this one may be. The version of the API says nothing; a namespace that is missing on one side
 * may come from kubectl's context. Without a name (`generateName`) an object is always new.
 */
function twinsOf(object: KubernetesObject, live: readonly Side[]): readonly Side[] {
  const { namespace } = object.at();
  const alike = live.filter(({ object: other }) => isSameObject(object, other));
  const same = alike.filter(({ object: other }) => other.at().namespace === namespace);
  return same.length > 0 ? same : alike;
}

/**
 * What the control-plane provider compares each machine with: the version, name and kind of the infrastructure
 * template, and `controlplane`, deeply, with the machine's TalosConfig. `init` configures the first machine of a new
 * cluster and is compared with none. All three are required: where one is missing, the manifest is a partial one.
 *
 * The provider writes a machine's TalosConfig from Go types, which leave empty lists out, and then tells an empty list of
 * the control plane from none: one that is new would replace machines without end, one that goes replaces nothing.
 * (Up to 0.5.8 its webhook removes empty lists; which version runs isn't known here.)
 */
function controlPlaneDifferences(live: Side, next: Side): readonly string[] {
  const path = ['controlPlaneConfig', 'controlplane'];
  const compared = { live: storedAt(live.spec(), path), next: storedAt(next.spec(), path) };
  // The webhook adds the v.
  const version = (side: Side): string => textAt(side.spec(), 'version').replace(/^(?!v|$)/, 'v');
  return [
    ...(version(next) === '' || version(next) === version(live) ? [] : ['/spec/version']),
    ...refDifferences(live, next, ['infrastructureTemplate']),
    ...((compared.next ?? null) === null
      ? []
      : storedDifferences(compared, TALOS_CONFIG, 'when-new', `/spec/${path.join('/')}`)),
  ];
}

/** With OnDelete the provider replaces nothing by itself. */
function controlPlaneRollout(next: Side, pointers: string): Diagnostic {
  const at = next.object.at();
  return storedAt(next.spec(), ['rolloutStrategy', 'type']) === 'OnDelete'
    ? warning(
        'ROLLOUT_REQUIRED',
        `Control-plane machines would get this only when each is replaced (OnDelete): it differs from the live object at ${pointers}.`,
        'Bring the trust to running nodes with registry-trust apply, or delete their Machines one after the other.',
        at,
      )
    : error(
        'ROLLOUT_REQUIRED',
        `Applying this would replace all control-plane machines: it differs from the live object at ${pointers}.`,
        'Bring the trust to running nodes without a rollout (registry-trust apply), or apply this when a rollout is wanted.',
        at,
      );
}

/**
 * The webhook compares the Go types of both specs, so an empty list is another value than none; unless the API server
 * has converted one of them to another version, which leaves empty lists out.
 */
function immutable(args: {
  readonly group: string;
  /** Below `spec`. */
  readonly path: readonly string[];
  readonly schema: Schema;
  readonly because: string;
  readonly recipe: string;
}): Rule {
  const { group, path, schema, because, recipe } = args;
  return {
    group,
    differences: (live, next) =>
      storedDifferences(
        { live: storedAt(live.spec(), path), next: storedAt(next.spec(), path) },
        schema,
        versionOf(live.object.apiVersion) === versionOf(next.object.apiVersion) ? 'always' : 'never',
        ['/spec', ...path].join('/'),
      ),
    judge: ({ object }, pointers) =>
      error(
        'TEMPLATE_IMMUTABLE',
        `${because} differs from the live object at ${pointers}.`,
        `Give the object a new name (${object.name ?? 'name'}-2, or a hash of its content) and ${recipe}.`,
        object.at(),
      ),
  };
}

/**
 * A reference is its group, kind and name to the providers; webhooks and controllers set namespace and version, and newer
 * versions of Cluster API write `apiGroup`.
 */
function refDifferences(live: Side, next: Side, path: readonly string[]): readonly string[] {
  const [before, after] = [storedAt(live.spec(), path), storedAt(next.spec(), path)];
  if ((after ?? null) === null) return [];
  const pointer = `/spec/${path.join('/')}`;
  return [
    ...(groupOfRef(before) === groupOfRef(after) ? [] : [`${pointer}/apiVersion`]),
    ...['kind', 'name'].flatMap((key) =>
      textAt(before, key) === textAt(after, key) ? [] : [`${pointer}/${key}`],
    ),
  ];
}

function groupOfRef(ref: Stored | undefined): string {
  return textAt(ref, 'apiGroup') || groupOf(textAt(ref, 'apiVersion'));
}

/** Text of a member; what isn't text is refused by the API server. */
function textAt(value: Stored | undefined, key: string): string {
  const text = storedAt(value, [key]);
  return typeof text === 'string' ? text : '';
}

const SHOWN = 5;

function shown(pointers: readonly string[]): string {
  const more = pointers.length > SHOWN ? ` and ${pointers.length - SHOWN} more` : '';
  return pointers.slice(0, SHOWN).join(', ') + more;
}
