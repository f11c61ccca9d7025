/** Our judgement of served chains is that of Go, for chains with all sorts of flaws. */
import { execFileSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ChainRule, ChainVerdict } from '../../src/trust/chain.ts';
import { realTool } from '../estate/tools/build.ts';
import { fc, fuzzRuns } from '../support/fuzz.ts';
import { bundleOf, judge } from './chain/party.ts';
import { type RandomChain, randomChain } from './chain/random-chain.ts';
import { NOW } from './issue-certificate.ts';

interface Answer {
  readonly kind: ChainVerdict['kind'];
  readonly rule?: ChainRule;
  readonly anchors?: readonly string[];
  readonly message?: string;
}

function askGo(chains: readonly RandomChain[]): readonly Answer[] {
  const lines = chains.map(({ served, bundle, host }) =>
    JSON.stringify({
      served: served.map(({ der }) => der.toString('base64')),
      bundle: bundleOf(bundle).pem.reveal(),
      host,
      now: NOW,
    }),
  );
  const input = `${lines.join('\n')}\n`;
  const output = execFileSync(realTool('chain-verifier'), { input, maxBuffer: 1 << 26, encoding: 'utf8' });
  return output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
}

/**
 * What Go calls an unknown authority, with a hint, and we by the rule; the hint is about the first candidate of that
 * name, our rule about the one whose key fits.
 */
const HINTED: Readonly<Partial<Record<ChainRule, RegExp>>> = {
  'not-a-ca': /parent certificate cannot sign/,
  'key-usage': /parent certificate cannot sign/,
  'weak-signature': /insecure algorithm/,
  'signature-algorithm': /algorithm unimplemented/,
  key: /rsa: .* key|algorithm unimplemented|keys smaller/,
};

function difference(verdict: ChainVerdict, answer: Answer): string | undefined {
  const told = `${verdict.kind} ${'rule' in verdict ? verdict.rule : ''}, Go: ${JSON.stringify(answer)}`;
  if (verdict.kind === 'not-allowed' && answer.kind === 'unknown-authority')
    return HINTED[verdict.rule] === undefined ? told : undefined;
  if (verdict.kind !== answer.kind) return told;
  if (verdict.kind === 'not-allowed') return answer.rule === verdict.rule ? undefined : told;
  if (verdict.kind !== 'trusted') return undefined;
  const anchors = verdict.anchors.map(({ fingerprint }) => fingerprint).sort();
  return anchors.join() === answer.anchors?.join() ? undefined : told;
}

const chain = suite('a served chain, by Go itself');
const RUNS = fuzzRuns(1500);

chain(`the same verdict, rule and anchors for ${RUNS} chains`, () => {
  const chains = fc.sample(randomChain, RUNS);
  const answers = askGo(chains);
  const verdicts = chains.map(({ served, bundle, host }) => judge(served, bundle, host));
  assert.is(answers.length, RUNS);
  assert.equal(
    verdicts.flatMap((verdict, index) => difference(verdict, answers[index] as Answer) ?? []),
    [],
  );
  const seen = new Map<string, number>();
  for (const verdict of verdicts) {
    const key =
      'rule' in verdict
        ? verdict.rule
        : 'reason' in verdict
          ? `${verdict.kind} ${verdict.reason}`
          : verdict.kind;
    seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  console.error(seen);
});

chain.run();
