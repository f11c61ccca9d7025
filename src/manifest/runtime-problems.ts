/**
 * What Talos accepts and then refuses when it configures the runtime, taking all registry settings with it (facts: "The
 * forms of registry trust"): TLS for a host that a mirror reaches without TLS, and TLS for every host at once.
 */
import { type Diagnostic, error, type Location, warning } from '../diagnostic.ts';
import type { Effective } from '../machine-config/replay/effective.ts';
import type { RawMap } from '../machine-config/replay/raw.ts';
import { hasOneWay } from '../machine-config/replay/validate.ts';
import { otherCredentials } from './explain.ts';
import type { Reading } from './holder-config.ts';
import { type Holder, locateIn } from './holders.ts';
import { type Intent, loginHosts } from './intent.ts';

/** Codes: MIRROR_CONFLICT, MIRROR_WITHOUT_TLS, REGISTRY_WILDCARD, NETWORK_TOO_NEW. */
export function runtimeProblems(
  holder: Holder,
  intent: Intent,
  before: readonly Reading[],
): readonly Diagnostic[] {
  const readings = before.flatMap(({ result }) => (result.kind === 'read' ? [result.effective] : []));
  const [effective] = readings;
  if (effective === undefined) return [];
  const after = intent.wanted.expected(effective);
  const at = (): Location => locateIn(holder.object, holder.node, holder.pointer);
  const plain = plainHosts(after).find((host) => after.tls.has(host));
  return [
    ...networkProblems(holder, intent, at),
    ...(intent.values === 'known' && loginHosts(intent).some((host) => isCrowded(after.auth.get(host)))
      ? [otherCredentials(at())]
      : []),
    ...(plain === undefined
      ? []
      : [
          error(
            'MIRROR_WITHOUT_TLS',
            `A mirror reaches ${plain} over http://, and TLS is configured for it: Talos refuses both at run time.`,
            'Write the endpoint with https://, or leave the CA of that host out.',
            at(),
          ),
        ]),
    ...(after.tls.has('*')
      ? [
          error(
            'REGISTRY_WILDCARD',
            'TLS is configured for the registry "*": Talos refuses that at run time, and all other registry settings with it.',
            'Name each registry.',
            at(),
          ),
        ]
      : []),
  ];
}

function isCrowded(auth: RawMap | undefined): boolean {
  return auth !== undefined && !hasOneWay(auth);
}

/** From contract 1.14 on subnets are in a document of their own, beside which the legacy fields are refused (`net-leg-*`). */
function networkProblems(
  { contract, generateType, data }: Holder,
  intent: Intent,
  at: () => Location,
): readonly Diagnostic[] {
  const isNetwork = intent.wanted.settings.some(
    ({ leaf }) => leaf === 'podSubnets' || leaf === 'serviceSubnets',
  );
  const isOld = contract.kind === 'version' && contract.major === 1 && contract.minor < 14;
  if (!isNetwork || isOld) return [];
  // The author's own configuration has that document only where it says so.
  if (generateType === 'none' && data?.includes('KubeNetworkConfig') !== true) return [];
  const message =
    'From contract 1.14 on Talos refuses these subnets: it has a document of its own for them, KubeNetworkConfig.';
  const hint = 'Set talosVersion below 1.14, or set the subnets in spec.clusterNetwork of the Cluster.';
  return contract.kind === 'version'
    ? [error('NETWORK_TOO_NEW', message, hint, at())]
    : [warning('NETWORK_TOO_NEW', message, hint, at())];
}

/** Hosts, with port where one is given, that some endpoint names with http. */
function plainHosts({ mirrors }: Effective): readonly string[] {
  return [...mirrors.values()].flatMap(({ endpoints }) =>
    endpoints.flatMap(({ url }) => /^http:\/\/(?:[^/?#]*@)?([^/?#@]+)/i.exec(url)?.[1] ?? []),
  );
}
