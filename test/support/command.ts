/** Runs the built command as users do, as a child process. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');
export const COMMAND = join(ROOT, 'dist', 'registry-trust.js');

if (!existsSync(COMMAND)) throw new Error('dist/ is missing: run npm run build (make test does)');

export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** File descriptor for stdout; without it stdout is a pipe. */
  readonly stdout?: number;
  readonly nodeArgs?: readonly string[];
  /** After which it is killed, and its exit code is null: a hang. */
  readonly limitMs?: number;
  readonly onStart?: (pid: number) => void;
}

/** Only what is passed is in the environment: nothing of the machine that runs the tests. */
export function runCommand(args: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
  return run(process.execPath, [...(options.nodeArgs ?? []), COMMAND, ...args], options);
}

export function run(file: string, args: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, {
      cwd: options.cwd ?? ROOT,
      env: { PATH: process.env['PATH'] ?? '', ...options.env },
      stdio: ['pipe', options.stdout ?? 'pipe', 'pipe'],
      ...(options.limitMs === undefined ? {} : { timeout: options.limitMs, killSignal: 'SIGKILL' as const }),
    });
    if (child.pid !== undefined) options.onStart?.(child.pid);
    const output = { stdout: '', stderr: '' };
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      output.stdout += chunk;
    });
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      output.stderr += chunk;
    });
    child.on('error', reject).on('close', (code) => resolve({ code, ...output }));
    child.stdin?.on('error', () => undefined).end(options.input ?? '');
  });
}
