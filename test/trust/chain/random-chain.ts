/**
 * Random chains with random flaws, as plain data: mostly a good path of one to five certificates, some of whose
 * members have an odd trait, and next to them certificates that look like members.
 */
import { fc } from '../../support/fuzz.ts';
import { daysFromNow, type Wish } from '../issue-certificate.ts';
import {
  authorityKeyId,
  inhibitAnyPolicy,
  nameConstraints,
  policies,
  policyMapping,
  privateExtension,
  requireExplicitPolicy,
  type Subtree,
  subjectKeyId,
} from './extensions.ts';
import { ecKeys, ed25519Keys, HOST, type Keys, makeParty, type Party, rsaKeys } from './party.ts';

const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANY_USAGE = '2.5.29.37.0';
const [POLICY, OTHER_POLICY, ANY_POLICY] = ['1.3.6.1.4.1.99999.2', '1.3.6.1.4.1.99999.3', '2.5.29.32.0'];

const DEPTH = 5;
/** The keys of levels, those of their twins, and rare ones. Made once: RSA takes its time. */
const OWN_KEYS: readonly Keys[] = Array.from({ length: DEPTH }, ecKeys);
const OTHER_KEYS: readonly Keys[] = Array.from({ length: DEPTH }, ecKeys);
const RSA = rsaKeys();
const RARE_KEYS: readonly Keys[] = [
  { ...ecKeys(), algorithm: 'ecdsa-sha1' },
  RSA,
  { ...RSA, algorithm: 'rsa-sha1' },
  { ...RSA, algorithm: 'rsa-md5' },
  { ...RSA, algorithm: 'rsa-pss' },
  { ...RSA, algorithm: 'rsa-pss-short-salt' },
  rsaKeys(768),
  ed25519Keys(),
];

/** Mostly the usual, sometimes one of the others. */
function rarely<T>(usual: T, ...others: readonly fc.Arbitrary<T>[]): fc.Arbitrary<T> {
  const weight = 12 * others.length;
  return fc.oneof(
    { weight, arbitrary: fc.constant(usual) },
    ...others.map((arbitrary) => ({ weight: 1, arbitrary })),
  );
}

const validity: fc.Arbitrary<Wish> = rarely<Wish>(
  {},
  fc.constant({ notBefore: daysFromNow(-20), notAfter: daysFromNow(-2) }),
  fc.constant({ notBefore: daysFromNow(2) }),
);
const usage: fc.Arbitrary<Wish> = rarely<Wish>(
  {},
  fc
    .subarray([SERVER_AUTH, CLIENT_AUTH, ANY_USAGE, '1.3.6.1.4.1.99999.9'], { minLength: 1 })
    .map((extendedKeyUsage) => ({ extendedKeyUsage })),
);
const authority: fc.Arbitrary<Wish> = rarely<Wish>(
  {},
  fc.constant({ basicConstraints: 'not-a-ca' }),
  fc.constant({ basicConstraints: 'absent' }),
  fc.constantFrom('digitalSignature' as const, 'keyCertSign' as const).map((keyUsage) => ({ keyUsage })),
  fc.nat({ max: 2 }).map((pathLength) => ({ pathLength })),
);

const subtree: fc.Arbitrary<Subtree> = fc.oneof(
  fc
    .constantFrom('ok.internal', '.ok.internal', 'OK.internal', HOST, `a.${HOST}`, 'k.internal', '')
    .map((dns) => ({
      dns,
    })),
  fc.constantFrom([10, 0, 0, 0, 255, 0, 0, 0], [192, 0, 2, 0, 255, 255, 255, 0]).map((cidr) => ({ cidr })),
);
const constraints = fc
  .tuple(
    fc.array(subtree, { maxLength: 2 }),
    fc.array(subtree, { maxLength: 1 }),
    fc.constantFrom(undefined, 'critical' as const),
  )
  .map(([permitted, excluded, critical]) => nameConstraints(permitted, excluded, critical));

const policyExtensions: fc.Arbitrary<readonly Buffer[]> = fc
  .record({
    ids: fc.subarray([POLICY, OTHER_POLICY, ANY_POLICY]),
    required: fc.option(fc.nat({ max: 2 }), { freq: 2 }),
    mapped: fc.constantFrom('no', 'no', 'yes'),
    inhibited: fc.option(fc.nat({ max: 1 }), { freq: 1 }),
  })
  .map(({ ids, required, mapped, inhibited }) => [
    ...(ids.length === 0 ? [] : [policies(...ids)]),
    ...(required === null ? [] : [requireExplicitPolicy(required)]),
    ...(mapped === 'no' ? [] : [policyMapping(POLICY, OTHER_POLICY)]),
    ...(inhibited === null ? [] : [inhibitAnyPolicy(inhibited)]),
  ]);

function extensions(policy: fc.Arbitrary<readonly Buffer[]>): fc.Arbitrary<readonly Buffer[]> {
  return fc
    .tuple(
      rarely<readonly Buffer[]>(
        [],
        fc.constantFrom(undefined, 'critical' as const).map((critical) => [privateExtension(critical)]),
      ),
      rarely<readonly Buffer[]>(
        [],
        constraints.map((one) => [one]),
      ),
      rarely<readonly Buffer[]>(
        [],
        fc.constantFrom('0', '1', '2').map((id) => [subjectKeyId(id)]),
      ),
      rarely<readonly Buffer[]>(
        [],
        fc.constantFrom('0', '1', '2').map((id) => [authorityKeyId(id)]),
      ),
      policy,
    )
    .map((lists) => lists.flat());
}

const caNames: fc.Arbitrary<Wish> = rarely<Wish>({}, fc.constant({ dnsNames: ['ca.ok.internal'] }));

function traits(policy: fc.Arbitrary<readonly Buffer[]>): fc.Arbitrary<Wish> {
  return fc
    .tuple(validity, usage, authority, caNames, extensions(policy))
    .map(([a, b, c, d, list]) => ({ ...a, ...b, ...c, ...d, extensions: list }));
}

const serverNames: fc.Arbitrary<Wish> = rarely<Wish>(
  { dnsNames: [HOST] },
  fc.constant({}),
  fc.constant({ ips: [[10, 0, 0, 7]] }),
  fc.constant({ dnsNames: [HOST], ips: [[192, 0, 2, 7]] }),
  fc
    .constantFrom(
      '*.ok.internal',
      '*.internal',
      '*',
      'REGISTRY.ok.Internal',
      `${HOST}.`,
      'reg*.ok.internal',
      '*.*.internal',
      'other.internal',
      '',
      ' ',
      'a..b',
    )
    .map((name) => ({ dnsNames: ['first.internal', name] })),
);

export interface RandomChain {
  readonly served: readonly Party[];
  readonly bundle: readonly Party[];
  readonly host: string;
}

/** A certificate that looks like the one of a level. */
const twin = fc.record({
  level: fc.nat({ max: DEPTH - 2 }),
  keys: fc.constantFrom('own' as const, 'other' as const),
  issuer: fc.constantFrom('same' as const, 'itself' as const, 'next' as const),
  place: fc.constantFrom('served' as const, 'bundle' as const),
});

export const randomChain: fc.Arbitrary<RandomChain> = rarely(
  fc.constant<readonly Buffer[]>([]),
  fc.constant(policyExtensions),
).chain((policy) =>
  fc
    .record({
      depth: fc.nat({ max: DEPTH - 1 }),
      levels: fc.array(traits(policy), { minLength: DEPTH, maxLength: DEPTH }),
      rareKeys: fc.array(rarely<number | undefined>(undefined, fc.nat({ max: RARE_KEYS.length - 1 })), {
        minLength: DEPTH,
        maxLength: DEPTH,
      }),
      names: serverNames,
      twins: fc.array(fc.tuple(twin, traits(fc.constant([]))), { maxLength: 3 }),
      /** Which level is in the bundle: the root, mostly. */
      anchor: rarely(0, fc.nat({ max: DEPTH - 1 })),
      dropped: rarely<number | undefined>(undefined, fc.nat({ max: DEPTH - 1 }), fc.nat({ max: DEPTH - 1 })),
      order: fc.constantFrom('usual' as const, 'reversed' as const, 'doubled' as const, 'with-root' as const),
      host: rarely(
        HOST,
        fc.constantFrom('10.0.0.7', 'localhost', 'a.b', `${HOST}.`, 'Registry.OK.internal', '[10.0.0.7]'),
      ),
    })
    .map(({ depth, levels, rareKeys, names, twins, anchor, dropped, order, host }) => {
      const path: Party[] = [];
      for (let level = 0; level <= depth; level += 1) {
        const isLeaf = level === depth;
        const keys = RARE_KEYS[rareKeys[level] ?? -1] ?? OWN_KEYS[level];
        const wish = levels[level] ?? {};
        const server: Wish = { ...wish, basicConstraints: 'not-a-ca', dnsNames: [], ...names };
        const { dnsNames, ...withoutNames } = isLeaf ? server : wish;
        const named =
          dnsNames === undefined || dnsNames.length === 0 ? withoutNames : { ...withoutNames, dnsNames };
        path.push(makeParty({ ...named, name: isLeaf ? 'server' : `CA ${level}` }, path.at(-1), keys));
      }
      const others: Record<'served' | 'bundle', Party[]> = { served: [], bundle: [] };
      for (const [{ level, keys, issuer, place }, wish] of twins) {
        if (level >= depth) continue;
        const parent = { same: path[level - 1], itself: undefined, next: path[level + 1] }[issuer];
        const own = keys === 'own' ? path[level]?.keys : OTHER_KEYS[level];
        others[place].push(makeParty({ ...wish, name: `CA ${level}` }, parent, own));
      }
      const [leaf, ...above] = [...path].reverse();
      const sent = above.filter(
        (_, index) => index !== dropped && (order === 'with-root' || index < depth - 1),
      );
      const served = [...sent, ...others.served];
      if (order === 'reversed') served.reverse();
      if (order === 'doubled') served.push(...served);
      const anchored = path[Math.min(anchor, depth)];
      return {
        served: [...(leaf === undefined ? [] : [leaf]), ...served],
        bundle: [...others.bundle, ...(anchored === undefined ? [] : [anchored])],
        host,
      };
    }),
);
