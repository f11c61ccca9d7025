/**
 * The values of intents in objects that are there, so that a manifest can be compared with them without credentials: as
 * if the CA, the address and the credentials had stayed what they are.
 */
import { Refusal } from '../diagnostic.ts';
import type { Credentials } from '../machine-config/intents/mirror.ts';
import type { Effective } from '../machine-config/replay/effective.ts';
import { jsonOfRaw } from '../machine-config/replay/raw.ts';
import type { Config } from '../spec/config.ts';
import { readingsOf } from './holder-config.ts';
import { holdersOf } from './holders.ts';
import { documentsOf, type Manifest } from './hydrate.ts';
import { type Intent, mirrorIntentOf, offlineIntent, trustIntentOf } from './intent.ts';
import { isSameObject, type KubernetesObject, objectsOf } from './objects.ts';
import { readPatches } from './steps.ts';

/**
 * The intent with values from `live`, first of all from the objects that `next` would change: a management cluster may
 * hold others with values of their own. With unknown values where no live object has them.
 */
export function intentFromLive(config: Config, live: readonly Manifest[], next: readonly Manifest[]): Intent {
  const wanted = objectsIn(next);
  const isOwn = (object: KubernetesObject): boolean => wanted.some((one) => isSameObject(one, object));
  const objects = objectsIn(live);
  const own = objects.filter(isOwn);
  const effectives = effectivesOf([...own, ...objects.filter((object) => !own.includes(object))]);
  switch (config.kind) {
    case 'RegistryTrust': {
      const { host } = config;
      const caBase64 = first(effectives, ({ tls }) => tls.get(host.key)?.caBase64);
      const ip = first(
        effectives,
        ({ hosts }) => hosts.find(({ aliases }) => aliases.includes(host.name))?.ip,
      );
      return caBase64 === undefined || ip === undefined
        ? offlineIntent(config)
        : trustIntentOf(config, { caBase64, ip });
    }
    case 'RegistryMirror': {
      if (config.auth === undefined) return offlineIntent(config);
      const found = config.endpoints.flatMap(({ hostKey }) => {
        const auth = first(effectives, (one) => one.auth.get(hostKey));
        return auth === undefined ? [] : [[hostKey, jsonOfRaw(auth) as Credentials] as const];
      });
      return found.length === 0 ? offlineIntent(config) : mirrorIntentOf(config, new Map(found));
    }
    case 'ClusterNetwork':
      return offlineIntent(config);
  }
}

/** What each live holder has, on the first machinery that can read it. Holders that can't be read say nothing. */
function effectivesOf(objects: readonly KubernetesObject[]): readonly Effective[] {
  return objects.flatMap((object) => {
    try {
      return holdersOf(object).flatMap((holder) => {
        const read = readingsOf(holder, readPatches(holder)).find(({ result }) => result.kind === 'read');
        return read?.result.kind === 'read' ? [read.result.effective] : [];
      });
    } catch (cause) {
      if (cause instanceof Refusal) return [];
      throw cause;
    }
  });
}

function objectsIn(manifests: readonly Manifest[]): readonly KubernetesObject[] {
  return manifests.flatMap((manifest) =>
    documentsOf(manifest).flatMap((document) => objectsOf(document.parse())),
  );
}

function first<T>(
  effectives: readonly Effective[],
  find: (effective: Effective) => T | undefined,
): T | undefined {
  for (const effective of effectives) {
    const found = find(effective);
    if (found !== undefined) return found;
  }
  return undefined;
}
