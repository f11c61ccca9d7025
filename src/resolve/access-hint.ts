/**
 * What an administrator pastes to allow one read: a Role for the one object, bound to whom the server refused. Nothing
 * follows it on its line.
 *
 * Invariant: whatever stands in the command is a checked name of an object, or a user name without a character that a shell
 * could take for something else; what a server says beyond that isn't repeated.
 */
import { type CustomRef, type ObjectRef, resourceOf } from './object-ref.ts';
import { statusBody } from './status-body.ts';

/** @param user whom the server named; without it the command has a place for the name */
export function accessHint(ref: ObjectRef | CustomRef, user: string | undefined): string {
  const { kind, namespace, name } = ref;
  const { group, plural } = resourceOf(ref);
  const role = `registry-trust-read-${kind.toLowerCase()}-${name}`;
  const kubectl = `kubectl -n ${namespace} create`;
  const grant = `${kubectl} role ${role} --verb=get --resource=${plural}${group && `.${group}`} --resource-name=${name}`;
  const bind = `${kubectl} rolebinding ${role} --role=${role} ${subject(user)}`;
  // What is misspelled in the config isn't to be made: `reconcile` makes namespaces too.
  const there = `kubectl get namespace ${namespace}`;
  const who =
    user === undefined
      ? ', with the name that kubectl --kubeconfig … auth whoami shows in place of USER,'
      : '';
  return `An administrator of that cluster allows it${who} by: ${there} && (${grant} ${AS_YAML}; echo ---; ${bind} ${AS_YAML}) | kubectl auth reconcile -f -`;
}

/** For `auth reconcile`: where somebody was allowed it before, `create` fails and `apply` would take it from him. */
const AS_YAML = '--dry-run=client -o yaml';

/** Letters, digits and signs that stand in user names (e-mail addresses, `system:node:…`), and mean nothing to a shell. */
const USER_NAME = /^[A-Za-z0-9][\w.@:/+-]{0,252}$/;

/**
 * Whom a 403 was meant for, from the Status of the server: it alone knows what name a certificate or token gives.
 * @param body of the answer, as text
 */
export function refusedUser(body: unknown): string | undefined {
  const { message } = statusBody(body);
  const text = typeof message === 'string' ? message : '';
  const [, user] = /: User "([^"]*)" cannot get resource "/.exec(text) ?? [];
  return user !== undefined && USER_NAME.test(user) ? user : undefined;
}

function subject(user = 'USER'): string {
  const [, namespace, name] = /^system:serviceaccount:([a-z0-9-]+):([a-z0-9.-]+)$/.exec(user) ?? [];
  return namespace === undefined || name === undefined
    ? `--user=${user}`
    : `--serviceaccount=${namespace}:${name}`;
}
