/** A registry as it was resolved: the address and where it comes from, the CA and how long it is good, the probe. */
import type { ResolvedRegistry } from '../../resolve/resolve-config.ts';
import type { ProbeView } from './probe-view.ts';

export interface RegistryView {
  readonly registry: string;
  readonly address: string;
  readonly provenance: ResolvedRegistry['provenance'];
  /** The Service, where it is the source: `NAMESPACE/NAME`. */
  readonly service?: string;
  readonly ca: {
    /** As in `Secret cert-manager/ca, key ca.crt`. */
    readonly source: string;
    readonly certificates: readonly CertificateView[];
  };
  readonly probe: ProbeView;
}

export interface CertificateView {
  readonly subject: string;
  /** SHA-256. */
  readonly fingerprint: string;
  /** ISO 8601. */
  readonly notBefore: string;
  readonly notAfter: string;
  /** Whole days until it expires. */
  readonly daysLeft: number;
}

const DAY_MS = 86_400_000;

export function registryView(
  { trust, ca, address, provenance }: ResolvedRegistry,
  probe: ProbeView,
  now: Date = new Date(),
): RegistryView {
  const { kind, namespace, name, key } = trust.ca;
  const service = trust.service === undefined ? '' : `${trust.service.namespace}/${trust.service.name}`;
  return {
    registry: trust.host.key,
    address: address.ip,
    provenance,
    ...(provenance === 'service' ? { service } : {}),
    ca: {
      source: `${kind} ${namespace}/${name}, key ${key}`,
      certificates: ca.certificates.map(({ subject, fingerprint, notBefore, notAfter }) => ({
        subject,
        fingerprint,
        notBefore: notBefore.toISOString(),
        notAfter: notAfter.toISOString(),
        daysLeft: Math.floor((notAfter.getTime() - now.getTime()) / DAY_MS),
      })),
    },
    probe,
  };
}
