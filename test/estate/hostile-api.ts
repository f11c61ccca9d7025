/**
 * An API server that says what it must not: the credentials it was sent and the Secret that was asked for, in every kind
 * of answer. What it does is named by the first segment of the path, so that many runs can use one server at once.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Certificate } from './certificates.ts';
import { type HttpsServer, startHttpsServer } from './https-server.ts';

/** What it could say. */
export interface Said {
  readonly authorization: string;
  /** The object that was asked for, as JSON. */
  readonly object: string;
}

export type HostileAnswer =
  | {
      readonly status: number;
      readonly type?: string;
      readonly headers?: (said: Said) => Readonly<Record<string, string>>;
      readonly body: (said: Said) => string;
    }
  | 'silent'
  | 'reset'
  /** The head and half of the body. */
  | 'truncated';

/** @param objectFor JSON of the object at a path, by what the server is told to do */
export function startHostileApi(options: {
  readonly serving: Certificate;
  readonly answers: Readonly<Record<string, HostileAnswer>>;
  readonly objectFor: (behaviour: string, path: string) => string;
}): Promise<HttpsServer> {
  const { serving, answers, objectFor } = options;
  return startHttpsServer('127.0.0.1', serving, (request, response) => {
    const [, behaviour = '', path = ''] = /^\/([^/]*)(\/.*)$/.exec(request.url ?? '') ?? [];
    const said = {
      authorization: request.headers.authorization ?? '',
      object: objectFor(behaviour, path),
    };
    give(answers[behaviour] ?? { status: 200, body: ({ object }) => object }, said, request, response);
  });
}

function give(answer: HostileAnswer, said: Said, request: IncomingMessage, response: ServerResponse): void {
  switch (answer) {
    case 'silent':
      return;
    case 'reset':
      request.socket.destroy();
      return;
    case 'truncated':
      response.writeHead(200, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(said.object),
      });
      response.write(said.object.slice(0, said.object.length / 2), () => request.socket.destroy());
      return;
    default:
      response
        .writeHead(answer.status, {
          'content-type': answer.type ?? 'application/json',
          ...answer.headers?.(said),
        })
        .end(answer.body(said));
  }
}

/** A Status, as an API server or a proxy with debugging switched on may word it. */
export function status(code: number): HostileAnswer {
  return {
    status: code,
    body: ({ authorization, object }) =>
      JSON.stringify({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        code,
        reason: `Debug ${authorization}`,
        message: `request with ${authorization} failed; the object was ${object}`,
        details: { name: authorization, causes: [{ message: object }] },
      }),
  };
}

export function page(code: number, type = 'text/html'): HostileAnswer {
  return {
    status: code,
    type,
    body: ({ authorization, object }) => `<html><pre>${authorization}\n${object}</pre></html>`,
  };
}
