/**
 * The real registry of the distribution project, behind TLS that routes by name: what asks for its host gets the
 * registry, another name gets what a front gives. It is empty, and open unless it has a user.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { loudly } from '../../support/loudly.ts';
import { realTool } from '../tools/build.ts';
import { startServerProcess } from './server-process.ts';

/** What a name that isn't the registry's gets: the TLS alert unrecognized_name, 421, or an ingress's page. */
export type UnknownName = 'alert' | '421' | 'default-page';

export interface RegistryOptions {
  /** The name that leads to it. */
  readonly host: string;
  readonly serving: {
    /** The serving certificate, with intermediate ones after it if the server shall send them. */
    readonly certificatePem: string;
    readonly privateKeyPem: string;
  };
  readonly auth?: { readonly user: string; readonly password: string };
  readonly unknownName: UnknownName;
  /** The loopback address to listen at. */
  readonly address?: string;
}

export interface RegistryRequest {
  readonly method: string;
  /** The header. */
  readonly host: string;
  /** Path and query. */
  readonly path: string;
  /** The scheme of the header, never what follows; empty without one. */
  readonly authorization: string;
  readonly status: number;
}

export interface RealRegistry {
  readonly host: string;
  readonly address: string;
  readonly port: number;
  readonly pid: number;
  readonly logFile: string;
  /** What it was asked so far and has answered. */
  requests(): Promise<readonly RegistryRequest[]>;
  stop(): Promise<void>;
}

export async function startRegistry(options: RegistryOptions): Promise<RealRegistry> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-trust-registry-'));
  const { host, serving, auth, unknownName, address = '127.0.0.1' } = options;
  const { certificatePem, privateKeyPem } = serving;
  const server = await loudly(() =>
    startServerProcess({
      file: realTool('registry'),
      args: [],
      env: { TMPDIR: folder, HOME: folder },
      firstLine: JSON.stringify({ address, host, certificatePem, privateKeyPem, unknownName, ...auth }),
      logFile: join(folder, 'registry.log'),
    }),
  ).catch((cause: unknown) => {
    rmSync(folder, { recursive: true, force: true });
    throw cause;
  });
  return {
    host,
    address,
    port: server.port,
    pid: server.pid,
    logFile: server.logFile,
    requests: async () => {
      // Its line was written before its answer; one turn of the event loop reads what is there.
      await turn();
      await turn();
      return server.lines.map((line) => JSON.parse(line) as RegistryRequest);
    },
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
