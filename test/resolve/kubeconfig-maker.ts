/** Makes kubeconfigs for the API server of a real place, in every form. */
import { chmodSync } from 'node:fs';
import type { ClientCertificate } from '../estate/real/cluster-keys.ts';
import { closedPort } from '../support/closed-port.ts';
import type { RealPlace } from './real-place.ts';
import { base64, kubeconfigOf } from './support.ts';

export interface KubeconfigMaker {
  readonly place: RealPlace;
  /** Of a user who may do everything. */
  readonly token: string;
  /** The cluster's part. */
  readonly good: object;
  /** Writes one of a single context and gives its path. Changed members of the cluster's part that are undefined are left out. */
  written(user: object, cluster?: object): string;
  /** Two clusters and users: `OK` is the API server; nothing answers at `OTHER`, whose user doesn't exist either. */
  several(current: string): Several;
  /** A user whose plug-in lies beside the kubeconfig; it prints what the expression gives as status. */
  plugIn(status: string, changes?: object): object;
}

interface Entry {
  readonly name: string;
}

export interface Several {
  readonly 'current-context': string;
  readonly contexts: readonly Entry[];
  readonly clusters: readonly Entry[];
  readonly users: readonly Entry[];
}

/** Named as by EKS. */
export const OK = 'arn:aws:eks:eu-west-1:1:cluster/ok';
export const OTHER = 'somewhere';

const V1 = 'client.authentication.k8s.io/v1';

export async function kubeconfigMaker(place: RealPlace): Promise<KubeconfigMaker> {
  const { cluster, write } = place;
  const token: string = JSON.parse(cluster.kubeconfig('admin-token')).users[0].user.token;
  const closed = await closedPort();
  const good = { server: cluster.url, 'certificate-authority-data': base64(cluster.servingCaPem) };
  return {
    place,
    token,
    good,
    written: (user, changes = {}) => write('own/config', kubeconfigOf({ ...good, ...changes }, user)),
    several: (current) => ({
      'current-context': current,
      contexts: [OTHER, OK].map((name) => ({ name, context: { cluster: name, user: name } })),
      clusters: [
        { name: OTHER, cluster: { server: `https://127.0.0.1:${closed}` } },
        { name: OK, cluster: good },
      ],
      users: [
        { name: OTHER, user: { token: 'other' } },
        { name: OK, user: { token } },
      ],
    }),
    plugIn: (status, changes = {}) => {
      const script = `#!${process.execPath}
const info = JSON.parse(process.env.KUBERNETES_EXEC_INFO);
const { apiVersion, kind } = info;
process.stdout.write(JSON.stringify({ apiVersion, kind, status: ${status} }));`;
      chmodSync(write('own/plug-in', script), 0o700);
      return { exec: { apiVersion: V1, command: './plug-in', interactiveMode: 'Never', ...changes } };
    },
  };
}

export function byData({ certificatePem, keyPem }: ClientCertificate): object {
  return { 'client-certificate-data': base64(certificatePem), 'client-key-data': base64(keyPem) };
}

/** Header and payload are what they seem, the signature is nobody's. */
export function foreignJwt(expires: Date): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  return [part({ alg: 'ES256' }), part({ exp: expires.getTime() / 1000 }), 'c2lnbmF0dXJl'].join('.');
}
