/**
 * The built function in the real kpt, kustomize and kubectl: what is documented works, and what must not be written to
 * disk isn't.
 */
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Estate, startEstate } from '../estate/estate.ts';
import { realTool, type Tool } from '../estate/tools/build.ts';
import { COMMAND, type CommandResult, ROOT, run } from '../support/command.ts';

const real = suite('orchestrators');

const KPTS: readonly Tool[] = ['kpt', 'kpt-installed'];
const HYDRATED = /ca: LS0tLS1CRUdJTi/g;
const HOLDERS = 3;

let estate: Estate;
let folder: string;
let env: Readonly<Record<string, string>>;
/** One path without arguments, as kustomize wants it. */
let executable: string;

real.before(async () => {
  estate = await startEstate();
  folder = mkdtempSync(join(tmpdir(), 'registry-trust-real-'));
  const kubeconfigs = estate.writeKubeconfigs(folder);
  env = {
    REGISTRY_CA_KUBECONFIG: kubeconfigs.ca,
    TALOS_INFRA_KUBECONFIG: kubeconfigs.infra,
    REGISTRY_ADDRESS: '10.20.0.15',
    KUBECONFIG: kubeconfigs.infra,
    HOME: folder,
  };
  executable = join(folder, 'registry-trust');
  writeFileSync(executable, `#!/bin/sh\nexec '${process.execPath}' '${COMMAND}' "$@"\n`);
  chmodSync(executable, 0o755);
});

real.after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await estate.stop();
});

for (const kpt of KPTS) {
  real(`${kpt}: fn eval -o unwrap gives hydrated objects that kubectl takes`, async () => {
    const directory = newPackage();
    const before = contents(directory);
    const evaluated = await evalFunction(kpt, directory, ['-o', 'unwrap', '--truncate-output=false']);
    assert.is(evaluated.code, 0, evaluated.stderr);
    assert.is(evaluated.stdout.match(HYDRATED)?.length, HOLDERS);
    assert.not.match(evaluated.stdout, /SECRETS-HYDRATED|registryTrust|RegistryTrust/);
    assert.match(evaluated.stderr, /HYDRATED: registry\.ok-shared\.internal is 10\.20\.0\.15 \(override\)/);
    await kubectlTakes(evaluated.stdout);
    assert.equal(contents(directory), before);
  });

  real(`${kpt}: fn eval in place is refused and changes no file`, async () => {
    const directory = newPackage();
    const before = contents(directory);
    const evaluated = await evalFunction(kpt, directory, []);
    assert.is.not(evaluated.code, 0);
    assert.equal(contents(directory), before);
  });

  real(`${kpt}: fn eval -o DIR is refused and writes no file`, async () => {
    const directory = newPackage();
    const output = join(folder, `out-of-${kpt}`);
    const evaluated = await evalFunction(kpt, directory, ['-o', output]);
    assert.is.not(evaluated.code, 0);
    assert.not(Object.values(contentsIfAny(output)).some((text) => HYDRATED.test(text)));
  });

  real(`${kpt}: fn source -o unwrap, then the function on a plain stream, then kubectl`, async () => {
    const sourced = await run(realTool(kpt), ['fn', 'source', newPackage(), '-o', 'unwrap'], { env });
    assert.is(sourced.code, 0, sourced.stderr);
    const hydrated = await run(executable, [], { env, input: sourced.stdout });
    assert.is(hydrated.code, 0, hydrated.stderr);
    assert.is(hydrated.stdout.match(HYDRATED)?.length, HOLDERS);
    await kubectlTakes(hydrated.stdout);
  });

  real(
    `${kpt}: fn source, then the function on a ResourceList, then fn sink, is refused by sink`,
    async () => {
      const directory = newPackage();
      const sourced = await run(
        realTool(kpt),
        ['fn', 'source', directory, '--fn-config', join(directory, 'registry-trust.yaml')],
        { env },
      );
      const hydrated = await run(executable, [], { env, input: sourced.stdout });
      assert.is(hydrated.code, 0, hydrated.stderr);
      const output = join(folder, `sink-of-${kpt}`);
      const sunk = await run(realTool(kpt), ['fn', 'sink', output], { env, input: hydrated.stdout });
      assert.is.not(sunk.code, 0);
      assert.not(Object.values(contentsIfAny(output)).some((text) => HYDRATED.test(text)));
    },
  );

  real(
    `${kpt}: a refused package fails with the code, the object and the next step, and changes no file`,
    async () => {
      const directory = newPackage('ok-legacy');
      const before = contents(directory);
      const evaluated = await evalFunction(kpt, directory, []);
      assert.is(evaluated.code, 1);
      assert.match(evaluated.stderr, /PATCH_NESTED/);
      assert.match(evaluated.stderr, /Consolidate it at the parent path/);
      assert.match(evaluated.stderr, /cluster-base\.yaml/);
      assert.equal(contents(directory), before);
    },
  );

  real(
    `${kpt}: as validator under fn render it only checks, without credentials, and files stay as kpt writes them`,
    async () => {
      const directory = newPackage();
      writeFileSync(join(directory, 'Kptfile'), kptfile());
      const withoutClusters = { HOME: folder };
      const render = (): Promise<CommandResult> =>
        run(realTool(kpt), ['fn', 'render', directory, '--allow-exec'], { env: withoutClusters });
      assert.is((await render()).code, 0);
      const once = contents(directory);
      for (let i = 0; i < 2; i++) assert.is((await render()).code, 0);
      assert.equal(contents(directory), once, 'rendering again changes nothing');
      assert.not(Object.values(once).some((text) => HYDRATED.test(text)));
      assert.is(once['cluster-base.yaml']?.match(/registryTrust: /g)?.length, HOLDERS);
    },
  );
}

real('kustomize: an exec transformer gives hydrated objects that kubectl takes', async () => {
  const built = await kustomize('ok-consumer');
  assert.is(built.code, 0, built.stderr);
  assert.is(built.stdout.match(HYDRATED)?.length, HOLDERS);
  assert.not.match(built.stdout, /SECRETS-HYDRATED|registryTrust/);
  await kubectlTakes(built.stdout);
});

real('kustomize: a refused overlay gives nothing, and the reason first', async () => {
  const built = await kustomize('ok-legacy');
  assert.is.not(built.code, 0);
  assert.is(built.stdout, '');
  assert.match(built.stderr, /PATCH_NESTED/);
});

real('kustomize: missing credentials give nothing, and the next step', async () => {
  const built = await kustomize('ok-consumer', { HOME: folder });
  assert.is.not(built.code, 0);
  assert.is(built.stdout, '');
  assert.match(built.stderr, /KUBECONFIG_NOT_SET[\s\S]*REGISTRY_CA_KUBECONFIG/);
});

real('render: kubectl takes the hydrated manifest, and refuses none of its documents', async () => {
  const rendered = await run(executable, ['render', '--cluster', 'examples/ok-consumer'], { env, cwd: ROOT });
  assert.is(rendered.code, 0, rendered.stderr);
  await kubectlTakes(rendered.stdout);
});

real.run();

/** A package of a committed example and its config, in a folder of its own. */
function newPackage(example = 'ok-consumer'): string {
  const directory = mkdtempSync(join(folder, 'package-'));
  cpSync(join(ROOT, 'examples', example, 'cluster-base.yaml'), join(directory, 'cluster-base.yaml'));
  cpSync(join(ROOT, 'function-config/registry-trust.yaml'), join(directory, 'registry-trust.yaml'));
  return directory;
}

function evalFunction(kpt: Tool, directory: string, args: readonly string[]): Promise<CommandResult> {
  return run(
    realTool(kpt),
    [
      'fn',
      'eval',
      directory,
      '--exec',
      executable,
      '--fn-config',
      join(directory, 'registry-trust.yaml'),
      ...args,
    ],
    { env },
  );
}

function kustomize(example: string, withEnv: Readonly<Record<string, string>> = env): Promise<CommandResult> {
  const directory = newPackage(example);
  const config = readFileSync(join(directory, 'registry-trust.yaml'), 'utf8');
  const annotation = `    config.kubernetes.io/function: |\n      exec:\n        path: ./registry-trust\n`;
  writeFileSync(
    join(directory, 'registry-trust.yaml'),
    config.replace('  annotations:\n', `  annotations:\n${annotation}`),
  );
  writeFileSync(
    join(directory, 'kustomization.yaml'),
    'resources: [cluster-base.yaml]\ntransformers: [registry-trust.yaml]\n',
  );
  cpSync(executable, join(directory, 'registry-trust'));
  return run(realTool('kustomize'), ['build', '--enable-alpha-plugins', '--enable-exec', directory], {
    env: withEnv,
  });
}

function kptfile(): string {
  return `apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: ok-consumer
pipeline:
  validators:
    - exec: ${executable}
      configPath: registry-trust.yaml
`;
}

/** kubectl reads every object and finds its kind in discovery; the manifest itself is never sent. */
async function kubectlTakes(manifest: string): Promise<void> {
  const created = await run(
    realTool('kubectl'),
    ['create', '--dry-run=client', '--validate=ignore', '-f', '-'],
    { env, input: manifest },
  );
  assert.is(created.code, 0, created.stderr);
  const lines = created.stdout.trim().split('\n');
  assert.is(lines.length, 5, created.stdout);
  for (const line of lines) assert.match(line, / created \(dry run\)$/);
}

function contents(directory: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), 'utf8')]),
  );
}

function contentsIfAny(directory: string): Readonly<Record<string, string>> {
  mkdirSync(directory, { recursive: true });
  return contents(directory);
}
