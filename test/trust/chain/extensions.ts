/** Extensions for test certificates, as DER. */
import { extension } from '../issue-certificate.ts';
import { integer, oid, sequence, tlv } from '../write-der.ts';

export type Subtree = { readonly dns: string } | { readonly cidr: readonly number[] };

/** Address and mask follow each other in `cidr`. */
export function nameConstraints(
  permitted: readonly Subtree[],
  excluded: readonly Subtree[] = [],
  critical?: 'critical',
): Buffer {
  const trees = (tag: number, list: readonly Subtree[]): readonly Buffer[] =>
    list.length === 0 ? [] : [tlv(tag, ...list.map((tree) => sequence(generalName(tree))))];
  return extension('2.5.29.30', sequence(...trees(0xa0, permitted), ...trees(0xa1, excluded)), critical);
}

function generalName(tree: Subtree): Buffer {
  return 'dns' in tree ? tlv(0x82, Buffer.from(tree.dns)) : tlv(0x87, Buffer.from(tree.cidr));
}

export function subjectKeyId(id: string): Buffer {
  return extension('2.5.29.14', tlv(0x04, Buffer.from(id)));
}

/** `issuerOfIssuer` is the DER of a name. */
export function authorityKeyId(id: string | undefined, issuerOfIssuer?: Buffer): Buffer {
  const key = id === undefined ? [] : [tlv(0x80, Buffer.from(id))];
  const issuer =
    issuerOfIssuer === undefined ? [] : [tlv(0xa1, tlv(0xa4, issuerOfIssuer)), tlv(0x82, Buffer.from([7]))];
  return extension('2.5.29.35', sequence(...key, ...issuer));
}

/** One that nobody knows. */
export function privateExtension(critical?: 'critical'): Buffer {
  return extension('1.3.6.1.4.1.99999.1', tlv(0x05), critical);
}

export function policies(...ids: readonly string[]): Buffer {
  return extension('2.5.29.32', sequence(...ids.map((id) => sequence(oid(id)))));
}

export function requireExplicitPolicy(skip: number): Buffer {
  return extension('2.5.29.36', sequence(tlv(0x80, Buffer.from([skip]))), 'critical');
}

export function policyMapping(issuer: string, subject: string): Buffer {
  return extension('2.5.29.33', sequence(sequence(oid(issuer), oid(subject))));
}

export function inhibitAnyPolicy(skip: number): Buffer {
  return extension('2.5.29.54', integer(skip), 'critical');
}
