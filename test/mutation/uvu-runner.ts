/**
 * A test runner for Stryker that loads all tests once and runs those that a mutant concerns in the same process: starting
 * Node for each of thousands of mutants would take hours. Mutants are switched by Stryker's own variable.
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
  type TestResult,
  type TestRunner,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { messageText } from './message-text.ts';
import type { Collected, CollectedSuite } from './uvu-in-process.ts';

/** Tests that say something about the mutated folders; each loads nothing but them and what lies below. */
const FOLDERS = ['test/machine-config', 'test/machine-config/replay', 'test/manifest'];

/** What instrumented code and this runner share. */
type Shared = { [Key in keyof InstrumenterContext]: InstrumenterContext[Key] | undefined };

const context = globalThis as unknown as { __stryker__: Shared };
context.__stryker__ ??= {};

class UvuRunner implements TestRunner {
  #suites: readonly CollectedSuite[] = [];

  capabilities() {
    return { reloadEnvironment: false };
  }

  async init(): Promise<void> {
    const inProcess = pathToFileURL(join(import.meta.dirname, 'uvu-in-process.ts')).href;
    registerHooks({
      resolve: (specifier, resolving, next) =>
        specifier === 'uvu' ? { url: inProcess, shortCircuit: true } : next(specifier, resolving),
    });
    for (const folder of FOLDERS)
      for (const file of readdirSync(folder)
        .filter((name) => name.endsWith('.test.ts'))
        .sort())
        await import(pathToFileURL(join(process.cwd(), folder, file)).href);
    this.#suites = globalThis.collectedSuites ?? [];
  }

  async dryRun(): Promise<DryRunResult> {
    const tests = await this.#run(undefined, 'all');
    const { mutantCoverage } = context.__stryker__;
    return {
      status: DryRunStatus.Complete,
      tests,
      ...(mutantCoverage === undefined ? {} : { mutantCoverage }),
    };
  }

  async mutantRun({ activeMutant, testFilter, hitLimit }: MutantRunOptions): Promise<MutantRunResult> {
    context.__stryker__.activeMutant = activeMutant.id;
    context.__stryker__.hitLimit = hitLimit;
    context.__stryker__.hitCount = hitLimit === undefined ? undefined : 0;
    const tests = await this.#run(
      testFilter === undefined ? undefined : new Set(testFilter),
      'first failure',
    );
    const { hitCount } = context.__stryker__;
    if (hitLimit !== undefined && hitCount !== undefined && hitCount > hitLimit)
      return toMutantRunResult({ status: DryRunStatus.Timeout, reason: `hit ${hitCount} times` });
    return toMutantRunResult({ status: DryRunStatus.Complete, tests });
  }

  async #run(filter: ReadonlySet<string> | undefined, until: 'all' | 'first failure'): Promise<TestResult[]> {
    const results: TestResult[] = [];
    for (const { before, after, tests } of this.#suites) {
      const chosen = tests.filter(({ id }) => filter?.has(id) ?? true);
      if (chosen.length === 0) continue;
      for (const hook of before) await hook();
      for (const test of chosen) {
        const result = await runTest(test);
        results.push(result);
        if (until === 'first failure' && result.status === TestStatus.Failed) break;
      }
      for (const hook of after) await hook();
      if (until === 'first failure' && results.at(-1)?.status === TestStatus.Failed) break;
    }
    return results;
  }
}

async function runTest({ id, handler }: Collected): Promise<TestResult> {
  context.__stryker__.currentTestId = id;
  const start = performance.now();
  try {
    await handler();
    return { id, name: id, status: TestStatus.Success, timeSpentMs: performance.now() - start };
  } catch (cause) {
    const failureMessage = cause instanceof Error ? cause.message : String(cause);
    return {
      id,
      name: id,
      status: TestStatus.Failed,
      failureMessage,
      timeSpentMs: performance.now() - start,
    };
  } finally {
    context.__stryker__.currentTestId = undefined;
  }
}

export const strykerPlugins = [
  declareFactoryPlugin(PluginKind.TestRunner, 'uvu', () => new UvuRunner()),
  declareValuePlugin(PluginKind.Ignore, 'message-text', messageText),
];
