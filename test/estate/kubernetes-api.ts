/**
 * A stand-in for a Kubernetes API server over TLS: reads of Secrets, ConfigMaps and Services by bearer token, and as much
 * discovery as `kubectl create --dry-run=client` needs. It speaks the real protocol and has the real one's failures:
 * Status bodies for 401, 403 and 404, and, on demand, silence, resets, 5xx and pages of HTML.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Certificate } from './certificates.ts';
import { DISCOVERY } from './discovery.ts';

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
  const sockets = new Set<Socket>();
  const state: { fault: Fault } = { fault: 'none' };
  const server = createServer(
    { key: options.serving.privateKeyPem, cert: options.serving.certificatePem },
    (request, response) => {
      requests.push(`${request.method} ${request.url}`);
      if (applyFault(state.fault, request, response)) return;
      answer(request, response, options, store);
    },
  );
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const port = await listen(server, options.host);
  return {
    url: `https://${options.host}:${port}`,
    requests,
    get fault() {
      return state.fault;
    },
    set fault(fault: Fault) {
      state.fault = fault;
    },
    put: (object) => void store.set(pathOf(object), object.body),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: ApiOptions,
  store: ReadonlyMap<string, unknown>,
): void {
  const path = (request.url ?? '').split('?')[0] ?? '';
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
  const body = request.method === 'GET' ? store.get(path) : undefined;
  if (token !== options.token && token !== options.powerlessToken)
    status(response, 401, 'Unauthorized', 'Unauthorized');
  else if (DISCOVERY[path] !== undefined) json(response, 200, DISCOVERY[path]);
  else if (token === options.powerlessToken)
    status(response, 403, 'Forbidden', `User "powerless" cannot get ${path}`);
  else if (body === undefined) status(response, 404, 'NotFound', `${path} not found`);
  else json(response, 200, body);
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
      status(response, fault, 'InternalError', 'the server is unwell');
      return true;
  }
}

function pathOf({ resource, namespace, name }: StoredObject): string {
  return `/api/v1/namespaces/${namespace}/${resource}/${name}`;
}

function status(response: ServerResponse, code: number, reason: string, message: string): void {
  json(response, code, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason,
    code,
  });
}

function json(response: ServerResponse, code: number, body: unknown): void {
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function listen(server: Server, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(0, host, () => resolve((server.address() as AddressInfo).port));
  });
}
