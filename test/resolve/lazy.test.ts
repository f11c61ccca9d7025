/** Loading client-node costs more than everything else a run does, so it must happen only when a cluster is opened. */
import { execFileSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const lazy = suite('lazy');

/** Runs in a process of its own, which no other test has loaded anything into. */
const PROBE = `
import { registerHooks } from 'node:module';
let loaded = 0;
registerHooks({
  load(url, context, next) {
    if (url.includes('/@kubernetes/client-node/')) loaded += 1;
    return next(url, context);
  },
});
const { resolve } = await import(process.argv[1]);
const seen = { imported: loaded };
const trust = { ca: { kind: 'Secret', namespace: 'a', name: 'b', key: 'c' }, host: { name: 'r.example', key: 'r.example' }, family: 'IPv4' };
const run = (args) => resolve({ trust, env: {}, address: '192.0.2.1', timeoutMs: 5000, now: new Date(), ...args });
await run({}).catch((cause) => { seen.code = cause.diagnostics[0].code; });
seen.withoutCluster = loaded;
await run({ caKubeconfig: process.argv[1].replace('file://', '') }).catch((cause) => { seen.openedCode = cause.diagnostics[0].code; });
seen.opened = loaded;
console.log(JSON.stringify(seen));
`;

lazy('client-node is loaded when a cluster is opened, and not before', () => {
  const resolveUrl = new URL('../../src/resolve/resolve.ts', import.meta.url).href;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', PROBE, resolveUrl], {
    encoding: 'utf8',
  });
  const { opened, ...seen } = JSON.parse(output);
  assert.equal(seen, {
    imported: 0,
    code: 'KUBECONFIG_NOT_SET',
    withoutCluster: 0,
    openedCode: 'KUBECONFIG_INVALID',
  });
  assert.ok(opened > 0, 'the probe sees client-node once it is loaded');
});

lazy.run();
