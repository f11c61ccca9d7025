/**
 * A stand-in for a Kubernetes API server over TLS: reads of Secrets, ConfigMaps and Services by bearer token, and as much
 * discovery as `kubectl create --dry-run=client` needs. It speaks the real protocol and has the real one's failures:
 * Status bodies for 401, 403, 404 and 405, and, on demand, silence, resets, 5xx and pages of HTML. It changes nothing
 * for a client.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Certificate } from './certificates.ts';
import { DISCOVERY } from './discovery.ts';
import { startHttpsServer } from './https-server.ts';
import {
  forbidden,
  methodNotAllowed,
  notFound,
  parseObjectPath,
  type Status,
  unauthorized,
  unwell,
} from './status.ts';

export type Resource = 'secrets' | 'configmaps' | 'services';

export interface StoredObject {
  readonly resource: Resource;
  readonly namespace: string;
  readonly name: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a test makes the server do instead of answering. */
export type Fault = 'none' | 'silent' | 'reset' | 'html' | 429 | 500 | 503;

export interface KubernetesApi {
  readonly url: string;
  /** Method and path of every request so far. */
  readonly requests: readonly string[];
  fault: Fault;
  put(object: StoredObject): void;
  stop(): Promise<void>;
}

export interface ApiOptions {
  /** Loopback address to listen at. */
  readonly host: string;
  readonly serving: Certificate;
  readonly objects: readonly StoredObject[];
  /** May read everything. */
  readonly token: string;
  /** Is known, and may read nothing. */
  readonly powerlessToken: string;
}

export async function startKubernetesApi(options: ApiOptions): Promise<KubernetesApi> {
  const store = new Map(options.objects.map((object) => [pathOf(object), object.body]));
  const requests: string[] = [];
  const state: { fault: Fault } = { fault: 'none' };
  const server = await startHttpsServer(options.host, options.serving, (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (applyFault(state.fault, request, response)) return;
    answer(request, response, options, store);
  });
  return {
    url: `https://${options.host}:${server.port}`,
    requests,
    get fault() {
      return state.fault;
    },
    set fault(fault: Fault) {
      state.fault = fault;
    },
    put: (object) => void store.set(pathOf(object), object.body),
    stop: server.stop,
  };
}

/** In the order of the real one: who is it, may they, does the method fit, is it there. */
function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: ApiOptions,
  store: ReadonlyMap<string, unknown>,
): void {
  const path = (request.url ?? '').split('?')[0] ?? '';
  const method = request.method ?? '';
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
  const isKnown = token === options.token || token === options.powerlessToken;
  const discovered = method === 'GET' ? DISCOVERY[path] : undefined;
  const object = parseObjectPath(path);
  const body = store.get(path);
  if (!isKnown) fail(response, unauthorized);
  else if (discovered !== undefined) json(response, 200, discovered);
  else if (token === options.powerlessToken)
    fail(response, forbidden({ user: 'powerless', verb: method.toLowerCase(), path }));
  else if (method !== 'GET') fail(response, methodNotAllowed);
  else if (body !== undefined) json(response, 200, body);
  else if (object !== undefined) fail(response, notFound(object));
  else response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
}

/** True when a fault took the place of an answer. */
function applyFault(fault: Fault, request: IncomingMessage, response: ServerResponse): boolean {
  switch (fault) {
    case 'none':
      return false;
    case 'silent':
      return true;
    case 'reset':
      request.socket.destroy();
      return true;
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Please log in</body></html>');
      return true;
    default:
      fail(response, unwell(fault));
      return true;
  }
}

function pathOf({ resource, namespace, name }: StoredObject): string {
  return `/api/v1/namespaces/${namespace}/${resource}/${name}`;
}

function fail(response: ServerResponse, status: Status): void {
  json(response, status.code, status);
}

function json(response: ServerResponse, code: number, body: unknown): void {
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
