/**
 * Goldens: each folder of `test/golden/` has an input, what it is about, and either the hydrated output or the codes
 * with which it is refused. `UPDATE_GOLDENS=1` writes what is missing or changed, for review with git diff.
 */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Diagnostic, hasErrors, Refusal } from '../../src/diagnostic.ts';
import { functionOutcome } from '../../src/function/run-function.ts';
import { hydrate } from '../../src/manifest/hydrate.ts';
import { type Intent, mirrorIntentOf, offlineIntent, trustIntentOf } from '../../src/manifest/intent.ts';
import type { Config } from '../../src/spec/config.ts';
import { readConfig } from '../../src/spec/config-source.ts';
import { GOLDEN_VALUES, notOwned } from '../support/owned-lines.ts';

const ROOT = join(import.meta.dirname, '..', 'golden');
const UPDATE = process.env['UPDATE_GOLDENS'] === '1';

const golden = suite('goldens');

/** Refused for what is only known online: the address, the fields of the credentials. */
const REFUSED_BY_VALUE = [
  'refused-crowded-block',
  'refused-host-document-renamed',
  'refused-other-credentials',
];

const folders = readdirSync(ROOT, { withFileTypes: true }).filter((entry) => entry.isDirectory());

golden('there are at least 60 of them', () => assert.ok(folders.length >= 60));

for (const { name } of folders) {
  const read = (file: string): string => readFileSync(join(ROOT, name, file), 'utf8');
  const input = read('input.yaml');

  golden(`${name}: ${read('about.txt').trim()}`, () => {
    const intent = intentIn(name);
    const actual = attempt(input, [intent]);
    compare(name, 'output.yaml', actual.output);
    compare(name, 'diagnostics.json', actual.diagnostics.length === 0 ? undefined : told(actual.diagnostics));
    if (actual.output === undefined) return;
    assert.is(hydrate(actual.output, [intent]).output, actual.output, 'hydrating again changes nothing');
    assert.equal(notOwned(input, actual.output, ALSO_OWNED[kindOf(name)]), [], 'only owned lines differ');
  });

  golden(`${name}: offline first, then hydrated, is hydrated`, () => {
    const intent = intentIn(name);
    const direct = attempt(input, [intent]);
    const offline = attempt(input, [intentIn(name, 'unknown')]);
    if (!REFUSED_BY_VALUE.includes(name))
      assert.is(
        offline.output === undefined,
        direct.output === undefined,
        'refused offline when refused online',
      );
    if (offline.output === undefined) return;
    assert.not(offline.output.includes(GOLDEN_VALUES.caBase64));
    if (intentIn(name, 'unknown').placeholder !== undefined)
      assert.match(offline.output, /registry(?:Trust|Mirror)"?: /, 'an offline manifest has placeholders');
    const then = attempt(offline.output, [intent]);
    assert.is(then.output, direct.output);
    assert.is(hasErrors(then.diagnostics), hasErrors(direct.diagnostics));
  });
}

golden(
  'without a config every input passes the function byte for byte, and no cluster is asked',
  async () => {
    const ports = {
      persist: 'refuse',
      resolve: () => Promise.reject(new Error('a cluster was asked')),
    } as const;
    for (const { name } of folders) {
      const input = readFileSync(join(ROOT, name, 'input.yaml'), 'utf8');
      assert.is((await functionOutcome(input, ports)).output, input, name);
    }
  },
);

golden.run();

/** Lines that belong to patches of the other kinds, and to the one that is switched off. */
const ALSO_OWNED: Readonly<Record<Config['kind'], RegExp>> = {
  RegistryTrust: /insecureSkipVerify/,
  RegistryMirror:
    /mirrors?:|registryMirror|ghcr\.io:|endpoints:|https:|overridePath|skipFallback|auth:|username|password|url:|mirror\.ok-shared/,
  ClusterNetwork: /cluster:|(?:pod|service)Subnets|[0-9a-f:]\/[0-9]/,
};

/** What goldens hydrate mirrors' credentials with. */
const CREDENTIALS = new Map([['mirror.ok-shared.internal', { username: 'golden', password: 'Z29sZGVu' }]]);

function configIn(name: string): Config {
  const own = join(ROOT, name, 'config.yaml');
  const result = readConfig(readFileSync(existsSync(own) ? own : join(ROOT, 'config.yaml'), 'utf8'));
  const [config] = result.configs;
  if (config === undefined) throw new Error(`${name}: the config is not enabled`);
  return config;
}

function kindOf(name: string): Config['kind'] {
  return configIn(name).kind;
}

function intentIn(name: string, values: 'known' | 'unknown' = 'known'): Intent {
  const config = configIn(name);
  if (values === 'unknown' || config.kind === 'ClusterNetwork') return offlineIntent(config);
  return config.kind === 'RegistryTrust'
    ? trustIntentOf(config, GOLDEN_VALUES)
    : mirrorIntentOf(config, config.auth === undefined ? new Map() : CREDENTIALS);
}

function attempt(
  input: string,
  intents: readonly Intent[],
): { readonly output: string | undefined; readonly diagnostics: readonly Diagnostic[] } {
  try {
    return hydrate(input, intents);
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    return { output: undefined, diagnostics: cause.diagnostics };
  }
}

/** With their words: who reviews a golden reads them as the operator will. */
function told(diagnostics: readonly Diagnostic[]): string {
  const rows = diagnostics.map(({ code, severity, message, hint, at }) => ({
    code,
    severity,
    message,
    hint,
    name: at?.name,
    pointer: at?.pointer,
    line: at?.line,
    column: at?.column,
  }));
  return `${JSON.stringify(rows, undefined, 2)}\n`;
}

function compare(name: string, file: string, actual: string | undefined): void {
  const path = join(ROOT, name, file);
  if (UPDATE) {
    if (actual === undefined) rmSync(path, { force: true });
    else writeFileSync(path, actual);
  }
  assert.is(actual, existsSync(path) ? readFileSync(path, 'utf8') : undefined, `${name}/${file}`);
}
