/**
 * What a Kubernetes API server answers instead of an object: Status bodies with the reasons, messages and details of
 * k8s.io/apimachinery (pkg/api/errors), and of k8s.io/apiserver for what has no object.
 */
import type { ServerResponse } from 'node:http';

export interface Status {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: object;
  readonly status: 'Failure';
  readonly message: string;
  readonly reason: string;
  readonly details?: object;
  readonly code: number;
}

/** Whom a request asks for, when it asks for one object. */
export interface ObjectPath {
  /** Empty for the core. */
  readonly group: string;
  readonly namespace: string;
  readonly resource: string;
  readonly name: string;
}

export function parseObjectPath(path: string): ObjectPath | undefined {
  const [, group = '', namespace, resource, name] =
    /^\/(?:api|apis\/([^/]+))\/v[^/]+\/namespaces\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
  if (namespace === undefined || resource === undefined || name === undefined) return undefined;
  return { group, namespace, resource, name };
}

export const unauthorized: Status = failure(401, 'Unauthorized', 'Unauthorized');

export const methodNotAllowed: Status = failure(
  405,
  'MethodNotAllowed',
  'the server does not allow this method on the requested resource',
);

/** @param verb as in RBAC rules: `get`, `patch`, … */
export function forbidden({
  user,
  verb,
  path,
}: {
  readonly user: string;
  readonly verb: string;
  readonly path: string;
}): Status {
  const object = parseObjectPath(path);
  if (object === undefined)
    return failure(403, 'Forbidden', `forbidden: User "${user}" cannot ${verb} path "${path}"`, {});
  const { group, resource, name, namespace } = object;
  return failure(
    403,
    'Forbidden',
    `${resourceIn(object)} "${name}" is forbidden: User "${user}" cannot ${verb} resource "${resource}" in API group "${group}" in the namespace "${namespace}"`,
    detailsOf(object),
  );
}

export function notFound(object: ObjectPath): Status {
  return failure(404, 'NotFound', `${resourceIn(object)} "${object.name}" not found`, detailsOf(object));
}

function resourceIn({ group, resource }: ObjectPath): string {
  return group === '' ? resource : `${resource}.${group}`;
}

function detailsOf({ group, resource, name }: ObjectPath): object {
  return { name, ...(group === '' ? {} : { group }), kind: resource };
}

const UNWELL = {
  429: 'TooManyRequests',
  500: 'InternalError',
  502: 'BadGateway',
  503: 'ServiceUnavailable',
  504: 'Timeout',
} as const;

export function unwell(code: keyof typeof UNWELL): Status {
  return failure(code, UNWELL[code], 'the server is unwell');
}

function failure(code: number, reason: string, message: string, details?: object): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    ...(details === undefined ? {} : { details }),
    code,
  };
}

export function fail(response: ServerResponse, status: Status): void {
  json(response, status.code, status);
}

export function json(response: ServerResponse, code: number, body: unknown): void {
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
