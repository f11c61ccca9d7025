/**
 * Runs two commands in turn, A B A B …, and gives ratios pair by pair: a machine whose speed drifts slows both. Wall
 * time from spawn to exit; peak memory as the kernel accounts it for the finished child.
 */
import { spawn } from 'node:child_process';

export interface Command {
  readonly args: readonly string[];
  readonly input?: string;
}

export interface Ratios {
  readonly wall: number;
  readonly memory: number;
}

interface Run {
  readonly milliseconds: number;
  readonly peakKiB: number;
}

/** Medians of A/B over `pairs` pairs, after one warm-up of each. */
export async function ratios(a: Command, b: Command, pairs: number): Promise<Ratios> {
  await runOnce(a);
  await runOnce(b);
  const wall: number[] = [];
  const memory: number[] = [];
  for (let i = 0; i < pairs; i++) {
    const [ofA, ofB] = [await runOnce(a), await runOnce(b)];
    wall.push(ofA.milliseconds / ofB.milliseconds);
    memory.push(ofA.peakKiB / ofB.peakKiB);
  }
  return { wall: median(wall), memory: median(memory) };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((x, y) => x - y);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** The child prints its own peak on fd 3 as it exits: /proc goes away with it, and no tool needs to be installed. */
const REPORT_PEAK = new URL('report-peak.ts', import.meta.url).pathname;

async function runOnce({ args, input }: Command): Promise<Run> {
  const started = performance.now();
  const timed = await run(args, input);
  const milliseconds = performance.now() - started;
  if (timed.code !== 0) throw new Error(`exit code ${timed.code}: ${args.join(' ')}\n${timed.stderr}`);
  const peak = await run(['--import', REPORT_PEAK, ...args], input);
  return { milliseconds, peakKiB: Number(peak.peak) };
}

function run(args: readonly string[], input: string | undefined) {
  return new Promise<{ readonly code: number | null; readonly stderr: string; readonly peak: string }>(
    (resolve, reject) => {
      const child = spawn(process.execPath, args, { stdio: ['pipe', 'ignore', 'pipe', 'pipe'] });
      let [stderr, peak] = ['', ''];
      child.stderr?.on('data', (chunk: Buffer) => {
        stderr += chunk.toString();
      });
      (child.stdio[3] as NodeJS.ReadableStream | null)?.on('data', (chunk: Buffer) => {
        peak += chunk.toString();
      });
      child.on('error', reject).on('close', (code) => resolve({ code, stderr, peak }));
      child.stdin?.on('error', () => undefined).end(input ?? '');
    },
  );
}

export function readableRatio(value: number): string {
  return `${value.toFixed(2)} ×`;
}
