/** What is wanted of a manifest, in the holders that a config is for. */
import type { Form } from '../machine-config/form.ts';
import { type MirrorValues, wantedMirror } from '../machine-config/intents/mirror.ts';
import { type NetworkValues, wantedNetwork } from '../machine-config/intents/network.ts';
import { type TrustValues, wantedTrust } from '../machine-config/intents/trust.ts';
import type { Wanted } from '../machine-config/intents/wanted.ts';
import type { ProviderVersion } from '../machine-config/provider.ts';
import type { Config } from '../spec/config.ts';
import type { Placement } from '../spec/parse-spec.ts';
import type { RegistryMirror } from '../spec/registry-mirror.ts';
import type { RegistryTrust, Targets } from '../spec/registry-trust.ts';
import type { RegistryHost } from '../trust/registry-host.ts';
import type { PlaceholderName } from './placeholder.ts';

/** How and where an intent is written, whatever it is. */
export interface Placing {
  readonly patchFormat: 'auto' | Form;
  /** What becomes of `insecureSkipVerify: true` beside a wanted CA; default: refused. */
  readonly insecure?: 'refuse' | 'remove';
  /** The oldest bootstrap provider that the manifest must work with. */
  readonly minProvider?: ProviderVersion;
  /** Without it every holder is meant. */
  readonly targets?: Targets;
}

export interface Intent extends Placing {
  /** What it is about, in messages: a registry, or the cluster's subnets. */
  readonly subject: string;
  /** The committed stand-in; absent when there is nothing secret to stand in for. */
  readonly placeholder?: PlaceholderName;
  /** With the values, or with stand-ins for values that are unknown offline: then nothing of it is ever written. */
  readonly wanted: Wanted;
  readonly values: 'known' | 'unknown';
}

/** Values by which an offline plan finds out what hydrating would do; they never reach an output. */
const STAND_INS: TrustValues = { caBase64: 'c3RhbmQtaW4K', ip: '192.0.2.1' };

/** Trust in a registry. With `unknown` values it can be judged but not hydrated. */
export function trustIntent(
  host: RegistryHost,
  values: TrustValues | 'unknown',
  placing: Placing = { patchFormat: 'auto' },
): Intent {
  return {
    ...placing,
    subject: host.key,
    placeholder: { key: 'registryTrust', name: host.key },
    wanted: wantedTrust(host, values === 'unknown' ? STAND_INS : values),
    values: values === 'unknown' ? 'unknown' : 'known',
  };
}

/** Images of a registry through mirrors. With `unknown` credentials it can be judged but not hydrated. */
export function mirrorIntent(
  mirror: Omit<MirrorValues, 'credentials'>,
  credentials: MirrorValues['credentials'] | 'unknown',
  placing: Placing = { patchFormat: 'auto' },
): Intent {
  const standIns = new Map(mirror.endpoints.map(({ hostKey }) => [hostKey, { auth: 'c3RhbmQtaW4=' }]));
  const isSecret = credentials === 'unknown' || credentials.size > 0;
  return {
    ...placing,
    subject: mirror.registry,
    ...(isSecret ? { placeholder: { key: 'registryMirror', name: mirror.registry } } : {}),
    wanted: wantedMirror({ ...mirror, credentials: credentials === 'unknown' ? standIns : credentials }),
    values: credentials === 'unknown' ? 'unknown' : 'known',
  };
}

/** Hosts that an intent has credentials for. */
export function loginHosts({ wanted }: Intent): readonly string[] {
  return wanted.settings.flatMap((setting) =>
    setting.kind === 'named' && setting.document?.kind === 'RegistryAuthConfig'
      ? [setting.document.name]
      : [],
  );
}

/** The cluster's subnets. */
export function networkIntent(values: NetworkValues, placing: Placing = { patchFormat: 'auto' }): Intent {
  return {
    ...placing,
    subject: 'the subnets of the cluster',
    wanted: wantedNetwork(values),
    values: 'known',
  };
}

/** The intent of a config before anything is resolved: its secrets are unknown. */
export function offlineIntent(config: Config): Intent {
  switch (config.kind) {
    case 'RegistryTrust':
      return trustIntentOf(config, 'unknown');
    case 'RegistryMirror':
      return mirrorIntentOf(config, config.auth === undefined ? new Map() : 'unknown');
    case 'ClusterNetwork':
      return networkIntent(config, placingOf(config));
  }
}

export function trustIntentOf(trust: RegistryTrust, values: TrustValues | 'unknown'): Intent {
  return trustIntent(trust.host, values, { ...placingOf(trust), insecure: trust.insecure });
}

export function mirrorIntentOf(
  mirror: RegistryMirror,
  credentials: MirrorValues['credentials'] | 'unknown',
): Intent {
  return mirrorIntent(mirror, credentials, placingOf(mirror));
}

function placingOf({ patchFormat, minProvider, targets }: Placement): Placing {
  return {
    patchFormat,
    ...(minProvider === undefined ? {} : { minProvider }),
    ...(targets === undefined ? {} : { targets }),
  };
}
