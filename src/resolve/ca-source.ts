/**
 * The CA bundle, from one key of a Secret or ConfigMap.
 *
 * Invariant: of the object, which may hold the CA's private key too, only the configured key is looked at; of the others
 * only the names are known. An object without the key, or with nothing in it, may be in the middle of a rotation: it is
 * read again a few times before that is believed.
 */
import type { Diagnostic, Location } from '../diagnostic.ts';
import { locate, refuse } from '../diagnostic.ts';
import { Secret } from '../secret.ts';
import type { RegistryTrust } from '../spec/registry-trust.ts';
import { type CaBundle, parseCaBundle } from '../trust/ca-bundle.ts';
import type { Cluster } from './cluster.ts';
import { locationOf } from './object-ref.ts';
import { type Limits, readObject } from './read-object.ts';
import { fromSource } from './refusals.ts';
import { RETRY, retry } from './retry.ts';

export interface ResolvedCa {
  readonly bundle: CaBundle;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads and parses the bundle. Warnings and infos as of `parseCaBundle`.
 * @throws Refusal SOURCE_KEY_MISSING, SOURCE_BAD_BASE64, CA_*, and those of `readObject`
 */
export async function resolveCa(args: {
  readonly ca: RegistryTrust['ca'];
  readonly cluster: Cluster;
  readonly limits: Limits;
  readonly now: Date;
}): Promise<ResolvedCa> {
  const { ca, cluster, limits, now } = args;
  const fields = await readSettled(cluster, ca, limits);
  const field = fieldWith(ca.key, fields);
  if (field === undefined) return refuseMissingKey(ca, fields);
  const at = locationOf(ca, `/${field.name}/${escapePointer(ca.key)}`);
  const value = new Secret(field.values[ca.key] ?? '');
  const text = field.encoding === 'base64' ? decodeUtf8(decodeBase64(value, at), at) : value;
  return parseAt(text, now, at);
}

interface Field {
  readonly name: 'data' | 'binaryData';
  readonly encoding: 'base64' | 'text';
  readonly values: Readonly<Record<string, string>>;
}

/** A wrong key in the config is told a second later than it could be; a rotation takes less. */
const REREADS = 2;

async function readSettled(
  cluster: Cluster,
  ca: RegistryTrust['ca'],
  limits: Limits,
): Promise<readonly Field[]> {
  const { pausesMs } = limits.retry ?? RETRY;
  const read = await retry<readonly Field[], readonly Field[]>({
    attempt: async () => {
      const fields = await readFields(cluster, ca, limits);
      const isSettled = (fieldWith(ca.key, fields)?.values[ca.key] ?? '') !== '';
      return isSettled ? { kind: 'done', value: fields } : { kind: 'transient', failure: fields };
    },
    policy: { pausesMs: pausesMs.slice(0, REREADS) },
    signal: limits.signal,
  });
  return read.kind === 'done' ? read.value : read.failure;
}

function fieldWith(key: string, fields: readonly Field[]): Field | undefined {
  return fields.find(({ values }) => typeof values[key] === 'string');
}

async function readFields(
  cluster: Cluster,
  ca: RegistryTrust['ca'],
  limits: Limits,
): Promise<readonly Field[]> {
  const { kind, namespace, name } = ca;
  if (kind === 'Secret') {
    const { data = {} } = await readObject(cluster, { kind, namespace, name }, limits);
    return [{ name: 'data', encoding: 'base64', values: data }];
  }
  const { data = {}, binaryData = {} } = await readObject(cluster, { kind, namespace, name }, limits);
  return [
    { name: 'data', encoding: 'text', values: data },
    { name: 'binaryData', encoding: 'base64', values: binaryData },
  ];
}

/** What Kubernetes allows in a key; anything else isn't repeated. */
const KEY_NAME = /^[-._a-zA-Z0-9]{1,253}$/;

function refuseMissingKey(ca: RegistryTrust['ca'], fields: readonly Field[]): never {
  const keys = fields
    .flatMap(({ values }) => Object.keys(values))
    .filter((key) => KEY_NAME.test(key))
    .sort();
  return refuse(
    'SOURCE_KEY_MISSING',
    `${ca.kind} ${ca.namespace}/${ca.name} has no key ${ca.key}.`,
    keys.length === 0
      ? 'It has no keys at all; whatever fills it has not done so yet.'
      : `It has ${keys.join(', ')}: set one of them as key.`,
    locationOf(ca),
  );
}

/** Standard base64 with padding, which is what the API server writes; Node alone would skip whatever isn't. */
function decodeBase64(value: Secret, at: Location): Secret<Buffer> {
  const bytes = Buffer.from(value.reveal(), 'base64');
  if (bytes.toString('base64') === value.reveal()) return new Secret(bytes);
  const hint =
    'An API server gives only valid base64 here: a proxy or a stand-in may have changed the answer.';
  return refuse(
    'SOURCE_BAD_BASE64',
    'The value is not base64 (standard alphabet, padded, one line).',
    hint,
    at,
  );
}

function decodeUtf8(bytes: Secret<Buffer>, at: Location): Secret {
  try {
    return new Secret(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.reveal()));
  } catch {
    const hint = 'Store the CA as PEM text; DER has to be converted first (openssl x509 -inform der).';
    return refuse('CA_INVALID', 'The CA is not text (UTF-8).', hint, at);
  }
}

function parseAt(text: Secret, now: Date, at: Location): ResolvedCa {
  const { bundle, diagnostics } = fromSource({ at }, () => parseCaBundle(text, now));
  return { bundle, diagnostics: diagnostics.map((diagnostic) => locate(diagnostic, at)) };
}

/** RFC 6901. */
function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
