/**
 * `npm run bench`: the bundled function and `render --offline` against the same Node that runs an empty script, as
 * ratios. The numbers after each are the limits that the project holds itself to.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONFIG, resourceList, stream } from './generate.ts';
import { hydrateRatios } from './hydrate.ts';
import { type Command, ratios, readableRatio } from './measure.ts';

const BUNDLE = join(import.meta.dirname, '..', 'dist', 'registry-trust.js');
const PAIRS = Number(process.env['BENCH_PAIRS'] ?? 21);

const folder = mkdtempSync(join(tmpdir(), 'registry-trust-bench-'));
try {
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const empty: Command = { args: [file('empty.mjs', '')] };
  const config = file('config.yaml', CONFIG);
  const offline = (items: number, holders: number): Command => ({
    args: [BUNDLE, 'render', '--offline', '--config', config, file(`${items}.yaml`, stream(items, holders))],
  });
  const rows: readonly (readonly [string, Command, string])[] = [
    [
      'function, 10 items, 2 holders',
      { args: [BUNDLE], input: resourceList(10, 2) },
      'wall ≤ 1.7, memory ≤ 2',
    ],
    ['function, 1,000 items, 200 holders', { args: [BUNDLE], input: resourceList(1000, 200) }, 'wall ≤ 5'],
    ['render --offline, 10 items, 2 holders', offline(10, 2), 'wall ≤ 1.7, memory ≤ 2'],
    ['render --offline, 1,000 items, 200 holders', offline(1000, 200), 'wall ≤ 5'],
  ];
  console.log(`ratio to Node ${process.version} with an empty script, median of ${PAIRS} pairs\n`);
  console.log(`${'case'.padEnd(44)}${'wall'.padStart(8)}${'memory'.padStart(10)}   limits`);
  for (const [name, command, limits] of rows) {
    const { wall, memory } = await ratios(command, empty, PAIRS);
    console.log(
      `${name.padEnd(44)}${readableRatio(wall).padStart(8)}${readableRatio(memory).padStart(10)}   ${limits}`,
    );
  }
  const { toYaml, toOwnReader } = hydrateRatios(1000, 15);
  console.log(`\nhydrating 1,000 holders with existing patches, in one process, to parsing them once`);
  console.log(`${'with yaml'.padEnd(44)}${readableRatio(toYaml).padStart(8)}${''.padStart(10)}   ≤ 2`);
  console.log(`${'with our own reader'.padEnd(44)}${readableRatio(toOwnReader).padStart(8)}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
