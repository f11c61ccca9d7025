/**
 * Takes uvu's place while mutants are tested: tests are collected instead of run, so that one warm process can run any
 * test of any file, one by one, and stop at the first that fails. Only what our tests use of uvu is here: a test file
 * that needs hooks, `only` or `skip` fails at loading rather than being run without them.
 */
import type { suite as uvuSuite } from 'uvu';

export interface Collected {
  readonly id: string;
  readonly handler: () => unknown;
}

declare global {
  var collectedTests: Collected[] | undefined;
}

globalThis.collectedTests = [];

let suites = 0;

export const suite = ((name: string) => {
  const prefix = `${++suites} ${name}`;
  const tests: Collected[] = [];
  const add = (title: string, handler: () => unknown): void => {
    tests.push({ id: `${prefix}: ${title}`, handler });
  };
  return Object.assign(add, { run: () => void globalThis.collectedTests?.push(...tests) });
}) as unknown as typeof uvuSuite;
