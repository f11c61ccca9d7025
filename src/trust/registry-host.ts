/**
 * The `host[:port]` of a registry, as containerd and Talos compare it: byte by byte.
 *
 * Invariant: a `RegistryHost` is a DNS name that an image reference can start with and that a host alias can name, in
 * one spelling: lower case, no trailing dot, no `:443`. Refused text is never quoted, since it may hold credentials;
 * a suggested spelling is one that this parser itself accepts.
 */
import { refuse } from '../diagnostic.ts';

export interface RegistryHost {
  /** The DNS name alone: what a host alias says. */
  readonly name: string;
  /** Absent when it is 443. */
  readonly port?: number;
  /** `name` or `name:port`: the key in `machine.registries.config`. */
  readonly key: string;
}

/** How a text found in a manifest relates to a host. */
export type SameHost = 'same' | 'same-other-spelling' | 'other';

/**
 * The host that `text` (`host` or `host:port`) names.
 * The accepted names are what the grammar of image references allows in its first part (distribution/reference:
 * letters, digits and inner hyphens, a dot or a port needed to tell a host from a path on Docker Hub), within the
 * lengths of RFC 1035.
 * @throws Refusal HOST_INVALID
 */
export function parseRegistryHost(text: string): RegistryHost {
  const outcome = read(text);
  if (typeof outcome !== 'string') return outcome;
  const suggestion = suggest(text);
  const hint = suggestion === undefined ? HINTS[outcome] : `${HINTS[outcome]} Here: ${suggestion}.`;
  refuse('HOST_INVALID', `${PROBLEMS[outcome]}.`, hint);
}

/** What a key of `machine.registries.config` means for the host. Never throws, whatever the key is. */
export function sameRegistry(key: string, host: RegistryHost): SameHost {
  if (key === host.key) return 'same';
  return canonicalKey(key) === host.key ? 'same-other-spelling' : 'other';
}

/** What an alias of a host entry means for the host. A port is no part of an alias: with one it never matches. */
export function sameHostName(alias: string, host: RegistryHost): SameHost {
  return aliasRelation(alias, host.name);
}

/** The same for a host that is known by its name alone. */
export function aliasRelation(alias: string, name: string): SameHost {
  if (alias === name) return 'same';
  return canonicalKey(alias).replace(/:\d+$/, '') === name ? 'same-other-spelling' : 'other';
}

/** Whether two keys name one registry for people, but not for Talos, which compares them byte by byte. */
export function isOtherSpelling(key: string, name: string): boolean {
  return key !== name && canonicalKey(key) === canonicalKey(name);
}

const PROBLEMS = {
  empty: 'The registry host is empty',
  variable: 'The registry host contains a variable that was not expanded',
  'white-space': 'The registry host contains white space',
  'user-info': 'The registry host contains user information',
  scheme: 'The registry host starts with a URL scheme',
  path: 'The registry host contains a path',
  wildcard: 'The registry host contains a wildcard',
  'non-ascii': 'The registry host contains characters outside ASCII',
  'ip-address': 'The registry host is an IP address',
  port: 'The port of the registry host is not a number from 1 to 65535',
  characters: 'The registry host contains characters that a host name can not have',
  underscore: 'The registry host contains an underscore',
  label: 'A part of the registry host is empty, or starts or ends with a hyphen',
  'label-length': 'A part of the registry host is longer than 63 characters',
  length: 'The registry host is longer than 253 characters',
  'numeric-end': 'The last part of the registry host is a number, so it reads as an IP address',
  localhost: 'The registry host is localhost, which is each node itself',
  'single-label': 'The registry host has neither a dot nor a port',
} as const;

type Problem = keyof typeof PROBLEMS;

const HINTS: Readonly<Record<Problem, string>> = {
  empty: 'Set spec.host to the host, or host:port, with which image references start.',
  variable: 'Expand variables before this step, or write the host out.',
  'white-space': 'Write the host without blanks and line breaks.',
  'user-info': 'Write the host alone. Credentials do not belong here; if these are real, rotate them.',
  scheme: 'Write host or host:port, as in an image reference: no https://.',
  path: 'Write host or host:port alone: trust is per host, not per repository.',
  wildcard: 'Write one exact host: Talos refuses TLS settings for "*", and an alias can not have a wildcard.',
  'non-ascii': 'Write the name as DNS has it, in punycode (xn--…).',
  'ip-address':
    'Write the DNS name in the certificate of the registry; the address is looked up, or set by REGISTRY_ADDRESS.',
  port: 'Write host:port with a decimal port, or leave the port out for 443.',
  characters: 'Use letters, digits, hyphens and dots only.',
  underscore: 'Host names have no underscore: image references and certificates refuse it. Rename the host.',
  label: 'Correct the host name: parts are separated by one dot and start and end with a letter or digit.',
  'label-length': 'DNS allows 63 characters between two dots: use a shorter name.',
  length: 'DNS allows 253 characters: use a shorter name.',
  'numeric-end': 'Write a DNS name; its last part has at least one letter.',
  localhost: 'Write the DNS name under which every node can reach the registry.',
  'single-label':
    'Without a dot or a port (other than 443), containerd takes the first part of an image reference for a path on Docker Hub. Write the full name, such as registry.example.internal, or host:port.',
};

/** Labels as in image references and RFC 1123. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const IPV4 = /^\d+(?:\.\d+){3}(?::|$)/;
/** At least two colons, or brackets; with a zone, port or prefix length as it may be. */
const IPV6 = /^\[.*\](?::\d*)?$|^[0-9a-f.]*:[0-9a-f.]*:[0-9a-f.:]*(?:%.*)?$/i;

function read(text: string): RegistryHost | Problem {
  const problem = wholeTextProblem(text);
  if (problem !== undefined) return problem;
  const [, nameText = '', portText] = /^([^:]*)(?::(.*))?$/.exec(text) ?? [];
  const port = portText === undefined ? 443 : readPort(portText);
  if (port === undefined) return 'port';
  const name = nameText.toLowerCase().replace(/\.$/, '');
  return (
    nameProblem(name, port) ?? (port === 443 ? { name, key: name } : { name, port, key: `${name}:${port}` })
  );
}

/** Problems that are seen before the text is taken apart, those first that would look like something else later. */
function wholeTextProblem(text: string): Problem | undefined {
  if (text.trim() === '') return 'empty';
  if (/\$[\w{(]/.test(text)) return 'variable';
  if (text.includes('@')) return 'user-info';
  if (/\s/.test(text)) return 'white-space';
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return 'scheme';
  if (/[/\\?#]/.test(text)) return 'path';
  if (text.includes('*')) return 'wildcard';
  if (/[^\x00-\x7f]/.test(text)) return 'non-ascii';
  return IPV4.test(text) || IPV6.test(text) ? 'ip-address' : undefined;
}

function nameProblem(name: string, port: number): Problem | undefined {
  const labels = name.split('.');
  if (name === '') return 'empty';
  if (name.includes('_')) return 'underscore';
  if (/[^a-z0-9.-]/.test(name)) return 'characters';
  if (name.length > 253) return 'length';
  if (labels.some((label) => label.length > 63)) return 'label-length';
  if (!labels.every((label) => LABEL.test(label))) return 'label';
  if (/^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '')) return 'numeric-end';
  if (name === 'localhost') return 'localhost';
  return labels.length === 1 && port === 443 ? 'single-label' : undefined;
}

function readPort(text: string): number | undefined {
  if (!/^[1-9][0-9]{0,4}$/.test(text)) return undefined;
  const port = Number(text);
  return port <= 65535 ? port : undefined;
}

/** The accepted spelling of a refused text, where there is one. None beside an `@`: it could be part of a password. */
function suggest(text: string): string | undefined {
  if (text.includes('@')) return undefined;
  const outcome = read(canonicalKey(text));
  return typeof outcome === 'string' ? undefined : outcome.key;
}

/** The key that was probably meant: without scheme, path, blanks, capitals, trailing dot, `:443`, leading zeros. */
function canonicalKey(text: string): string {
  const parts = /^(?:https?:\/\/)?([^/:?#]*)(?::0*(\d*))?(?:[/?#].*)?$/is.exec(text.trim());
  if (parts === null) return text;
  const [, name = '', port = ''] = parts;
  const canonical = toAscii(name).toLowerCase().replace(/\.$/, '');
  return port === '' || port === '443' ? canonical : `${canonical}:${port}`;
}

/** The name in punycode, where it needs that and can be written so. */
function toAscii(name: string): string {
  if (/^[\x00-\x7f]*$/.test(name)) return name;
  return URL.canParse(`https://${name}`) ? new URL(`https://${name}`).hostname : name;
}
