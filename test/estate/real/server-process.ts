/**
 * A real server as a child process of a test. It never outlives the test: it ends when its standard input does, which
 * the kernel closes for a test that crashed. It never keeps the test alive either, and nothing but its pid is signalled.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

export interface ServerProcess {
  readonly pid: number;
  /** The first line of its output. */
  readonly port: number;
  /** The later lines of its output so far. */
  readonly lines: readonly string[];
  /** Its error output. */
  readonly logFile: string;
  hasEnded(): boolean;
  stop(): Promise<void>;
}

export interface ServerProgram {
  readonly file: string;
  readonly args: readonly string[];
  /** Of the temporary folder at least, so that what it leaves goes with the test's own folder. */
  readonly env: Readonly<Record<string, string>>;
  /** The first line of its standard input. */
  readonly firstLine?: string;
  readonly logFile: string;
}

/** In an orderly end kube-apiserver takes three seconds, on a busy machine some more. */
const STOP_LIMIT_MS = 20_000;
const SHOWN_LOG_LINES = 40;

/** Rejects, with the end of its log, when the program ends before it has said its port. */
export async function startServerProcess(program: ServerProgram): Promise<ServerProcess> {
  const log = openSync(program.logFile, 'a', 0o600);
  const child = spawn(program.file, program.args, { env: program.env, stdio: ['pipe', 'pipe', log] });
  closeSync(log);
  const [stdin, stdout] = [child.stdin as Writable, child.stdout as Readable];
  stdin.on('error', () => undefined);
  if (program.firstLine !== undefined) stdin.write(`${program.firstLine}\n`);
  const lines: string[] = [];
  const port = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`${program.file} ended at once.\n${endOf(program.logFile)}`)));
    createInterface({ input: stdout })
      .once('line', (line) => resolve(Number(line)))
      .on('line', (line) => lines.push(line));
  });
  lines.shift();
  for (const handle of [child, stdin, stdout]) (handle as { unref?: () => void }).unref?.();
  return {
    pid: child.pid ?? 0,
    port,
    lines,
    logFile: program.logFile,
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    stop: () => stop(child),
  };
}

/** What a log ends with, for the message of a failure. */
export function endOf(logFile: string): string {
  return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-SHOWN_LOG_LINES).join('\n');
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  await ended;
  clearTimeout(impatience);
}
