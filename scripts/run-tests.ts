/**
 * Runs the test files under `test/` that match a pattern, each in a process of its own, as many at a time as there are
 * cores, and counts what uvu counts. A file that ends without uvu's totals (a crash, a hang cut short, an event loop
 * that ran dry) counts as one failure: uvu alone would let it pass.
 */
import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const TIME_LIMIT_MS = 10 * 60_000;

interface FileResult {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly seconds: number;
  readonly output: string;
}

const pattern = new RegExp(process.argv[2] ?? '\\.test\\.ts$');
const files = testFiles(join(ROOT, 'test')).filter((file) => pattern.test(file));
const results: FileResult[] = [];
const queue = [...files];
await Promise.all(Array.from({ length: availableParallelism() }, worker));

const passed = results.reduce((sum, result) => sum + result.passed, 0);
const failed = results.reduce((sum, result) => sum + result.failed, 0);
console.log(`suite total: ${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

async function worker(): Promise<void> {
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    const result = await runFile(file);
    results.push(result);
    const mark = result.failed === 0 ? 'ok  ' : 'FAIL';
    console.log(`${mark} ${result.file} (${result.passed} tests, ${result.seconds.toFixed(1)} s)`);
    if (result.failed > 0) console.log(result.output);
  }
}

function runFile(file: string): Promise<FileResult> {
  const started = performance.now();
  const child = spawn(process.execPath, [file], {
    cwd: ROOT,
    timeout: TIME_LIMIT_MS,
    env: { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1' },
  });
  let output = '';
  const collect = (chunk: Buffer): void => {
    output += chunk.toString();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  return new Promise((resolve) => {
    child.on('close', (code) =>
      resolve(resultOf(relative(ROOT, file), output, code, (performance.now() - started) / 1000)),
    );
  });
}

function resultOf(file: string, output: string, code: number | null, seconds: number): FileResult {
  const number = (label: string): number | undefined => {
    const match = new RegExp(`^\\s*${label}:\\s+(\\d+)`, 'm').exec(output);
    return match === null ? undefined : Number(match[1]);
  };
  const [total, passed, skipped] = [number('Total'), number('Passed'), number('Skipped')];
  if (total === undefined || passed === undefined || total === 0)
    return { file, passed: 0, failed: 1, seconds, output: `${output}\n(exit code ${code}, no totals)` };
  const failed = total - passed - (skipped ?? 0);
  return { file, passed, failed: failed === 0 && code !== 0 ? 1 : failed, seconds, output };
}

function testFiles(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((entry) => /\.(?:test|real)\.ts$/.test(entry))
    .map((entry) => join(folder, entry))
    .sort();
}
