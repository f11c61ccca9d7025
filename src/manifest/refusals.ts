/** Refusals of patches that several files give, in one wording. */
import { error, type Location, Refusal } from '../diagnostic.ts';

export function refuseShape(at: Location, what: string, expected: string): never {
  throw new Refusal(error('PATCH_INVALID', `${what} is not ${expected}.`, 'Correct the patch.', at));
}

export function refuseVariable(at: Location): never {
  throw new Refusal(
    error(
      'PATCH_VARIABLE',
      'A variable or a value that is not text stands where a host, an address or a CA belongs.',
      'Expand variables before this step, or remove the setting: it will be written here.',
      at,
    ),
  );
}

export function refuseSpelling(at: Location, canonical: string): never {
  throw new Refusal(
    error(
      'PATCH_HOST_SPELLING',
      'The host is set here under another spelling (capitals, trailing dot or :443), which containerd treats as another host.',
      `Write ${canonical}.`,
      at,
    ),
  );
}

export function refuseNested(at: Location, pointer: string): never {
  throw new Refusal(
    error(
      'PATCH_NESTED',
      `This patch reaches inside ${pointer} in a way that can't be merged.`,
      `Consolidate it at the parent path: one add of ${pointer} with everything in its value.`,
      at,
    ),
  );
}
