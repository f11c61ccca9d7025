/**
 * A stand-in for a Kubernetes API server over TLS: reads of single objects by bearer token, whatever their kind, and as much
 * discovery as `kubectl create --dry-run=client` needs. It speaks the real protocol and has the real one's failures:
 * Status bodies for 401, 403, 404 and 405, and, on demand, silence, resets, 5xx and pages of HTML. It changes nothing
 * for a client.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Certificate } from './certificates.ts';
import { DISCOVERY } from './discovery.ts';
import { applyFault, type Fault } from './fault.ts';
import { startHttpsServer } from './https-server.ts';
import {
  fail,
  forbidden,
  json,
  methodNotAllowed,
  notFound,
  parseObjectPath,
  unauthorized,
} from './status.ts';

export type { Fault };

export interface StoredObject {
  /** Plural. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface KubernetesApi {
  readonly url: string;
  /** Method and path of every request so far. */
  readonly requests: readonly string[];
  /** For every request that `script` has nothing for. */
  fault: Fault;
  /** For the requests to come, one each. */
  script(...faults: readonly Fault[]): void;
  put(object: StoredObject): void;
  delete(object: StoredObject): void;
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
  const state: { fault: Fault; script: readonly Fault[] } = { fault: 'none', script: [] };
  const server = await startHttpsServer(options.host, options.serving, (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const [fault = state.fault, ...later] = state.script;
    state.script = later;
    applyFault(fault, request, response, () => answer(request, response, options, store));
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
    script: (...faults) => {
      state.script = faults;
    },
    put: (object) => void store.set(pathOf(object), object.body),
    delete: (object) => void store.delete(pathOf(object)),
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

function pathOf({ resource, namespace, name, body }: StoredObject): string {
  const { apiVersion = 'v1' } = body;
  const root = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  return `${root}/namespaces/${namespace}/${resource}/${name}`;
}
