/** Intent: a registry's CA is trusted, and its host resolves to one address. */
import type { RegistryHost } from '../../trust/registry-host.ts';
import { sameHostName } from '../../trust/registry-host.ts';
import type { HostEntry } from '../replay/effective.ts';
import type { Wanted } from './wanted.ts';

/** What Talos is to hold for one registry: base64 of the CA's PEM, and the IP of its host. */
export interface TrustValues {
  readonly caBase64: string;
  readonly ip: string;
}

export function wantedTrust(host: RegistryHost, { caBase64, ip }: TrustValues): Wanted {
  const pem = Buffer.from(caBase64, 'base64').toString();
  return {
    settings: [
      {
        kind: 'named',
        leaf: 'registries',
        anchor: ['config', host.key],
        value: { tls: { ca: caBase64 } },
        document: { kind: 'RegistryTLSConfig', name: host.key, value: { ca: pem } },
      },
      { kind: 'alias', leaf: 'hostEntries', host: host.name, ip },
    ],
    expected: (before) => ({
      ...before,
      tls: new Map(before.tls).set(host.key, {
        ...before.tls.get(host.key),
        caBase64,
        verification: 'verify',
      }),
      hosts: [...withoutHost(before.hosts, host), { ip, aliases: [host.name] }],
    }),
  };
}

/** Entries without the host's aliases, in any spelling; those that had no other are gone. */
export function withoutHost(entries: readonly HostEntry[], host: RegistryHost): readonly HostEntry[] {
  return entries.flatMap(({ ip, aliases }) => {
    const others = aliases.filter((alias) => sameHostName(alias, host) === 'other');
    return others.length === 0 && aliases.length > 0 ? [] : [{ ip, aliases: others }];
  });
}
