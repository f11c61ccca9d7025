/** Where the probe connects to when that isn't the registry's address: a forwarded port, as curl's `--connect-to` has it. */
import { isIP } from 'node:net';
import { refuse } from '../../diagnostic.ts';

/** An IP address (IPv6 without brackets) and a port. */
export interface Endpoint {
  readonly ip: string;
  readonly port: number;
}

/**
 * The endpoint that `ip:port` is; an IPv6 address stands in brackets.
 * @throws Refusal USAGE
 */
export function parseConnectTo(text: string): Endpoint {
  const [, bracketed, plain, digits] = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(text) ?? [];
  const ip = bracketed ?? plain ?? '';
  const port = Number(digits);
  if (isIP(ip) === (bracketed === undefined ? 4 : 6) && port >= 1 && port <= 65535) return { ip, port };
  return refuse(
    'USAGE',
    '--connect-to takes an IP address and a port.',
    'Give ip:port or [ipv6]:port, such as 127.0.0.1:8443 for a forwarded port.',
  );
}

/** As it is written in messages: `192.0.2.1:443`, `[2001:db8::1]:443`. */
export function endpointText({ ip, port }: Endpoint): string {
  return isIP(ip) === 6 ? `[${ip}]:${port}` : `${ip}:${port}`;
}
