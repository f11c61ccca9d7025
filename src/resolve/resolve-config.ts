/** From a config to the intent with its values, whatever the kind. */
import type { Diagnostic } from '../diagnostic.ts';
import type { Credentials } from '../machine-config/intents/mirror.ts';
import { type Intent, mirrorIntentOf, offlineIntent, trustIntentOf } from '../manifest/intent.ts';
import type { Config } from '../spec/config.ts';
import { resolveMirrorAuth } from './mirror-auth.ts';
import { type ResolveOptions, resolveTrust } from './resolve-trust.ts';

export interface ResolvedConfig {
  readonly intent: Intent;
  /** The same without secrets, to be shown. */
  readonly redacted: Redacted;
  readonly diagnostics: readonly Diagnostic[];
}

export interface Redacted {
  /** With stand-ins that are as valid as the secrets. */
  readonly intent: Intent;
  /** What may be shown in place of stand-ins. */
  readonly shown: readonly { readonly standIn: string; readonly text: string }[];
}

/** A word that needs no quotes in YAML; its base64 is a CA for whoever doesn't look into it. */
const STAND_IN = 'shown-with--show';
const CA_STAND_IN = Buffer.from(`${STAND_IN}\n`).toString('base64');

/** @throws Refusal with any code of this room and of `src/trust/` */
export async function resolveConfig(config: Config, options: ResolveOptions): Promise<ResolvedConfig> {
  switch (config.kind) {
    case 'RegistryTrust': {
      const { values, fingerprints, diagnostics } = await resolveTrust(config, options);
      const text = `(CA ${fingerprints.join(', ')}, shown with --show)`;
      return {
        intent: trustIntentOf(config, values),
        redacted: {
          intent: trustIntentOf(config, { ...values, caBase64: CA_STAND_IN }),
          shown: [{ standIn: CA_STAND_IN, text }],
        },
        diagnostics,
      };
    }
    case 'RegistryMirror': {
      if (config.auth === undefined) return withoutSecrets(config);
      const { credentials, diagnostics } = await resolveMirrorAuth(config, config.auth, options);
      const standIns = new Map([...credentials].map(([host, given]) => [host, withStandIns(given)] as const));
      return {
        intent: mirrorIntentOf(config, credentials),
        redacted: { intent: mirrorIntentOf(config, standIns), shown: [] },
        diagnostics,
      };
    }
    case 'ClusterNetwork':
      return withoutSecrets(config);
  }
}

function withoutSecrets(config: Config): ResolvedConfig {
  const intent = offlineIntent(config);
  return { intent, redacted: { intent, shown: [] }, diagnostics: [] };
}

function withStandIns(given: Credentials): Credentials {
  return Object.fromEntries(Object.keys(given).map((key) => [key, STAND_IN]));
}
