/** From a config to the intent with its values, whatever the kind. */
import type { Diagnostic } from '../diagnostic.ts';
import type { Credentials } from '../machine-config/intents/mirror.ts';
import { type Intent, mirrorIntentOf, offlineIntent, trustIntentOf } from '../manifest/intent.ts';
import type { Config } from '../spec/config.ts';
import type { RegistryTrust } from '../spec/registry-trust.ts';
import { resolveMirrorAuth } from './mirror-auth.ts';
import type { Resolved } from './resolve.ts';
import { type ResolveOptions, resolveTrust } from './resolve-trust.ts';

export interface ResolvedConfig {
  readonly intent: Intent;
  /** The same without secrets, to be shown. */
  readonly redacted: Redacted;
  /** What a RegistryTrust was resolved to. */
  readonly registry?: ResolvedRegistry;
  readonly diagnostics: readonly Diagnostic[];
}

export interface ResolvedRegistry extends Pick<Resolved, 'ca' | 'address' | 'provenance'> {
  readonly trust: RegistryTrust;
}

export interface Redacted {
  /** With stand-ins that are as valid as the secrets. */
  readonly intent: Intent;
  /** What may be said of CAs that stand-ins are in place of. */
  readonly cas: readonly { readonly standIn: string; readonly fingerprints: readonly string[] }[];
}

/** What stands for a secret: a word that needs no quotes in YAML. */
export const STAND_IN = 'shown-with--show';

/** Its base64 is a CA for whoever doesn't look into it. */
const CA_STAND_IN = Buffer.from(`${STAND_IN}\n`).toString('base64');

/** @throws Refusal with any code of this room and of `src/trust/` */
export async function resolveConfig(config: Config, options: ResolveOptions): Promise<ResolvedConfig> {
  switch (config.kind) {
    case 'RegistryTrust': {
      const { values, resolved, diagnostics } = await resolveTrust(config, options);
      const { ca, address, provenance } = resolved;
      const fingerprints = ca.certificates.map(({ fingerprint }) => fingerprint);
      return {
        intent: trustIntentOf(config, values),
        redacted: {
          intent: trustIntentOf(config, { ...values, caBase64: CA_STAND_IN }),
          cas: [{ standIn: CA_STAND_IN, fingerprints }],
        },
        registry: { trust: config, ca, address, provenance },
        diagnostics,
      };
    }
    case 'RegistryMirror': {
      if (config.auth === undefined) return withoutSecrets(config);
      const { credentials, diagnostics } = await resolveMirrorAuth(config, config.auth, options);
      const standIns = new Map([...credentials].map(([host, given]) => [host, withStandIns(given)] as const));
      return {
        intent: mirrorIntentOf(config, credentials),
        redacted: { intent: mirrorIntentOf(config, standIns), cas: [] },
        diagnostics,
      };
    }
    case 'ClusterNetwork':
      return withoutSecrets(config);
  }
}

function withoutSecrets(config: Config): ResolvedConfig {
  const intent = offlineIntent(config);
  return { intent, redacted: { intent, cas: [] }, diagnostics: [] };
}

function withStandIns(given: Credentials): Credentials {
  return Object.fromEntries(Object.keys(given).map((key) => [key, STAND_IN]));
}
