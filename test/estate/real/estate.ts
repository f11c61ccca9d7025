/**
 * The estate of a run with real servers, each in a process of its own: the CA cluster and the infra cluster, which share
 * no CA, key or token, and the registry, whose certificate the CA in the Secret signed. Only its DNS server is ours. It
 * has the same objects as the stand-in estate.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loudly } from '../../support/loudly.ts';
import { issue, makeCa } from '../certificates.ts';
import { startDnsServer } from '../dns-server.ts';
import { caObjects, type EstateOf, ingressService, REGISTRY_ADDRESS, REGISTRY_HOST } from '../estate.ts';
import type { StoredObject } from '../kubernetes-api.ts';
import { keyLines, type RealCluster, startKubeApiserver } from './kube-apiserver.ts';
import { type RealRegistry, type RegistryOptions, startRegistry } from './registry.ts';

/** Its kubeconfigs are those of the administrators. */
export type RealEstate = EstateOf<RealCluster, RealRegistry>;

export interface RealEstateOptions {
  /** Of the registry, in the status of its Service. */
  readonly address?: string;
  /** Of the registry; without it the registry is open. */
  readonly auth?: RegistryOptions['auth'];
  readonly unknownName?: RegistryOptions['unknownName'];
}

interface Stoppable {
  stop(): Promise<void>;
}

/** When one of its parts doesn't start, the others are stopped before the promise is rejected. */
export async function startRealEstate(options: RealEstateOptions = {}): Promise<RealEstate> {
  const { address = REGISTRY_ADDRESS, auth, unknownName = 'alert' } = options;
  const registryCa = await makeCa({ commonName: 'ok-shared internal CA' });
  const serving = await issue(registryCa, { dnsNames: [REGISTRY_HOST] });
  const [caCluster, infraCluster, dns, registry] = await allOrNone([
    startKubeApiserver({ host: '127.0.0.1', name: 'ca' }),
    startKubeApiserver({ host: '127.0.0.2', name: 'infra' }),
    startDnsServer(),
    startRegistry({
      host: REGISTRY_HOST,
      serving,
      unknownName,
      ...(auth === undefined ? {} : { auth }),
    }),
  ]);
  const stop = async (): Promise<void> => {
    await Promise.all([caCluster, infraCluster, dns, registry].map((part) => part.stop()));
  };
  try {
    await loudly(() =>
      Promise.all([
        caCluster.apply(manifestOf(caObjects(registryCa))),
        putService(infraCluster, [{ ip: address }]),
      ]),
    );
  } catch (cause) {
    await stop();
    throw cause;
  }
  return {
    caCluster,
    infraCluster,
    dns,
    registry,
    registryCa,
    canaries: [
      ...caCluster.canaries,
      ...infraCluster.canaries,
      ...keyLines(registryCa.privateKeyPem),
      ...keyLines(serving.privateKeyPem),
      ...(auth === undefined ? [] : [auth.password]),
    ],
    writeKubeconfigs: (folder) => ({
      ca: write(folder, 'ca.kubeconfig', caCluster.kubeconfig('admin')),
      infra: write(folder, 'infra.kubeconfig', infraCluster.kubeconfig('admin')),
    }),
    stop,
  };
}

/** The Service that carries the registry's address, with the given load-balancer ingress in its status. */
export async function putService(
  cluster: RealCluster,
  ingress: readonly Readonly<Record<string, string>>[],
): Promise<void> {
  const service = ingressService([]);
  await cluster.apply(manifestOf([service]));
  const patched = await cluster.kubectl(
    ...['patch', 'service', service.name, '-n', service.namespace],
    ...[
      '--subresource=status',
      '--type=merge',
      '-p',
      JSON.stringify({ status: { loadBalancer: { ingress } } }),
    ],
  );
  if (patched.code !== 0) throw new Error(patched.stderr);
}

/** With the namespaces that the objects are in; the status is the server's business. */
export function manifestOf(objects: readonly StoredObject[]): string {
  const namespaces = [...new Set(objects.map(({ namespace }) => namespace))].map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  }));
  const bodies = objects.map(({ body: { status: _, ...body } }) => body);
  return [...namespaces, ...bodies].map((body) => JSON.stringify(body)).join('\n---\n');
}

async function allOrNone<const T extends readonly Promise<Stoppable>[]>(
  starts: T,
): Promise<{ -readonly [I in keyof T]: Awaited<T[I]> }> {
  const settled = await Promise.allSettled(starts);
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed === undefined)
    return Promise.all(starts) as Promise<{ -readonly [I in keyof T]: Awaited<T[I]> }>;
  await Promise.all(settled.map((one) => (one.status === 'fulfilled' ? one.value.stop() : undefined)));
  throw failed.reason;
}

function write(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}
