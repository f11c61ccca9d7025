/**
 * Builds `dist/`: the command and function (`registry-trust.js`), the library (`index.js`), their types, and the notices
 * of the packages bundled into them. client-node and yaml are files of their own, loaded when needed.
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

/** Keeps client-node out of the command's files: it becomes one of its own, with a runtime of its own. */
const clientNodeApart: Plugin = {
  name: 'client-node-apart',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/client-node\.ts$/ }, () => ({ path: './client-node.js', external: true })),
};

rmSync(DIST, { recursive: true, force: true });
const command = await build({
  ...COMMON,
  entryPoints: { 'registry-trust': 'src/main.ts' },
  splitting: true,
  plugins: [clientNodeApart],
});
const client = await build({
  ...COMMON,
  entryPoints: { 'client-node': 'src/resolve/client-node.ts' },
  // Its CommonJS packages call `require` for Node's own modules.
  banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
});
// On its own: parts shared with the command would be more files for the command to load.
const library = await build({ ...COMMON, minify: false, entryPoints: { index: 'src/index.ts' } });
const yaml = await build({
  ...COMMON,
  format: 'cjs',
  entryPoints: { yaml: 'src/yaml/library.ts' },
  outExtension: { '.js': '.cjs' },
});
chmodSync(join(DIST, 'registry-trust.js'), 0o755);
execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.types.json'], {
  cwd: ROOT,
  stdio: 'inherit',
});
writeFileSync(join(DIST, 'THIRD-PARTY-NOTICES.txt'), notices([command, client, library, yaml]));

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
