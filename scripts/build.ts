/**
 * Builds `dist/`: the command and function (`registry-trust.js`), the library (`index.js`), their types, and the notices
 * of the packages bundled into them. client-node and the commands are chunks of their own, loaded when needed.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';

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
  metafile: true,
  logLevel: 'warning',
};

rmSync(DIST, { recursive: true, force: true });
const command = await build({
  ...COMMON,
  entryPoints: { 'registry-trust': 'src/main.ts' },
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
});
// On its own: shared with the command, its parts would be more files for the command to load.
const library = await build({ ...COMMON, entryPoints: { index: 'src/index.ts' } });
const metafile: Metafile = {
  inputs: { ...command.metafile.inputs, ...library.metafile.inputs },
  outputs: command.metafile.outputs,
};
for (const output of Object.keys(metafile.outputs)) provideRequire(join(ROOT, output));
chmodSync(join(DIST, 'registry-trust.js'), 0o755);
execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.types.json'], {
  cwd: ROOT,
  stdio: 'inherit',
});
writeFileSync(join(DIST, 'THIRD-PARTY-NOTICES.txt'), notices(metafile));

/** Bundled CommonJS packages (client-node's) call `require` for Node's own modules; only their chunks pay for it. */
function provideRequire(file: string): void {
  const text = readFileSync(file, 'utf8');
  if (!text.includes('Dynamic require of')) return;
  writeFileSync(
    file,
    `import{createRequire}from"node:module";const require=createRequire(import.meta.url);\n${text}`,
  );
}

function notices(meta: Metafile): string {
  const folders = new Set(Object.keys(meta.inputs).flatMap((input) => packageFolder(input) ?? []));
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
