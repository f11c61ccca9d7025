/**
 * How client-node's requests reach a cluster: by undici, as client-node does itself, but with what it leaves open.
 *
 * Invariants: a redirect is an answer and never followed (credentials and questions stay with the server of the
 * kubeconfig); a body ends at a limit; a request ends with its signal; `close()` leaves no socket behind.
 */
import type { HttpLibrary, RequestContext, ResponseContext } from '@kubernetes/client-node';

type ClientNode = typeof import('./client-node.ts');

type Pool = InstanceType<ClientNode['Agent']>;

/** How far a request got: client-node obtains credentials before it connects. */
export type Progress = 'credentials' | 'request';

export interface Transport {
  readonly http: HttpLibrary;
  progress(): Progress;
  /** Closes its connection. */
  close(): Promise<void>;
}

/** etcd takes objects of 1.5 MiB, and an API server bodies of 3 MiB: nothing that is real is as large as this. */
export const MAX_BODY_BYTES = 8 * 1_024 * 1_024;

export class BodyTooLarge extends Error {}

/** For one request. */
export function openTransport(client: ClientNode, signal: AbortSignal): Transport {
  let progress: Progress = 'credentials';
  let pool: Pool | undefined;
  const send = async (request: RequestContext): Promise<ResponseContext> => {
    progress = 'request';
    pool = (request.getDispatcher() as Pool | undefined) ?? new client.Agent();
    const answer = await client.request(request.getUrl(), {
      method: 'GET',
      headers: trimmed(request.getHeaders()),
      dispatcher: pool,
      signal,
    });
    const text = await readText(answer.body);
    return new client.ResponseContext(answer.statusCode, joined(answer.headers), {
      text: async () => text,
      binary: async () => Buffer.from(text),
      stream: () => null,
    });
  };
  return {
    http: { send: (request) => new client.Observable(send(request)) },
    progress: () => progress,
    close: async () => pool?.destroy(),
  };
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new BodyTooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The token of a file often ends with a newline, which no header may. */
function trimmed(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value.trim()]));
}

function joined(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(', ')]],
    ),
  );
}
