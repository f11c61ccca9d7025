/**
 * The real tools and servers for tests, built from their public modules by Go where they aren't installed. What is built stays in the
 * user's cache folder, keyed by everything that goes into it, because CI clones afresh.
 *
 * Run as a program it builds them all, or those that its arguments name; in a test `realTool` gives a path.
 */
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

/** `kpt-installed` is the one on PATH where there is one: what users have today, and another version than `kpt`. */
export type Tool =
  | 'kpt'
  | 'kpt-installed'
  | 'kustomize'
  | 'kubectl'
  | 'kube-apiserver'
  | 'registry'
  | 'chain-verifier';

const BUILT: readonly Tool[] = [
  'chain-verifier',
  'kustomize',
  'kpt',
  'kubectl',
  'registry',
  'kube-apiserver',
];
const KUBERNETES_VERSION = '-X k8s.io/component-base/version.gitVersion=v1.36.3';
const FLAGS: Readonly<Partial<Record<Tool, string>>> = {
  kubectl: KUBERNETES_VERSION,
  'kube-apiserver': KUBERNETES_VERSION,
};

/** Path of a tool that was built before the tests. */
export function realTool(tool: Tool): string {
  if (tool === 'kpt-installed') return onPath('kpt') ?? realTool('kpt');
  const path = cachePath(tool);
  if (!existsSync(path))
    throw new Error(`${tool} is not built: run node test/estate/tools/build.ts (make test-real does)`);
  return path;
}

if (import.meta.main) {
  const named = process.argv.slice(2);
  for (const tool of BUILT.filter((one) => named.length === 0 || named.includes(one))) {
    const started = performance.now();
    const state = await build(tool);
    console.log(`${tool}: ${state} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  }
}

async function build(tool: Tool): Promise<'built' | 'cached'> {
  const path = cachePath(tool);
  if (existsSync(path)) return 'cached';
  mkdirSync(join(path, '..'), { recursive: true });
  const unfinished = `${path}.${process.pid}`;
  const ldflags = ['-s', '-w', FLAGS[tool] ?? ''].join(' ').trim();
  await new Promise<void>((resolve, reject) => {
    const args = ['build', '-mod=readonly', '-trimpath', '-ldflags', ldflags, '-o', unfinished, '.'];
    execFile('go', args, { cwd: source(tool), maxBuffer: 1 << 24 }, (cause, _, stderr) => {
      if (cause === null) resolve();
      else reject(new Error(`${tool} can't be built: ${stderr || cause.message}`));
    });
  });
  renameSync(unfinished, path);
  return 'built';
}

function cachePath(tool: Tool): string {
  const hash = createHash('sha256');
  // What needs the standard library only has no go.sum.
  const files = ['go.mod', 'go.sum', 'main.go'].map((file) => join(source(tool), file));
  for (const file of files.filter(existsSync)) hash.update(readFileSync(file));
  hash.update(FLAGS[tool] ?? '').update(goVersion());
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(cache, 'registry-trust', 'tools', `${tool}-${hash.digest('hex').slice(0, 16)}`, tool);
}

function goVersion(): string {
  try {
    return execFileSync('go', ['env', 'GOVERSION', 'GOOS', 'GOARCH'], { encoding: 'utf8' });
  } catch {
    throw new Error(
      'The tests with real tools need Go 1.26 or newer on PATH to build them (CONTRIBUTING.md, Tests).',
    );
  }
}

function source(tool: Tool): string {
  return join(import.meta.dirname, tool);
}

function onPath(name: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}
