/** The code that a run is about, by its standard error. */

/**
 * The first one. A resolver that was too slow on a busy machine is told as a warning before what comes of it, so that one
 * is passed over.
 */
export function firstCode(stderr: string): string {
  const codes = [...stderr.matchAll(/^(?:error|warning|info) ([A-Z0-9_]+)/gm)].map(([, code]) => code ?? '');
  return codes.find((code) => code !== 'DNS_FAILED') ?? 'nothing';
}
