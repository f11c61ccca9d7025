/**
 * Builds `dist/`: the command and function (`registry-trust.js`, which loads `program.cjs`), the library (`index.js`), their
 * types, and the notices of the packages bundled into them. client-node and yaml are files of their own, loaded when needed.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';

const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');

const COMMON: BuildOptions & { readonly metafile: true } = {
  absWorkingDir: ROOT,
  outdir: 'dist',
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.19',
  // For Node yaml offers CommonJS, which can't be cut to what is used; its other build is the same code as modules.
  alias: { yaml: join(ROOT, 'node_modules/yaml/browser/index.js') },
  define: { YAML_FILE: '"./yaml.cjs"' },
  metafile: true,
  logLevel: 'warning',
};

/** Keeps client-node out of the program: it becomes a file of its own. */
const clientNodeApart: Plugin = {
  name: 'client-node-apart',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/client-node\.ts$/ }, () => ({ path: './client-node.cjs', external: true })),
};

rmSync(DIST, { recursive: true, force: true });
const command = await build({ ...COMMON, entryPoints: { 'registry-trust': 'src/main.ts' } });
const program = await build({
  ...COMMON,
  format: 'cjs',
  entryPoints: { program: 'src/program.ts' },
  outExtension: { '.js': '.cjs' },
  // One function expression, as load-program.ts calls it.
  banner: { js: '(function(module,exports,require,__filename){' },
  footer: { js: '})' },
  define: { ...COMMON.define, 'import.meta.url': '__filename' },
  // `import()` would need a loader that is still experimental for such code; `require` is there.
  supported: { 'dynamic-import': false },
  plugins: [clientNodeApart],
});
const library = await build({ ...COMMON, minify: false, entryPoints: { index: 'src/index.ts' } });
const parts = await build({
  ...COMMON,
  format: 'cjs',
  entryPoints: { yaml: 'src/yaml/library.ts', 'client-node': 'src/resolve/client-node.ts' },
  outExtension: { '.js': '.cjs' },
});
chmodSync(join(DIST, 'registry-trust.js'), 0o755);
execFileSync(process.execPath, [join(ROOT, 'scripts', 'compile-program.ts')], {
  input: exampleList(),
  stdio: ['pipe', 'ignore', 'inherit'],
});
execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.types.json'], {
  cwd: ROOT,
  stdio: 'inherit',
});
writeFileSync(join(DIST, 'THIRD-PARTY-NOTICES.txt'), notices([command, program, library, parts]));

/** A ResourceList that the function only checks. */
function exampleList(): string {
  const read = (...path: string[]): string => readFileSync(join(ROOT, ...path), 'utf8');
  const indented = (text: string): string => text.trim().replaceAll('\n', '\n  ');
  const items = read('examples', 'ok-consumer', 'cluster-base.yaml').split(/^---$/m);
  return [
    'apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:',
    ...items.map((item) => `- ${indented(item.replace(/^#.*\n/gm, ''))}`),
    `functionConfig:\n  ${indented(`${read('function-config', 'registry-trust.yaml').trimEnd()}\n  mode: Check`)}\n`,
  ].join('\n');
}

function notices(builds: readonly { readonly metafile: Metafile }[]): string {
  const inputs = builds.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  const folders = new Set(inputs.flatMap((input) => packageFolder(input) ?? []));
  return [...folders].sort().map(notice).join('\n');
}

function packageFolder(input: string): string | undefined {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
}

function notice(folder: string): string {
  const path = join(ROOT, folder);
  const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Record<
    string,
    string
  >;
  const file = readdirSync(path).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? `License: ${license}\n` : readFileSync(join(path, file), 'utf8');
  return `${name} ${version}\n${'='.repeat(60)}\n${text}`;
}
