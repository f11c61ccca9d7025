/**
 * What went wrong, as data: a stable code to search for, one sentence, and the next step.
 *
 * Invariant: no field ever holds a value from a Secret, a patch or a server's answer. Identities (object names,
 * hosts, JSON pointers, file positions, key names that look like key names) are fine; excerpts of sources are not.
 */

/** Every code, in the order of `docs/diagnostics.md`. A test holds the page and this list together. */
export const CODES = [
  // usage and configuration
  'USAGE',
  'FILE_UNREADABLE',
  'CONFIG_INVALID',
  'CONFIG_MISSING_KEY',
  'CONFIG_UNKNOWN_KEY',
  'CONFIG_UNKNOWN_KIND',
  'CONFIG_NOT_FOUND',
  'CONFIG_NOT_ENABLED',
  // trust values
  'HOST_INVALID',
  'CA_EMPTY',
  'CA_INVALID',
  'CA_PRIVATE_KEY',
  'CA_TEXT_IGNORED',
  'CA_NOT_A_CA',
  'CA_EXPIRED',
  'CA_EXPIRES_SOON',
  'CA_NOT_YET_VALID',
  'CA_DUPLICATE',
  'CA_BUNDLE',
  'CA_LINE_ENDS',
  'CA_NO_FINAL_NEWLINE',
  'ADDRESS_INVALID',
  'ADDRESS_NOT_ROUTABLE',
  'ADDRESS_FAMILY',
  'MIRROR_INVALID',
  'SUBNET_INVALID',
  // clusters, DNS
  'KUBECONFIG_NOT_SET',
  'KUBECONFIG_NOT_FOUND',
  'KUBECONFIG_INVALID',
  'KUBECONFIG_CONTEXT',
  'KUBECONFIG_INSECURE',
  'PROXY_INVALID',
  'CLUSTER_REFUSED',
  'CLUSTER_UNREACHABLE',
  'CLUSTER_PROXY',
  'CLUSTER_TLS',
  'CLUSTER_TIMEOUT',
  'CLUSTER_UNAUTHORIZED',
  'CLUSTER_FORBIDDEN',
  'CLUSTER_ERROR',
  'SOURCE_NOT_FOUND',
  'CRD_MISSING',
  'SOURCE_KEY_MISSING',
  'SOURCE_BAD_BASE64',
  'SELF_REFERENCE',
  'MIRROR_AUTH_NEW_CLUSTER',
  'DNS_FAILED',
  'ADDRESS_NOT_FOUND',
  'ADDRESS_AMBIGUOUS',
  'ADDRESS_IS_HOSTNAME',
  // manifests
  'YAML_INVALID',
  'YAML_AMBIGUOUS',
  'YAML_ALIAS',
  'RESOURCE_LIST_INVALID',
  'HOLDER_NOT_FOUND',
  'HOLDER_MISSPELLED',
  'HOLDER_INVALID',
  'CONTRACT_INVALID',
  'PLACEHOLDER_INVALID',
  'PLACEHOLDER_DUPLICATE',
  'PLACEHOLDER_LEFT',
  'PLACEHOLDER_MISSING',
  'PATCH_INVALID',
  'PATCH_NESTED',
  'PATCH_ORDER_DEPENDENT',
  'PATCH_FORM_CONFLICT',
  'PATCH_VARIABLE',
  'PATCH_INSECURE',
  'PATCH_HOST_SPELLING',
  'PATCH_MULTIDOC',
  'PATCH_FAILS',
  'DOCUMENTS_TOO_NEW',
  'PROVIDER_TOO_OLD',
  'NETWORK_TOO_NEW',
  'MIRROR_CONFLICT',
  'MIRROR_WITHOUT_TLS',
  'REGISTRY_WILDCARD',
  'EFFECTIVE_MISMATCH',
  'DATA_CONFLICT',
  // rollout
  'ROLLOUT_REQUIRED',
  'TEMPLATE_IMMUTABLE',
  // review
  'PROBE_OK',
  'PROBE_LOGIN',
  'PROBE_EXPIRES_SOON',
  'PROBE_REFUSED',
  'PROBE_UNREACHABLE',
  'PROBE_TIMEOUT',
  'PROBE_RESET',
  'PROBE_NOT_TLS',
  'PROBE_HANDSHAKE',
  'PROBE_WRONG_NAME',
  'PROBE_UNKNOWN_AUTHORITY',
  'PROBE_NAME_MISMATCH',
  'PROBE_EXPIRED',
  'PROBE_NOT_YET_VALID',
  'PROBE_NOT_ALLOWED',
  'PROBE_FORBIDDEN',
  'PROBE_SERVER_ERROR',
  'PROBE_NOT_A_REGISTRY',
  'OBJECT_NAME_INVALID',
  'TALOSCTL_REFUSED',
  'TALOSCTL_TIMEOUT',
  // output
  'HYDRATED',
  'OUTPUT_FAILED',
  'PERSIST_REFUSED',
  'PERSIST_ALLOWED',
  'INTERNAL',
] as const;

export type Code = (typeof CODES)[number];

export type Severity = 'error' | 'warning' | 'info';

/** Where: whatever is known of object, place inside it, and place in the text (line and column count from 1). */
export interface Location {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  /** JSON pointer inside the object. */
  readonly pointer?: string;
  readonly file?: string;
  /** Position of the object in its file, from 0, as orchestrators count. */
  readonly index?: number;
  readonly line?: number;
  readonly column?: number;
}

export interface Diagnostic {
  readonly code: Code;
  readonly severity: Severity;
  /** One sentence that says what is wrong. */
  readonly message: string;
  /** The next step for the person who reads it. */
  readonly hint: string;
  readonly at?: Location;
}

/** Thrown by parsers and planners when there is no way on; carries one or more errors and any warnings so far. */
export class Refusal extends Error {
  readonly diagnostics: readonly Diagnostic[];

  constructor(...diagnostics: readonly [Diagnostic, ...Diagnostic[]]) {
    super(diagnostics.map((d) => `${d.code}: ${d.message}`).join('\n'));
    this.name = 'Refusal';
    this.diagnostics = diagnostics;
  }
}

export function error(code: Code, message: string, hint: string, at?: Location): Diagnostic {
  return make('error', code, message, hint, at);
}

export function warning(code: Code, message: string, hint: string, at?: Location): Diagnostic {
  return make('warning', code, message, hint, at);
}

export function info(code: Code, message: string, hint: string, at?: Location): Diagnostic {
  return make('info', code, message, hint, at);
}

/** Shorthand for the common case of a single error. */
export function refuse(code: Code, message: string, hint: string, at?: Location): never {
  throw new Refusal(error(code, message, hint, at));
}

/** The same diagnostic with what the caller knows about its place; what was known already wins. */
export function locate(diagnostic: Diagnostic, at: Location): Diagnostic {
  return { ...diagnostic, at: { ...at, ...diagnostic.at } };
}

export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((d) => d.severity === 'error');
}

/**
 * What an exception says. Anything but a Refusal is a bug of ours: its message may hold a value, so only its class and
 * the place in the code are given.
 */
export function diagnosticsOf(cause: unknown): readonly Diagnostic[] {
  if (cause instanceof Refusal) return cause.diagnostics;
  const name = cause instanceof Error ? cause.constructor.name : typeof cause;
  const frame =
    cause instanceof Error ? /^\s+at .*?([\w.-]+:\d+:\d+)\)?$/m.exec(cause.stack ?? '')?.[1] : undefined;
  return [
    error(
      'INTERNAL',
      `A bug in registry-trust (${name}${frame === undefined ? '' : ` at ${frame}`}). Nothing was written.`,
      'Please report it with this line and the version (registry-trust --version).',
    ),
  ];
}

function make(severity: Severity, code: Code, message: string, hint: string, at?: Location): Diagnostic {
  return at === undefined ? { code, severity, message, hint } : { code, severity, message, hint, at };
}
