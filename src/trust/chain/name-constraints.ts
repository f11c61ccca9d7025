/** Which names a CA may sign for (RFC 5280, 4.2.1.10), as Go reads and applies it (`checkChainConstraints`). */
import { type Element, MalformedDer, readElements, readInside, SEQUENCE } from '../der.ts';
import { type AlternativeNames, ipBytes, readAscii } from './alternative-names.ts';

interface Subtrees {
  readonly dns: readonly string[];
  readonly uris: readonly string[];
  readonly emails: readonly string[];
  /** Address and mask, each of four or sixteen bytes. */
  readonly ips: readonly (readonly [Uint8Array, Uint8Array])[];
}

export interface NameConstraints {
  readonly permitted: Subtrees;
  readonly excluded: Subtrees;
  /** Constraints of kinds that Go doesn't have, such as directory names. */
  readonly hasOtherKinds: boolean;
}

const EMAIL = 0x81;
const DNS = 0x82;
const URI = 0x86;
const IP = 0x87;

/** @throws MalformedDer where Go refuses the certificate */
export function readNameConstraints(value: Uint8Array): NameConstraints {
  const [outer, ...more] = readElements(value);
  const fields = [...readInside(outer, SEQUENCE)];
  const permitted = fields[0]?.tag === 0xa0 ? readElements(fields.shift()?.body ?? new Uint8Array()) : [];
  const excluded = fields[0]?.tag === 0xa1 ? readElements(fields.shift()?.body ?? new Uint8Array()) : [];
  if (more.length > 0 || fields.length > 0 || permitted.length + excluded.length === 0)
    throw new MalformedDer();
  const bases = [...permitted, ...excluded].map(baseOf);
  return {
    permitted: readSubtrees(permitted.map(baseOf)),
    excluded: readSubtrees(excluded.map(baseOf)),
    hasOtherKinds: bases.some(({ tag }) => ![EMAIL, DNS, URI, IP].includes(tag)),
  };
}

/** Whether all of the names may be in a certificate below. */
export function permitNames(constraints: NameConstraints, names: AlternativeNames): boolean {
  const { permitted, excluded } = constraints;
  const hosts = names.uris.map(uriHost);
  const mailboxes = names.emails.map(readMailbox);
  return (
    names.ips.every((ip) => allows(permitted.ips, excluded.ips, (tree) => containsIp(tree, ip))) &&
    names.dns.every(
      (name) =>
        isDomain(name) &&
        (permitted.dns.length === 0 || permitted.dns.some((tree) => isBelow(name, tree))) &&
        !excluded.dns.some((tree) => isBelow(name, tree) || wildcardMeets(name, tree)),
    ) &&
    hosts.every(
      (host) => host !== undefined && allows(permitted.uris, excluded.uris, (tree) => isBelow(host, tree)),
    ) &&
    mailboxes.every(
      (mailbox) =>
        mailbox !== undefined &&
        allows(permitted.emails, excluded.emails, (tree) => containsMailbox(tree, mailbox)),
    )
  );
}

function allows<T>(permitted: readonly T[], excluded: readonly T[], meets: (tree: T) => boolean): boolean {
  return (permitted.length === 0 || permitted.some(meets)) && !excluded.some(meets);
}

function baseOf(subtree: Element): Element {
  const [base] = readInside(subtree, SEQUENCE);
  if (base === undefined) throw new MalformedDer();
  return base;
}

function readSubtrees(bases: readonly Element[]): Subtrees {
  const texts = (wanted: number): readonly string[] =>
    bases.filter(({ tag }) => tag === wanted).map(({ body }) => readAscii(body));
  const [dns, uris, emails] = [texts(DNS), texts(URI), texts(EMAIL)];
  if (![...dns, ...uris].every(isSubtree) || uris.some((uri) => ipBytes(uri) !== undefined))
    throw new MalformedDer();
  if (!emails.every((email) => (email.includes('@') ? readMailbox(email) !== undefined : isSubtree(email))))
    throw new MalformedDer();
  return {
    dns,
    uris,
    emails,
    ips: bases.filter(({ tag }) => tag === IP).map(({ body }) => readNetwork(body)),
  };
}

function readNetwork(body: Uint8Array): readonly [Uint8Array, Uint8Array] {
  const half = body.length / 2;
  const mask = body.subarray(half);
  const bits = [...mask].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  if ((half !== 4 && half !== 16) || !/^1*0*$/.test(bits)) throw new MalformedDer();
  return [body.subarray(0, half), mask];
}

function containsIp([network, mask]: readonly [Uint8Array, Uint8Array], ip: Uint8Array): boolean {
  return (
    ip.length === network.length &&
    ip.every((byte, index) => (byte & (mask[index] ?? 0)) === ((network[index] ?? 0) & (mask[index] ?? 0)))
  );
}

/** `tree` is the end of `name`, by whole labels. With a leading dot there must be a label before it. */
function isBelow(name: string, tree: string): boolean {
  const [low, end] = [name.toLowerCase(), tree.toLowerCase()];
  return end === '' || low === end || low.endsWith(end.startsWith('.') ? end : `.${end}`);
}

/** `*.a.b` could be `x.a.b`, which is excluded. */
function wildcardMeets(name: string, tree: string): boolean {
  return name.startsWith('*') && tree.includes('.') && afterLabel(name) === afterLabel(tree);
}

function afterLabel(name: string): string {
  return name.toLowerCase().slice(name.indexOf('.'));
}

/** Go's `domainNameValid`: loose, for names that are in use are loose. */
function isDomain(text: string): boolean {
  return text === '' || text.split('.').every((label) => /^[\x21-\x7e]+$/.test(label));
}

function isSubtree(text: string): boolean {
  return text === '' || isDomain(text.replace(/^\.(?=.)/, ''));
}

/** The host of a URI; undefined where constraints can't be applied to it. */
function uriHost(uri: string): string | undefined {
  const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(uri)?.[1] ?? '';
  const host = authority.replace(/^.*@/, '').replace(/:\d*$/, '');
  return host === '' || host.startsWith('[') || ipBytes(host) !== undefined || !isDomain(host)
    ? undefined
    : host;
}

interface Mailbox {
  readonly local: string;
  readonly domain: string;
}

function readMailbox(text: string): Mailbox | undefined {
  const [, local, domain] = /^([\w.!#$%&'*+/=?^`{|}~-]+)@(.*)$/.exec(text) ?? [];
  if (local === undefined || domain === undefined) return undefined;
  return /^\.|\.$|\.\./.test(local) || !isDomain(domain)
    ? undefined
    : { local, domain: domain.toLowerCase() };
}

function containsMailbox(tree: string, { local, domain }: Mailbox): boolean {
  const whole = tree.includes('@') ? readMailbox(tree) : undefined;
  return whole === undefined ? isBelow(domain, tree) : whole.local === local && whole.domain === domain;
}
