/** A port of 127.0.0.1 at which nothing listens: it was free a moment ago. Low ports won't do, fetch blocks some. */
import { type AddressInfo, createServer } from 'node:net';

export async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
