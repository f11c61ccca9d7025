/** Standard input and output as people and orchestrators hand them over: slow, full, non-blocking, closed. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { COMMAND, runCommand } from '../support/command.ts';

const pipes = suite('pipes');

/** Larger than any pipe. */
const LARGE = `# ${'x'.repeat(120)}\n`.repeat(50_000);

let folder: string;

pipes.before(() => {
  folder = mkdtempSync(join(tmpdir(), 'registry-trust-pipes-'));
});

pipes.after(() => rmSync(folder, { recursive: true, force: true }));

pipes('a large input passes whole', async () => {
  const { code, stdout } = await runCommand([], { input: LARGE });
  assert.is(code, 0);
  assert.ok(stdout === LARGE);
});

pipes('input that comes late, in pieces, through a non-blocking socket', async () => {
  const [ours, theirs, server] = await socketPair();
  const child = spawn(process.execPath, [COMMAND], { stdio: [theirs, 'pipe', 'inherit'] });
  theirs.destroy();
  const output = collect(child.stdout);
  for (const piece of ['a: ', '1\n', 'b: é\n']) {
    await new Promise((resolve) => setTimeout(resolve, 60));
    ours.write(piece);
  }
  ours.end();
  assert.is(await output, 'a: 1\nb: é\n');
  server.close();
});

pipes('output to a non-blocking socket whose reader is slow', async () => {
  const [ours, theirs, server] = await socketPair();
  ours.pause();
  const child = spawn(process.execPath, [COMMAND], { stdio: ['pipe', theirs, 'inherit'] });
  theirs.destroy();
  child.stdin?.end(LARGE);
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.ok((await collect(ours)) === LARGE);
  server.close();
});

pipes('standard input that is closed is no input', async () => {
  const child = spawn('sh', ['-c', `exec '${process.execPath}' '${COMMAND}' <&-`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const code = new Promise((resolve) => child.on('close', resolve));
  assert.is(await collect(child.stdout), '');
  assert.ok([0, 1].includes((await code) as number));
});

pipes('input that is not UTF-8 is refused, since decoding it would change it', async () => {
  const child = spawn(process.execPath, [COMMAND], { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin?.end(Buffer.from([0x61, 0x3a, 0x20, 0xff, 0x0a]));
  const [stdout, stderr] = await Promise.all([collect(child.stdout), collect(child.stderr)]);
  assert.is(stdout, '');
  assert.match(stderr, /^error FILE_UNREADABLE/);
});

pipes('a byte order mark passes', async () => {
  const { stdout } = await runCommand([], { input: '\ufeffa: 1\n' });
  assert.is(stdout, '\ufeffa: 1\n');
});

pipes('a terminal as input gets a word on what to do', async () => {
  const child = spawn('script', ['-qec', `${process.execPath} ${COMMAND}`, '/dev/null'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = await collect(child.stdout);
  assert.match(output, /pipe a ResourceList or YAML documents in, or see registry-trust --help/);
});

pipes.run();

function collect(stream: NodeJS.ReadableStream | null): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream?.on('error', reject).on('end', () => resolve(Buffer.concat(chunks).toString()));
    stream?.resume();
  });
}

/** Two connected sockets; libuv makes both non-blocking, and a child inherits that. */
async function socketPair(): Promise<readonly [Socket, Socket, Server]> {
  const path = join(folder, `socket-${Math.random().toString(36).slice(2)}`);
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const ours = connect(path);
  const theirs = await accepted;
  return [ours, theirs, server];
}
