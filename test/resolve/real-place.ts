/**
 * What the tests of this folder with real servers share: one API server, which has the Secret and the Service (to a run it
 * is all the same, and a second one would need 300 MB more), a DNS server, a folder, and runs of the built command.
 *
 * `PRINT_TABLE=1` prints how each run ended: title, codes, first line.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as assert from 'uvu/assert';
import { type Certificate, makeCa } from '../estate/certificates.ts';
import { type DnsServer, startDnsServer } from '../estate/dns-server.ts';
import { caObjects, REGISTRY_ADDRESS } from '../estate/estate.ts';
import { manifestOf, putService } from '../estate/real/estate.ts';
import { keyLines, type RealCluster, startKubeApiserver } from '../estate/real/kube-apiserver.ts';
import { runCommand } from '../support/command.ts';
import { functionConfig } from '../support/function-input.ts';
import { loudly } from '../support/loudly.ts';

/** How a run of `render` ended. */
export interface Ending {
  /** Of all diagnostics as they are shown, between blanks. */
  readonly codes: string;
  readonly stderr: string;
  /** PEM of the CA that was written; nothing when it was refused. */
  readonly ca: string | undefined;
}

export interface RenderOptions {
  readonly title: string;
  /** By default the administrator's for both clusters. */
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** The first resolver, by default the place's own. */
  readonly dnsServer?: string;
  /** Changes the example config. */
  readonly config?: (text: string) => string;
}

export interface RealPlace {
  readonly cluster: RealCluster;
  readonly dns: DnsServer;
  readonly registryCa: Certificate;
  /** Writes a file of this name, with its folders, and gives its path. */
  write(name: string, content: string | object): string;
  /** Runs it to its end, and checks what is true of each: the whole manifest or nothing, and no secret in a message. */
  render(options: RenderOptions): Promise<Ending>;
  stop(): Promise<void>;
}

/** Far beyond the command's own limit, for a busy machine: only a hang takes as long. */
const HANG_MS = 180_000;
const BASE = 'examples/ok-consumer/cluster-base.yaml';

export async function startRealPlace(): Promise<RealPlace> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-trust-resolve-'));
  const registryCa = await makeCa({ commonName: 'ok-shared internal CA' });
  const [dns, cluster] = await Promise.all([
    startDnsServer(),
    startKubeApiserver({ host: '127.0.0.1', name: 'ca' }),
  ]);
  const stop = async (): Promise<void> => {
    await Promise.all([dns.stop(), cluster.stop()]);
    rmSync(folder, { recursive: true, force: true });
  };
  const write = (name: string, content: string | object): string => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
    return path;
  };
  try {
    await loudly(async () => {
      await cluster.apply(manifestOf(caObjects(registryCa)));
      await putService(cluster, [{ ip: REGISTRY_ADDRESS }]);
    });
  } catch (cause) {
    await stop();
    throw cause;
  }
  const admin = cluster.kubeconfigPath('admin');
  const secrets = [...cluster.canaries, ...keyLines(registryCa.privateKeyPem)];
  return {
    cluster,
    dns,
    registryCa,
    write,
    stop,
    render: async ({ title, env = {}, args = [], dnsServer = dns.address, config = (text) => text }) => {
      const path = write('config.yaml', config(functionConfig()));
      const { code, stdout, stderr } = await runCommand(
        ['render', '--config', path, '--dns-server', dnsServer, ...args, BASE],
        {
          env: { REGISTRY_CA_KUBECONFIG: admin, TALOS_INFRA_KUBECONFIG: admin, ...env },
          limitMs: HANG_MS,
        },
      );
      assert.ok(code === 0 || code === 1, `${title}: exit code ${code}: ${stderr}`);
      for (const secret of secrets) assert.not(stderr.includes(secret), `${title}: a secret was shown`);
      assert.not.match(stderr, /Warning:|^\s+at |node:internal/m);
      if (code === 1) assert.is(stdout, '', title);
      const codes = [...stderr.matchAll(/^(?:error|warning|info) ([A-Z0-9_]+)/gm)].map(([, one]) => one);
      if (process.env['PRINT_TABLE'] !== undefined)
        console.log(`| ${title} | ${codes.join(' ')} | \`${stderr.split('\n', 1)[0]}\` |`);
      return { codes: codes.join(' '), stderr, ca: writtenCa(stdout) };
    },
  };
}

function writtenCa(manifest: string): string | undefined {
  const [, ca] = /ca: (LS0t\S+)/.exec(manifest) ?? [];
  return ca === undefined ? undefined : Buffer.from(ca, 'base64').toString();
}
