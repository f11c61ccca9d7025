/**
 * What a real API server was asked, from its own audit log: one event a request, in the order they came, without the
 * server's own and without health checks. Never a value: the policy logs metadata only.
 */
import { existsSync, readFileSync } from 'node:fs';

export interface AuditEvent {
  /** As in RBAC rules: `get`, `list`, `patch`, …; for what is no resource the method in small letters. */
  readonly verb: string;
  readonly user: string;
  /** Path and query. */
  readonly uri: string;
  /** Plural, with the subresource after a slash; absent for what is no resource. */
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** Of the answer; absent while there is none. */
  readonly code?: number;
}

export const AUDIT_POLICY = JSON.stringify({
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitManagedFields: true,
  rules: [
    { level: 'None', users: ['system:apiserver'] },
    { level: 'None', nonResourceURLs: ['/readyz*', '/livez*', '/healthz*'] },
    { level: 'Metadata' },
  ],
});

interface Line {
  readonly auditID: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly user?: { readonly username?: string };
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
}

/** A request has a line when it comes and one when it was answered; both are one event here. */
export function readAuditLog(file: string): readonly AuditEvent[] {
  if (!existsSync(file)) return [];
  const latest = new Map<string, Line>();
  const text = readFileSync(file, 'utf8');
  for (const json of text.slice(0, text.lastIndexOf('\n') + 1).split('\n')) {
    if (json === '') continue;
    const line = JSON.parse(json) as Line;
    latest.set(line.auditID, line);
  }
  return [...latest.values()].map(eventOf);
}

/** An event in a line, for a test that compares what was asked: `get secrets cert-manager/ca 200`. */
export function summary({ verb, uri, resource, namespace, name, code }: AuditEvent): string {
  const object = [namespace, name].filter((part) => part !== undefined).join('/');
  const asked = resource === undefined ? [verb, uri] : [verb, resource, object];
  return [...asked, code ?? 'unanswered'].filter((part) => part !== '').join(' ');
}

function eventOf({ verb, requestURI, user, objectRef, responseStatus }: Line): AuditEvent {
  const { resource, subresource, namespace, name } = objectRef ?? {};
  const code = responseStatus?.code;
  return {
    verb,
    user: user?.username ?? '',
    uri: requestURI,
    ...(resource === undefined
      ? {}
      : { resource: subresource === undefined ? resource : `${resource}/${subresource}` }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(code === undefined ? {} : { code }),
  };
}
