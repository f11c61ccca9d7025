/**
 * Mirrors of a registry: the registry's name as image references have it, and the URLs of its mirrors.
 *
 * Invariant: what comes out is read by Go's URL parser too, and its host is one that Talos compares byte by byte: a single
 * endpoint that isn't would take all registry configuration of a node with it. Refused text is never quoted, since it may
 * hold credentials.
 */
import ipaddr from 'ipaddr.js';
import { refuse } from '../diagnostic.ts';

export interface MirrorUrl {
  /** As it is written into the configuration. */
  readonly url: string;
  readonly scheme: 'http' | 'https';
  /** `host` or `host:port`: the key of TLS and credentials in `machine.registries.config`. */
  readonly hostKey: string;
}

/** A mirror as one endpoint of a registry: its path is the whole API path, or /v2 is added behind it. */
export interface MirrorEndpoint extends MirrorUrl {
  readonly path: 'append' | 'override';
}

/**
 * The registry that is mirrored: `ghcr.io`, `host:port`, an IP address with port, or `*` for all that have no mirror of
 * their own.
 * @throws Refusal MIRROR_INVALID
 */
export function parseMirroredRegistry(text: string): string {
  if (text === '*') return text;
  if (hasVariable(text)) {
    const hint = 'Expand variables before this step.';
    return refuse('MIRROR_INVALID', 'The mirrored registry contains a variable.', hint);
  }
  if (!isAuthority(text)) {
    const hint =
      'Write it as image references start: ghcr.io, registry.example.internal:5000. No https://, no path, lower case.';
    return refuse('MIRROR_INVALID', 'The mirrored registry is not a host, host:port or *.', hint);
  }
  // As the grammar of image references (distribution/reference) decides it.
  if (text === 'index.docker.io') {
    const message = 'References to index.docker.io become docker.io before a mirror is looked for.';
    return refuse('MIRROR_INVALID', message, 'Write docker.io.');
  }
  if (!/[.:]/.test(text) && text !== 'localhost') {
    const message =
      'The mirrored registry has neither a dot nor a port, so images of that name are on docker.io.';
    return refuse('MIRROR_INVALID', message, 'Write the full name, or host:port.');
  }
  return text;
}

/** @throws Refusal MIRROR_INVALID */
export function parseMirrorEndpoint(text: string): MirrorUrl {
  const problem = endpointProblem(text);
  if (problem !== undefined) {
    const hint = 'Write https://host[:port], with a path where images are below one.';
    return refuse('MIRROR_INVALID', `The endpoint of a mirror ${problem}.`, hint);
  }
  const [, scheme, hostKey = ''] = PARTS.exec(text) ?? [];
  return { url: text, scheme: scheme === 'http' ? 'http' : 'https', hostKey };
}

/** One text for all spellings of an endpoint: with and without its default port or a slash at the end. */
export function endpointIdentity(url: string): string {
  return (URL.canParse(url) ? new URL(url).href : url).replace(/\/$/, '');
}

const PARTS = /^(https?):\/\/([^/]*)(.*)$/s;

/** Segments of a path that Go and WHATWG read alike; `.` and `..` would be taken out. */
const PATH = /^(?:\/(?!\.{1,2}(?:\/|$))(?:[A-Za-z0-9._~!()*+,;=:-]|%[0-9A-Fa-f]{2})+)*\/?$/;

function endpointProblem(text: string): string | undefined {
  if (hasVariable(text)) return 'contains a variable that was not expanded';
  if (text.includes('@')) return 'contains credentials';
  const parts = PARTS.exec(text);
  if (parts === null) return 'does not start with https:// or http://';
  const [, , authority = '', path = ''] = parts;
  if (/[\s\\"'<>]/.test(text)) return 'is not a URL';
  if (/[?#]/.test(text)) return 'has a query or a fragment';
  if (!isAuthority(authority)) return 'has no host in lower case, or a port that is none';
  if (!PATH.test(path)) return 'has a path with empty parts, or with characters that are not allowed there';
  return URL.canParse(text) ? undefined : 'is not a URL';
}

function hasVariable(text: string): boolean {
  return /\$[\w{(]/.test(text);
}

/** A host with a port or without. */
function isAuthority(text: string): boolean {
  const [, host = '', port] = /^([^:[\]]+|\[[^[\]]+\])(?::(.*))?$/s.exec(text) ?? [];
  return isHost(host) && (port === undefined || (/^[1-9][0-9]{0,4}$/.test(port) && Number(port) <= 65535));
}

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const NUMERIC_END = /(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)$/;

/** A DNS name, or an IP address in its one full spelling. */
function isHost(host: string): boolean {
  if (host.startsWith('[')) return /^\[[0-9a-f:.]+\]$/.test(host) && ipaddr.IPv6.isValid(host.slice(1, -1));
  if (NUMERIC_END.test(host)) return ipaddr.IPv4.isValidFourPartDecimal(host);
  return host.length <= 253 && host.split('.').every((label) => LABEL.test(label));
}
