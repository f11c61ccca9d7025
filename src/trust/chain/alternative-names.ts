/** The subject alternative names of a certificate, and whether a host is among them, as Go decides (`VerifyHostname`). */
import ipaddr from 'ipaddr.js';
import { MalformedDer, readElements, readInside, SEQUENCE } from '../der.ts';

export interface AlternativeNames {
  /** The extension's value, to compare. */
  readonly raw: Uint8Array;
  readonly dns: readonly string[];
  /** Four or sixteen bytes each. */
  readonly ips: readonly Uint8Array[];
  readonly emails: readonly string[];
  readonly uris: readonly string[];
  /** None of a kind that Go reads. */
  readonly isEmpty: boolean;
}

const EMAIL = 0x81;
const DNS = 0x82;
const URI = 0x86;
const IP = 0x87;

/** @throws MalformedDer where Go refuses the certificate */
export function readAlternativeNames(value: Uint8Array): AlternativeNames {
  const names = readInside(readElements(value)[0], SEQUENCE);
  const texts = (wanted: number): readonly string[] =>
    names.filter(({ tag }) => tag === wanted).map(({ body }) => readAscii(body));
  const ips = names.filter(({ tag }) => tag === IP).map(({ body }) => body);
  if (ips.some(({ length }) => length !== 4 && length !== 16)) throw new MalformedDer();
  const [dns, emails, uris] = [texts(DNS), texts(EMAIL), texts(URI)];
  const isEmpty = dns.length + ips.length + emails.length + uris.length === 0;
  return { raw: value, dns, ips, emails, uris, isEmpty };
}

/** Text of an IA5String. @throws MalformedDer */
export function readAscii(body: Uint8Array): string {
  if (body.some((byte) => byte > 0x7f)) throw new MalformedDer();
  return Buffer.from(body).toString('latin1');
}

/** An IP address of four or sixteen bytes as text. */
export function ipText(ip: Uint8Array): string {
  const address = ipaddr.fromByteArray([...ip]);
  return address instanceof ipaddr.IPv6 ? address.toRFC5952String() : address.toString();
}

/** The bytes of `text` where it is an IP address, IPv4 in four. */
export function ipBytes(text: string): Uint8Array | undefined {
  const bare = text.replace(/^\[(.*)\]$/, '$1');
  if (bare.includes('%') || !(ipaddr.IPv4.isValidFourPartDecimal(bare) || ipaddr.IPv6.isValid(bare)))
    return undefined;
  return Uint8Array.from(ipaddr.process(bare).toByteArray());
}

/** Whether the names cover `host`, a DNS name or an IP address. An address is only looked for among the addresses. */
export function coverHost(names: AlternativeNames, host: string): boolean {
  const ip = ipBytes(host);
  if (ip !== undefined) return names.ips.some((candidate) => ipText(ip) === ipText(unmapped(candidate)));
  const wanted = lowerCase(host);
  return names.dns.some((name) =>
    isHostName(wanted, 'host') && isHostName(name, 'pattern')
      ? matchLabels(lowerCase(name), wanted.replace(/\.$/, ''))
      : lowerCase(name) === wanted && !['', '.'].includes(wanted),
  );
}

/** IPv4 mapped into IPv6 is IPv4 for Go. */
function unmapped(ip: Uint8Array): Uint8Array {
  return Uint8Array.from(ipaddr.process(ipText(ip)).toByteArray());
}

/** A wildcard stands for the whole first label, and for one label only. */
function matchLabels(pattern: string, host: string): boolean {
  const [patternLabels, hostLabels] = [pattern.split('.'), host.split('.')];
  return (
    patternLabels.length === hostLabels.length &&
    patternLabels.every((label, index) => (index === 0 && label === '*') || label === hostLabels[index])
  );
}

/** Go's `validHostname`: RFC 6125 with underscores. A pattern has no final dot. */
function isHostName(text: string, role: 'host' | 'pattern'): boolean {
  const name = role === 'host' ? text.replace(/\.$/, '') : text;
  if (name === '*') return false;
  return name
    .split('.')
    .every(
      (label, index) =>
        (role === 'pattern' && index === 0 && label === '*') || /^[a-z0-9_][a-z0-9_-]*$/i.test(label),
    );
}

function lowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
