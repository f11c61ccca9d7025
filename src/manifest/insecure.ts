/** `insecureSkipVerify: true` beside a wanted CA makes the CA void: found here, wherever a patch sets it. */
import { error, Refusal } from '../diagnostic.ts';
import { LEAF_PATHS } from '../machine-config/owned-path.ts';
import { isMap, memberOf, type Node, startOf, textOf } from '../yaml/document.ts';
import type { Value } from '../yaml/value.ts';
import type { Intent } from './intent.ts';
import { liveSteps, type Site, sitesOf } from './named-sites.ts';
import type { Step } from './steps.ts';

/** Any truthy spelling counts for Talos, a quoted one too (test/vectors, `emp-*-insecure-*`). */
const TRUE = /^(?:true|yes|on|y)$/i;

/** A place that switches verification off, and what it must hold instead. */
export interface InsecureSite extends Site {
  readonly node: Node;
}

export function insecureSites(intent: Intent, steps: readonly Step[]): readonly InsecureSite[] {
  return intent.wanted.settings.flatMap((setting) => {
    if (setting.kind !== 'named' || setting.document?.kind !== 'RegistryTLSConfig') return [];
    const path = [...LEAF_PATHS[setting.leaf], ...setting.anchor];
    const tls = {
      ...setting,
      value: { tls: { insecureSkipVerify: false } },
      document: { ...setting.document, value: { insecureSkipVerify: false } },
    };
    const live = liveSteps(steps, path);
    return sitesOf(tls, live).flatMap((site) => {
      const node = insecureNode(site.map, site.wanted);
      return node === undefined ? [] : [{ ...site, node }];
    });
  });
}

/** @throws Refusal PATCH_INSECURE */
export function refuseInsecure({ step, node }: InsecureSite): never {
  throw new Refusal(
    error(
      'PATCH_INSECURE',
      'insecureSkipVerify is set for this host; beside it a CA has no effect.',
      'Remove insecureSkipVerify: with the CA it is no longer needed. Or set insecureSkipVerify: Remove in the config.',
      step.owner.at(startOf(node)),
    ),
  );
}

function insecureNode(node: Node | undefined, wanted: Value): Node | undefined {
  if (typeof wanted !== 'object') return TRUE.test(textOf(node) ?? '') ? node : undefined;
  if (!isMap(node)) return undefined;
  return Object.entries(wanted)
    .map(([key, value]) => insecureNode(memberOf(node, key), value))
    .find((found) => found !== undefined);
}
