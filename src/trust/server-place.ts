/**
 * Where an API server listens, as `host:port` in one spelling, so that two places can be compared: lower case, no dot at
 * the end, IPv6 as RFC 5952 writes it, the port always there.
 */

/** @returns `undefined` for what is no host, such as a variable that wasn't expanded */
export function serverPlace(host: string, port: number | string): string | undefined {
  if (!/^[^\s/@?#\\%]+$/.test(host)) return undefined;
  const bracketed = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return placeOfUrl(`https://${bracketed}:${port}`);
}

/** The same of an https URL, whose port is 443 when it has none. */
export function placeOfUrl(url: string): string | undefined {
  const parsed = URL.parse(url);
  const hostname = parsed?.hostname.replace(/\.$/, '') ?? '';
  if (parsed?.protocol !== 'https:' || !HOST.test(hostname)) return undefined;
  return `${hostname}:${parsed.port === '' ? '443' : parsed.port}`;
}

/** What URLs also take for a host (`$`, `{`, `*`) is none of a server. */
const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/;
