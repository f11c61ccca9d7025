/**
 * Takes uvu's place while mutants are tested: suites are collected instead of run, so that one warm process can run any
 * test of any file, one by one, and stop at the first that fails. Only what our tests use of uvu is here.
 */
import type { suite as uvuSuite } from 'uvu';

type Hook = () => unknown;

export interface Collected {
  readonly id: string;
  readonly handler: Hook;
  readonly suite: CollectedSuite;
}

export interface CollectedSuite {
  readonly before: Hook[];
  readonly after: Hook[];
  readonly tests: Collected[];
}

declare global {
  var collectedSuites: CollectedSuite[] | undefined;
}

/** In the order of the files. */
export const suites: CollectedSuite[] = [];
globalThis.collectedSuites = suites;

let count = 0;

export const suite = ((name: string) => {
  const collected: CollectedSuite = { before: [], after: [], tests: [] };
  const prefix = `${++count}`;
  const add = (title: string, handler: Hook): void => {
    collected.tests.push({ id: `${prefix} ${name}: ${title}`, handler, suite: collected });
  };
  return Object.assign(add, {
    before: (hook: Hook) => void collected.before.push(hook),
    after: (hook: Hook) => void collected.after.push(hook),
    run: () => void suites.push(collected),
  });
}) as unknown as typeof uvuSuite;
