/** Failures of the registry itself, as data: they are `review`'s to tell, and nothing to the other commands. See `failures.ts`. */
import { http, https, type Listener, type ServingChain, tcp, tls } from '../resolve/probe/registries.ts';
import type { Failure, Planted } from './failures.ts';

/** What listens where the registry should, by name: each says what it must not. */
export const REGISTRIES: Readonly<
  Record<string, (serving: ServingChain, planted: Planted) => Promise<Listener>>
> = {
  'login that echoes': (serving, { registryPassword, token }) =>
    https(serving, (response) =>
      response
        .writeHead(401, {
          'www-authenticate': `Bearer realm="https://puller:${registryPassword}@auth.internal/${token}",service="${token}", Basic realm="${token}"`,
        })
        .end(registryPassword),
    ),
  'error that echoes': (serving, { registryPassword, token }) =>
    https(serving, (response) =>
      response.writeHead(500, { server: token, 'content-type': 'text/html' }).end(registryPassword),
    ),
  'redirect with a token': (serving, { token }) =>
    https(serving, (response) =>
      response.writeHead(302, { location: `https://127.0.0.1:1/?t=${token}` }).end(),
    ),
  'no HTTP behind TLS': (serving, { token }) =>
    tls(serving, (socket) => socket.once('data', () => socket.end(`530 ${token} is not welcome\r\n`))),
  'no TLS': (_, { token }) => tcp((socket) => socket.end(`SSH-2.0-${token}\r\n`)),
  'HTTP without TLS': () => http(),
  silence: () => tcp(() => undefined),
};

export const REGISTRY_FAILURES: readonly Failure[] = [
  ...Object.keys(REGISTRIES).map(
    (name): Failure => ({
      name: `registry: ${name}`,
      code: 'HYDRATED',
      arrange: ({ registry }) => ({ registry: registry(name) }),
    }),
  ),
  {
    name: 'registry: nothing listens',
    code: 'HYDRATED',
    arrange: ({ closedPort }) => ({ registry: `127.0.0.1:${closedPort}` }),
  },
];
