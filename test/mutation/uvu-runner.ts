/**
 * A test runner for Stryker that loads all tests once and runs those that a mutant concerns in the same process: starting
 * Node for each of thousands of mutants would take hours. Mutants are switched by Stryker's own variable.
 *
 * A verdict never depends on what an earlier mutant left behind: a test that fails with the mutant must pass without it,
 * else the process is given up and Stryker asks again in a fresh one. A mutant of what runs while modules load gets a
 * fresh process too, and is switched on before they do.
 */
import { readdirSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { InstrumenterContext } from '@stryker-mutator/api/core';
import { declareFactoryPlugin, declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';
import {
  type DryRunResult,
  DryRunStatus,
  type MutantRunOptions,
  type MutantRunResult,
  MutantRunStatus,
  type TestResult,
  type TestRunner,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import fc from 'fast-check';
import { messageText } from './message-text.ts';
import type { Collected } from './uvu-in-process.ts';

/** Tests that say something about the mutated folders; each loads nothing but them and what lies below. */
const FOLDERS = ['test/machine-config', 'test/machine-config/replay', 'test/manifest'];

/** Generated tests need few cases here: a mutant that they find is found by the first. */
const FUZZ_RUNS = '40';

/**
 * Stryker calls a loop endless after a hundred times the hits of all tests without a mutant, which takes a loop here
 * longer than the time limit; no failing case is shrunk, so a fifth of that is plenty.
 */
const HIT_LIMIT_SHARE = 1 / 5;

/** What instrumented code and this runner share. */
type Shared = { [Key in keyof InstrumenterContext]: InstrumenterContext[Key] | undefined };

const context = globalThis as unknown as { __stryker__: Shared };
context.__stryker__ ??= {};

class UvuRunner implements TestRunner {
  #tests: readonly Collected[] | undefined;
  /** By the id of a test, how long it took last: cheap tests go first, for most mutants die at any of them. */
  readonly #milliseconds = new Map<string, number>();

  capabilities() {
    return { reloadEnvironment: false };
  }

  async init(): Promise<void> {
    process.env['FUZZ_RUNS'] ??= FUZZ_RUNS;
    const inProcess = pathToFileURL(join(import.meta.dirname, 'uvu-in-process.ts')).href;
    registerHooks({
      resolve: (specifier, resolving, next) =>
        specifier === 'uvu' ? { url: inProcess, shortCircuit: true } : next(specifier, resolving),
    });
  }

  async dryRun(): Promise<DryRunResult> {
    const tests: TestResult[] = [];
    for (const test of await this.#load()) tests.push(await this.#run(test));
    const { mutantCoverage } = context.__stryker__;
    return {
      status: DryRunStatus.Complete,
      tests,
      ...(mutantCoverage === undefined ? {} : { mutantCoverage }),
    };
  }

  async mutantRun(options: MutantRunOptions): Promise<MutantRunResult> {
    const { activeMutant, mutantActivation, testFilter } = options;
    const hitLimit = options.hitLimit && options.hitLimit * HIT_LIMIT_SHARE;
    if (mutantActivation === 'runtime') await this.#load();
    Object.assign(context.__stryker__, {
      activeMutant: activeMutant.id,
      hitLimit,
      hitCount: hitLimit === undefined ? undefined : 0,
    });
    let all: readonly Collected[];
    try {
      all = await this.#load();
    } catch (cause) {
      return { status: MutantRunStatus.Killed, killedBy: [], failureMessage: messageOf(cause), nrOfTests: 0 };
    }
    const filter = testFilter === undefined ? undefined : new Set(testFilter);
    const tests: TestResult[] = [];
    for (const test of this.#cheapestFirst(all.filter(({ id }) => filter?.has(id) ?? true))) {
      const result = await this.#run(test);
      tests.push(result);
      if (result.status !== TestStatus.Failed) continue;
      const { hitCount } = context.__stryker__;
      if (hitLimit !== undefined && hitCount !== undefined && hitCount > hitLimit)
        return toMutantRunResult({ status: DryRunStatus.Timeout, reason: `hit ${hitCount} times` });
      if (mutantActivation === 'runtime') await this.#holdsWithoutMutant(test);
      break;
    }
    return toMutantRunResult({ status: DryRunStatus.Complete, tests });
  }

  /** Loads all tests, and what they test, once. */
  async #load(): Promise<readonly Collected[]> {
    if (this.#tests !== undefined) return this.#tests;
    for (const folder of FOLDERS)
      for (const file of readdirSync(folder)
        .filter((name) => name.endsWith('.test.ts'))
        .sort())
        await import(pathToFileURL(join(process.cwd(), folder, file)).href);
    fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });
    this.#tests = globalThis.collectedTests ?? [];
    return this.#tests;
  }

  #cheapestFirst(tests: readonly Collected[]): readonly Collected[] {
    const cost = ({ id }: Collected): number => this.#milliseconds.get(id) ?? 0;
    return tests.toSorted((a, b) => cost(a) - cost(b));
  }

  async #holdsWithoutMutant(test: Collected): Promise<void> {
    context.__stryker__.activeMutant = undefined;
    const { status } = await this.#run(test);
    if (status === TestStatus.Failed) throw new Error(`an earlier mutant still acts on ${test.id}`);
  }

  async #run({ id, handler }: Collected): Promise<TestResult> {
    context.__stryker__.currentTestId = id;
    const start = performance.now();
    let failureMessage: string | undefined;
    try {
      await handler();
    } catch (cause) {
      failureMessage = messageOf(cause);
    }
    context.__stryker__.currentTestId = undefined;
    const timeSpentMs = performance.now() - start;
    const common = { id, name: id, timeSpentMs };
    if (failureMessage !== undefined) return { ...common, status: TestStatus.Failed, failureMessage };
    this.#milliseconds.set(id, timeSpentMs);
    return { ...common, status: TestStatus.Success };
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

export const strykerPlugins = [
  declareFactoryPlugin(PluginKind.TestRunner, 'uvu', () => new UvuRunner()),
  declareValuePlugin(PluginKind.Ignore, 'message-text', messageText),
];
