/**
 * What went wrong between here and a proxy. Behind it, the failures are those of the cluster itself.
 */
import { type Failure, failureCode, isUntrusted, shownCode } from './network-failure.ts';

/** Nothing for what is no failure of the proxy. @param proxy as in `ClusterProxy.place` */
export function proxyFailure(cause: unknown, proxy: string): Failure | undefined {
  const status = proxyStatus(cause);
  if (status === 407) {
    return failure(
      `was not reached: the proxy ${proxy} demands other credentials (407)`,
      'Put them in the proxy’s URL (http://user:password@host:port; special characters percent-encoded).',
    );
  }
  if (status !== undefined) {
    return failure(
      `was not reached: the proxy ${proxy} does not connect to it (${status})`,
      'Ask whoever runs the proxy to allow CONNECT to this host and port, or exempt the server with NO_PROXY.',
    );
  }
  const code = failureCode(cause) ?? '';
  // undici doesn't tell whose it is.
  if (proxy.startsWith('https:') && isUntrusted(code)) {
    return failure(
      `was not reached: its certificate, or that of the proxy ${proxy} on the way, is not trusted (${shownCode(code)})`,
      'Put the CA of the proxy in a file that NODE_EXTRA_CA_CERTS names; that of the cluster is certificate-authority-data in the kubeconfig.',
    );
  }
  if (!BEFORE_THE_TUNNEL.test(code)) return undefined;
  return failure(
    `was not reached: its proxy ${proxy} can't be reached, or broke off (${shownCode(code)})`,
    'Check HTTPS_PROXY, or proxy-url in the kubeconfig; NO_PROXY exempts a server that is near.',
  );
}

/** The answer of a proxy to CONNECT; undici gives it in its text only. */
export function proxyStatus(cause: unknown): number | undefined {
  if (failureCode(cause) !== 'UND_ERR_ABORTED') return undefined;
  for (let inner = cause; inner instanceof Error; inner = inner.cause) {
    const [, status] = /^Proxy response \((\d{3})\)/.exec(inner.message) ?? [];
    if (status !== undefined) return Number(status);
  }
  return undefined;
}

/** The only host that is connected to is the proxy. */
const BEFORE_THE_TUNNEL =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT|UND_ERR_PRX_(?:CONN|TLS))$/;

function failure(problem: string, hint: string): Failure {
  return { code: 'CLUSTER_PROXY', problem, hint };
}
