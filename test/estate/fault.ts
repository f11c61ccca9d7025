/** What a test makes the stand-in API server do instead of answering, or before it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { fail, unwell } from './status.ts';

export type Fault =
  | 'none'
  | 'silent'
  | 'reset'
  /** A page where an object belongs, with status 200. */
  | 'html'
  /** The connection ends before the length that was announced. */
  | 'broken-off'
  /** A whole answer, of JSON that ends too soon. */
  | 'truncated-json'
  /** A list of Secrets instead of one. */
  | 'list'
  /** Never ends. */
  | 'endless'
  | 429
  | 500
  | 502
  | 503
  | 504
  | { readonly status: number; readonly headers: Readonly<Record<string, string>> }
  /** The answer, when this is fulfilled. */
  | { readonly heldUntil: Promise<unknown> };

const JSON_TYPE = { 'content-type': 'application/json' };

export function applyFault(
  fault: Fault,
  request: IncomingMessage,
  response: ServerResponse,
  answer: () => void,
): void {
  switch (fault) {
    case 'none':
      answer();
      return;
    case 'silent':
      return;
    case 'reset':
      request.socket.destroy();
      return;
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>Please log in</body></html>');
      return;
    case 'broken-off':
      response.writeHead(200, { ...JSON_TYPE, 'content-length': '1000' });
      response.write('{"kind":"Secret",', () => request.socket.destroy());
      return;
    case 'truncated-json':
      response.writeHead(200, JSON_TYPE).end('{"kind":"Secret","metadata":{"na');
      return;
    case 'list':
      response
        .writeHead(200, JSON_TYPE)
        .end('{"kind":"SecretList","apiVersion":"v1","metadata":{},"items":[]}');
      return;
    case 'endless':
      writeForEver(response);
      return;
    default:
      if (typeof fault === 'number') fail(response, unwell(fault));
      else if ('heldUntil' in fault) fault.heldUntil.then(answer, answer);
      else response.writeHead(fault.status, fault.headers).end();
  }
}

function writeForEver(response: ServerResponse): void {
  const chunk = ' '.repeat(64 * 1_024);
  response.writeHead(200, JSON_TYPE);
  const write = (): void => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', write);
  write();
}
