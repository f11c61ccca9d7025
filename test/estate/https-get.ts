/** One HTTPS request of a test, on a connection of its own, that trusts the given CA and no other. */
import { type RequestOptions, request } from 'node:https';

export interface Reply {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** Rejects with the error of the connection, whose `code` says what went wrong. */
export function httpsGet(url: string, options: RequestOptions): Promise<Reply> {
  return new Promise((resolve, reject) => {
    request(url, { agent: false, ...options }, (response) => {
      const chunks: Buffer[] = [];
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () =>
          resolve({
            status: response.statusCode,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        )
        .on('error', reject);
    })
      .on('error', reject)
      .end();
  });
}

/** The `code` of the error a promise is rejected with; `none` when it is fulfilled. */
export async function errorCodeOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
    return 'none';
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code;
  }
}
