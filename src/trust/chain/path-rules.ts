/** Rules about a whole path, which Go applies once it is found: policies, extended key usage, name constraints. */
import { sameBytes } from '../der.ts';
import type { Certificate } from './certificate.ts';
import { permitNames } from './name-constraints.ts';
import type { Path } from './paths.ts';
import { satisfiesPolicies } from './policies.ts';
import type { ChainRule } from './verdict.ts';

export interface BrokenRule {
  readonly rule: Extract<ChainRule, 'policies' | 'extended-key-usage' | 'name-constraints'>;
  readonly certificate: Certificate;
}

/** The first rule that the path breaks, in Go's order. */
export function brokenRule(path: Path): BrokenRule | undefined {
  const [leaf] = path;
  if (leaf !== undefined && !satisfiesPolicies(path.map(policiesOf)))
    return { rule: 'policies', certificate: leaf };
  const limited = [...path].reverse().find((certificate) => !isForServers(certificate));
  if (limited !== undefined) return { rule: 'extended-key-usage', certificate: limited };
  const constrained = constrainingCa(path);
  return constrained === undefined ? undefined : { rule: 'name-constraints', certificate: constrained };
}

function policiesOf({ policies, subject, issuer }: Certificate) {
  return { policies, selfIssued: sameBytes(subject, issuer) };
}

const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const ANY_USAGE = '2.5.29.37.0';

function isForServers({ extendedKeyUsage }: Certificate): boolean {
  return (
    extendedKeyUsage.length === 0 ||
    extendedKeyUsage.includes(SERVER_AUTH) ||
    extendedKeyUsage.includes(ANY_USAGE)
  );
}

/** A CA that does not permit a name in a certificate below it. */
function constrainingCa(path: Path): Certificate | undefined {
  return path.find(({ nameConstraints }, index) =>
    path
      .slice(0, index)
      .some(
        ({ alternativeNames }) =>
          nameConstraints !== undefined &&
          alternativeNames !== undefined &&
          !permitNames(nameConstraints, alternativeNames),
      ),
  );
}
