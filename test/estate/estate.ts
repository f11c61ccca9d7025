/**
 * The estate of a run, as stand-ins on loopback in one process: the CA cluster and the infra cluster (two API servers,
 * each with its own serving CA and token), a DNS server, and the registry, whose certificate the CA in the Secret signed.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { closedPort } from '../support/closed-port.ts';
import { type Certificate, issue, makeCa } from './certificates.ts';
import { type DnsServer, startDnsServer } from './dns-server.ts';
import { contextsFor, kubeconfigText } from './kubeconfig.ts';
import { type KubernetesApi, type StoredObject, startKubernetesApi } from './kubernetes-api.ts';
import { startTlsRegistry, type TlsRegistry } from './tls-registry.ts';

export const REGISTRY_HOST = 'registry.ok-shared.internal';
export const REGISTRY_ADDRESS = '10.20.0.15';

export interface EstateCluster {
  readonly api: KubernetesApi;
  readonly token: string;
  /** Its contexts: `good` (current), `wrong-ca`, `bad-token`, `powerless`, `refused`. */
  readonly kubeconfig: string;
}

/** What an estate has, of whatever its clusters and registry are made. */
export interface EstateOf<Cluster, Registry> {
  readonly caCluster: Cluster;
  readonly infraCluster: Cluster;
  readonly dns: DnsServer;
  readonly registry: Registry;
  readonly registryCa: Certificate;
  /** Texts that must never be seen in an output: tokens, lines of private keys, passwords. */
  readonly canaries: readonly string[];
  /** Writes both kubeconfigs into a folder and gives their paths. */
  writeKubeconfigs(folder: string): { readonly ca: string; readonly infra: string };
  stop(): Promise<void>;
}

export type Estate = EstateOf<EstateCluster, TlsRegistry>;

export interface EstateOptions {
  /** Of the registry, in its certificate and its answers. */
  readonly host?: string;
  /** Of the registry, in the status of its Service. */
  readonly address?: string;
}

export async function startEstate({
  host = REGISTRY_HOST,
  address = REGISTRY_ADDRESS,
}: EstateOptions = {}): Promise<Estate> {
  const registryCa = await makeCa({ commonName: 'ok-shared internal CA' });
  const [dns, registry, caCluster, infraCluster] = await Promise.all([
    startDnsServer(),
    issue(registryCa, { dnsNames: [host] }).then((serving) => startTlsRegistry(host, serving)),
    startCluster('127.0.0.1', 'ca', caObjects(registryCa)),
    startCluster('127.0.0.2', 'infra', [ingressService([{ ip: address, ipMode: 'VIP' }])]),
  ]);
  return {
    caCluster,
    infraCluster,
    dns,
    registry,
    registryCa,
    canaries: [
      caCluster.token,
      infraCluster.token,
      ...registryCa.privateKeyPem.split('\n').filter((line) => line.length === 64),
    ],
    writeKubeconfigs: (folder) => ({
      ca: write(folder, 'ca.kubeconfig', caCluster.kubeconfig),
      infra: write(folder, 'infra.kubeconfig', infraCluster.kubeconfig),
    }),
    stop: async () => {
      await Promise.all([dns.stop(), registry.stop(), caCluster.api.stop(), infraCluster.api.stop()]);
    },
  };
}

/** The Service that carries the registry's address, with the given load-balancer ingress. */
export function ingressService(ingress: readonly Readonly<Record<string, string>>[]): StoredObject {
  const [namespace, name] = ['ok-shared', 'ok-shared-ingress'];
  return {
    resource: 'services',
    namespace,
    name,
    body: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { namespace, name },
      spec: { type: 'LoadBalancer', clusterIP: '10.96.0.20', ports: [{ port: 443 }] },
      status: { loadBalancer: { ingress } },
    },
  };
}

/** The Secret that cert-manager would make, private key included, and a ConfigMap with the certificate alone. */
export function caObjects(ca: Certificate): readonly StoredObject[] {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const [namespace, name] = ['cert-manager', 'ok-shared-internal-ca'];
  return [
    {
      resource: 'secrets',
      namespace,
      name,
      body: {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { namespace, name },
        type: 'kubernetes.io/tls',
        data: {
          'ca.crt': base64(ca.certificatePem),
          'tls.crt': base64(ca.certificatePem),
          'tls.key': base64(ca.privateKeyPem),
        },
      },
    },
    {
      resource: 'configmaps',
      namespace,
      name: `${name}-bundle`,
      body: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { namespace, name: `${name}-bundle` },
        data: { 'ca.crt': ca.certificatePem },
      },
    },
  ];
}

async function startCluster(
  host: string,
  name: string,
  objects: readonly StoredObject[],
): Promise<EstateCluster> {
  const servingCa = await makeCa({ commonName: `${name} cluster CA` });
  const serving = await issue(servingCa, { commonName: 'kube-apiserver', ips: [host] });
  const token = `canary-token-of-${name}-${crypto.randomUUID()}`;
  const powerlessToken = `powerless-token-of-${name}-${crypto.randomUUID()}`;
  const api = await startKubernetesApi({ host, serving, objects, token, powerlessToken });
  const foreignCa = await makeCa({ commonName: 'foreign CA' });
  const kubeconfig = kubeconfigText(
    contextsFor({
      url: api.url,
      servingCa,
      foreignCa,
      token,
      powerlessToken,
      closedPort: await closedPort(),
    }),
  );
  return { api, token, kubeconfig };
}

function write(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}
