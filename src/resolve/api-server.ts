/** The API server that a kubeconfig leads to, so that two can be compared without asking a server. */
import { placeOfUrl } from '../trust/server-place.ts';
import type { Access } from './kubeconfig.ts';

export interface ApiServer {
  /** `host:port` in the spelling of `serverPlace`. */
  readonly place: string;
  /** Gateways have many servers at one place: by path, or by name (SNI). And a place means another one behind a proxy. */
  readonly path: string;
  readonly tlsServerName: string;
  readonly proxy: string;
}

/** @returns `undefined` when its URL has no place that could be compared */
export function apiServerOf({ cluster, proxy }: Pick<Access, 'cluster' | 'proxy'>): ApiServer | undefined {
  const place = placeOfUrl(cluster.server);
  if (place === undefined) return undefined;
  return {
    place,
    path: new URL(cluster.server).pathname.replace(/\/+$/, ''),
    tlsServerName: cluster.tlsServerName ?? '',
    proxy: proxy?.place ?? '',
  };
}

export function isSameServer(one: ApiServer, other: ApiServer): boolean {
  return (['place', 'path', 'tlsServerName', 'proxy'] as const).every((part) => one[part] === other[part]);
}
