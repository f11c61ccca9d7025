/**
 * Generated cases are the same in every run, so that a red run can be repeated and a green one stays green.
 * `FUZZ_SEED=$RANDOM FUZZ_RUNS=20000` looks further.
 */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['FUZZ_SEED'] ?? 20_261_201) });

/** Cases of a law: as many as the test wants, or as `FUZZ_RUNS` says. */
export function fuzzRuns(wanted: number): number {
  return Number(process.env['FUZZ_RUNS'] ?? wanted);
}

export { fc };
