/** From a config to the intent with its values, whatever the kind. */
import type { Diagnostic } from '../diagnostic.ts';
import { type Intent, mirrorIntentOf, offlineIntent, trustIntentOf } from '../manifest/intent.ts';
import type { Config } from '../spec/config.ts';
import { resolveMirrorAuth } from './mirror-auth.ts';
import { type ResolveOptions, resolveTrust } from './resolve-trust.ts';

export interface ResolvedConfig {
  readonly intent: Intent;
  /** Texts of the output that must not be shown, each with what may stand in its place. */
  readonly secrets: readonly { readonly text: string; readonly shown: string }[];
  readonly diagnostics: readonly Diagnostic[];
}

/** @throws Refusal with any code of this room and of `src/trust/` */
export async function resolveConfig(config: Config, options: ResolveOptions): Promise<ResolvedConfig> {
  switch (config.kind) {
    case 'RegistryTrust': {
      const { values, fingerprints, diagnostics } = await resolveTrust(config, options);
      const shown = `(CA ${fingerprints.join(', ')}, shown with --show)`;
      return {
        intent: trustIntentOf(config, values),
        secrets: [{ text: values.caBase64, shown }, ...pemLines(values.caBase64)],
        diagnostics,
      };
    }
    case 'RegistryMirror': {
      if (config.auth === undefined) return withoutSecrets(config);
      const { credentials, diagnostics } = await resolveMirrorAuth(config, config.auth, options);
      const texts = [...credentials.values()].flatMap((given) => Object.values(given) as string[]);
      return {
        intent: mirrorIntentOf(config, credentials),
        secrets: texts.map((text) => ({ text, shown: '(shown with --show)' })),
        diagnostics,
      };
    }
    case 'ClusterNetwork':
      return withoutSecrets(config);
  }
}

function withoutSecrets(config: Config): ResolvedConfig {
  return { intent: offlineIntent(config), secrets: [], diagnostics: [] };
}

/** In documents the CA stands as PEM, line by line or with escapes in one line. */
function pemLines(caBase64: string): ResolvedConfig['secrets'] {
  const lines = Buffer.from(caBase64, 'base64').toString().split('\n');
  return lines
    .filter((line) => line !== '' && !line.startsWith('-----'))
    .map((text) => ({ text, shown: '…' }));
}
