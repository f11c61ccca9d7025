/**
 * The proxy on the way to a cluster: `proxy-url` of the kubeconfig, else HTTPS_PROXY, which client-node leaves out and
 * kubectl heeds.
 *
 * Invariant: a proxy's URL may hold a password, so it is a Secret from here on; only host and port are shown.
 */
import { type Location, refuse } from '../diagnostic.ts';
import { Secret } from '../secret.ts';
import type { Surroundings } from './kubeconfig-source.ts';
import { isExempt } from './no-proxy.ts';

export interface ClusterProxy {
  /** Where client-node goes. */
  readonly uri: Secret;
  /** For messages: `host:port`, of a proxy that is reached over TLS `https://host:port`. */
  readonly place: string;
}

/** As curl does, and Go since 2025: the lower-case name wins. */
const VARIABLES = ['https_proxy', 'HTTPS_PROXY'] as const;
const EXEMPTIONS = ['no_proxy', 'NO_PROXY'] as const;

/**
 * Nothing when the server is reached directly.
 * @param server an https URL, as the kubeconfig has it
 * @param proxyUrl of the kubeconfig, which knows no exemptions
 * @throws Refusal PROXY_INVALID
 */
export function findProxy(args: {
  readonly server: string;
  readonly proxyUrl: unknown;
  readonly env: Surroundings['env'];
  readonly at: Location;
}): ClusterProxy | undefined {
  const { server, proxyUrl, env, at } = args;
  if (proxyUrl !== undefined && proxyUrl !== null && proxyUrl !== '')
    return parseProxy(String(proxyUrl), 'proxy-url in the kubeconfig', at);
  const variable = VARIABLES.find((name) => isSet(env[name]));
  if (variable === undefined) return undefined;
  const url = new URL(server);
  const target = { hostname: url.hostname, port: url.port === '' ? '443' : url.port };
  const noProxy = EXEMPTIONS.map((name) => env[name]).find(isSet) ?? '';
  if (url.protocol !== 'https:' || isExempt(target, noProxy)) return undefined;
  const text = env[variable] ?? '';
  // As Go reads it: without a scheme it is host:port of an HTTP proxy.
  return parseProxy(text.includes('://') ? text : `http://${text}`, variable);
}

function parseProxy(text: string, label: string, at?: Location): ClusterProxy {
  const url = URL.parse(text);
  if (
    url !== null &&
    (url.protocol === 'http:' || url.protocol === 'https:') &&
    url.hostname !== '' &&
    isDecodable(url)
  ) {
    const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
    const place = `${url.hostname}:${port}`;
    return { uri: new Secret(url.href), place: url.protocol === 'https:' ? `https://${place}` : place };
  }
  return refuse(
    'PROXY_INVALID',
    url?.protocol.startsWith('socks') === true
      ? `${label} names a SOCKS proxy.`
      : `${label} is no URL of an HTTP proxy.`,
    'Give http://host:port or https://host:port of a proxy that knows CONNECT; for SOCKS, forward a port (ssh -L) instead.',
    at,
  );
}

/** What isn't would be thrown, with the password, where the proxy is used. */
function isDecodable({ username, password }: URL): boolean {
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
}

function isSet(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}
