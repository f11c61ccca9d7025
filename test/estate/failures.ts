/**
 * The failures of an estate as data: what is arranged, and the code that `render` must start with. In each of them secrets
 * are where they could be picked up: in what servers, plug-ins and files say.
 */
import type { Code } from '../../src/diagnostic.ts';
import { type HostileAnswer, page, status } from './hostile-api.ts';
import { REGISTRY_FAILURES } from './registry-failures.ts';
import { WAY_FAILURES } from './way-failures.ts';

/** Secrets of a run; all are canaries. */
export interface Planted {
  readonly token: string;
  /** In a file that a kubeconfig names. */
  readonly fileToken: string;
  readonly pluginToken: string;
  readonly proxyPassword: string;
  /** Of the registry: in its htpasswd, and in the Secret of authSecretRef. */
  readonly registryPassword: string;
  /** In a manifest, where nobody should commit it. */
  readonly committed: string;
  readonly clientKeyPem: string;
  readonly caKeyPem: string;
}

export interface Place {
  readonly planted: Planted;
  /** PEM of the registry's CA, and of CAs that can't be used. */
  readonly pem: {
    readonly ca: string;
    readonly expired: string;
    readonly notACa: string;
    readonly client: string;
  };
  /** Kubeconfig whose server does what is named, for the given user. */
  readonly hostile: (behaviour: string, user?: object, cluster?: object) => string;
  readonly real: (
    user: 'admin-token' | 'powerless' | 'expired' | 'foreign' | 'wrong-token' | 'wrong-ca',
  ) => string;
  /** Kubeconfig part that runs Node with a script. */
  readonly plugin: (script: string) => object;
  /** Path of a file with this content. */
  readonly file: (content: string) => string;
  readonly closedPort: number;
  /** Where one of `REGISTRIES` listens: `ip:port`. */
  readonly registry: (name: string) => string;
  /** `host:port` of a proxy that answers 407 and repeats what it was sent. */
  readonly scoldingProxy: string;
}

export interface Arrangement {
  /** Text of the CA cluster's kubeconfig, or the path given in its place; by default one that works. */
  readonly ca?: string | { readonly path: string };
  readonly context?: string;
  readonly infra?: string;
  readonly workload?: string;
  /** Where `review` finds the registry, by default one that answers. */
  readonly registry?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly config?: (text: string) => string;
  readonly manifest?: (text: string) => string;
}

export interface Failure {
  readonly name: string;
  /** Of the first line of `render`, which says nothing when all is well with a mirror. */
  readonly code: Code | 'nothing';
  readonly arrange: (place: Place) => Arrangement;
}

/** Behaviours of the hostile server in place of the Secret. */
export const HOSTILE_ANSWERS: Readonly<Record<string, HostileAnswer>> = {
  ...Object.fromEntries(
    [400, 401, 403, 404, 409, 422, 429, 500, 503].map((code) => [`${code}`, status(code)]),
  ),
  ...Object.fromEntries([200, 401, 403, 502].map((code) => [`page-${code}`, page(code)])),
  'text-500': page(500, 'text/plain'),
  redirect: {
    status: 302,
    headers: ({ authorization }) => ({
      location: `https://127.0.0.1:1/login?was=${encodeURIComponent(authorization)}`,
    }),
    body: ({ object }) => object,
  },
  'odd-headers': {
    status: 429,
    headers: ({ authorization }) => ({ 'retry-after': authorization, warning: `299 - "${authorization}"` }),
    body: ({ object }) => object,
  },
  'another-object': {
    status: 200,
    body: ({ object }) => object.replaceAll('ok-shared-internal-ca', 'other'),
  },
  'status-200': { status: 200, body: (said) => JSON.stringify({ kind: 'Status', message: said.object }) },
  'broken-json': { status: 200, body: ({ object }) => object.replace('"tls.key":', '"tls.key" ') },
  'not-base64': { status: 200, body: ({ object }) => object.replaceAll('LS0t', '**--') },
  truncated: 'truncated',
  reset: 'reset',
  silent: 'silent',
};

/** Contents of `ca.crt` that the hostile server gives. */
export const CA_CONTENTS: Readonly<Record<string, (place: Place) => string>> = {
  'ca-empty': () => '',
  'ca-key': ({ planted }) => planted.caKeyPem,
  'ca-with-key': ({ pem, planted }) => pem.ca + planted.caKeyPem,
  'ca-broken-key': ({ planted }) => planted.caKeyPem.replace('-----END PRIVATE KEY-----', '-----END'),
  'ca-text': ({ pem, planted }) =>
    `token: ${planted.token}\n${pem.ca}password: ${planted.registryPassword}\n`,
  'ca-expired': ({ pem }) => pem.expired,
  'ca-leaf': ({ pem }) => pem.notACa,
  'ca-token': ({ planted }) => planted.token,
};

const byCa = (name: string, code: Code, behaviour: string): Failure => ({
  name,
  code,
  arrange: ({ hostile }) => ({ ca: hostile(behaviour) }),
});
const byRealUser = (user: Parameters<Place['real']>[0], code: Code): Failure => ({
  name: `real API server: ${user}`,
  code,
  arrange: ({ real }) => ({ ca: real(user) }),
});
const byPlugin = (name: string, code: Code, script: (planted: Planted) => string): Failure => ({
  name: `credential plug-in ${name}`,
  code,
  arrange: ({ hostile, plugin, planted }) => ({ ca: hostile('ok', plugin(script(planted))) }),
});
const byConfig = (name: string, code: Code, config: (text: string, planted: Planted) => string): Failure => ({
  name,
  code,
  arrange: ({ planted, real }) => ({ ca: real('admin-token'), config: (text) => config(text, planted) }),
});
const byManifest = (name: string, code: Code, lines: (secret: string) => string): Failure => ({
  name: `manifest: ${name}`,
  code,
  arrange: ({ planted }) => ({
    manifest: (text) =>
      text.replace(
        /^ *- registryTrust: .*\n(?=---\napiVersion: cluster)/m,
        (line) => lines(planted.committed) + line,
      ),
  }),
});
const byMirror = (name: string, code: Failure['code'], behaviour: string): Failure => ({
  name: `authSecretRef: ${name}`,
  code,
  arrange: ({ hostile }) => ({
    config: () => MIRROR,
    manifest: (text) => text.replace(/^ *- registryTrust: .*\n/gm, ''),
    workload: hostile(behaviour),
  }),
});

export const MIRROR = `apiVersion: fn.openkubes.io/v1alpha1
kind: RegistryMirror
metadata: {name: ghcr}
spec:
  registry: ghcr.io
  endpoints: [{url: "https://registry.ok-shared.internal/v2/ghcr.io", overridePath: true}]
  authSecretRef: {namespace: kube-system, name: registry-login}
`;

const json = (value: unknown): string => `process.stdout.write(${JSON.stringify(JSON.stringify(value))})`;
const credential = (token: string): object => ({
  apiVersion: 'client.authentication.k8s.io/v1',
  kind: 'ExecCredential',
  status: { token },
});
const insideOf = (text: string): string => `${text.slice(0, 20)}": [${text.slice(20)}`;

export const FAILURES: readonly Failure[] = [
  { name: 'none', code: 'HYDRATED', arrange: () => ({}) },
  byRealUser('admin-token', 'HYDRATED'),
  byRealUser('wrong-token', 'CLUSTER_UNAUTHORIZED'),
  byRealUser('powerless', 'CLUSTER_FORBIDDEN'),
  byRealUser('expired', 'CLUSTER_UNAUTHORIZED'),
  byRealUser('foreign', 'CLUSTER_UNAUTHORIZED'),
  byRealUser('wrong-ca', 'CLUSTER_TLS'),
  byConfig('real API server: no such Secret', 'SOURCE_NOT_FOUND', (text) =>
    text.replace('name: ok-shared-internal-ca', 'name: other'),
  ),
  byConfig('real API server: no such key', 'SOURCE_KEY_MISSING', (text) =>
    text.replace('key: ca.crt', 'key: ca.pem'),
  ),
  byConfig('real API server: the key of the private key', 'CA_PRIVATE_KEY', (text) =>
    text.replace('key: ca.crt', 'key: tls.key'),
  ),
  ...[400, 409, 422, 429, 500, 503].map((code) => byCa(`${code} that echoes`, 'CLUSTER_ERROR', `${code}`)),
  byCa('401 that echoes', 'CLUSTER_UNAUTHORIZED', '401'),
  byCa('403 that echoes', 'CLUSTER_FORBIDDEN', '403'),
  byCa('404 that echoes', 'SOURCE_NOT_FOUND', '404'),
  ...[200, 403, 502].map((code) => byCa(`web page with ${code}`, 'CLUSTER_ERROR', `page-${code}`)),
  byCa('web page with 401', 'CLUSTER_UNAUTHORIZED', 'page-401'),
  byCa('text with 500', 'CLUSTER_ERROR', 'text-500'),
  byCa('redirect with the token', 'CLUSTER_ERROR', 'redirect'),
  byCa('the token in Retry-After', 'CLUSTER_ERROR', 'odd-headers'),
  byCa('another object', 'CLUSTER_ERROR', 'another-object'),
  byCa('a Status with 200', 'CLUSTER_ERROR', 'status-200'),
  byCa('broken JSON', 'CLUSTER_ERROR', 'broken-json'),
  byCa('not base64', 'SOURCE_BAD_BASE64', 'not-base64'),
  byCa('truncated', 'CLUSTER_UNREACHABLE', 'truncated'),
  byCa('reset', 'CLUSTER_UNREACHABLE', 'reset'),
  byCa('silent', 'CLUSTER_TIMEOUT', 'silent'),
  byCa('ca.crt is empty', 'CA_EMPTY', 'ca-empty'),
  byCa('ca.crt is the private key', 'CA_PRIVATE_KEY', 'ca-key'),
  byCa('ca.crt has the private key too', 'CA_PRIVATE_KEY', 'ca-with-key'),
  byCa('ca.crt is half of a private key', 'CA_PRIVATE_KEY', 'ca-broken-key'),
  byCa('ca.crt has secrets between the blocks', 'CA_TEXT_IGNORED', 'ca-text'),
  byCa('ca.crt is expired', 'CA_EXPIRED', 'ca-expired'),
  byCa('ca.crt is no CA', 'CA_NOT_A_CA', 'ca-leaf'),
  byCa('ca.crt is a token', 'CA_INVALID', 'ca-token'),
  {
    name: 'connection refused',
    code: 'CLUSTER_REFUSED',
    arrange: ({ hostile, closedPort }) => ({
      ca: hostile('ok', undefined, { server: `https://127.0.0.1:${closedPort}` }),
    }),
  },
  {
    name: 'the CA is on the cluster itself, which is not there',
    code: 'SELF_REFERENCE',
    arrange: ({ hostile, closedPort }) => ({
      ca: hostile('ok', undefined, { server: `https://127.0.0.1:${closedPort}` }),
      config: (text) => text.replace(/^spec:\n/m, 'spec:\n  hostedOn: ok-consumer\n'),
    }),
  },
  {
    name: 'the CA is on the cluster itself, which echoes',
    code: 'SELF_REFERENCE',
    arrange: ({ hostile }) => ({ ca: hostile('500'), workload: hostile('500') }),
  },
  {
    name: 'name of the server unknown',
    code: 'CLUSTER_UNREACHABLE',
    arrange: ({ hostile }) => ({
      ca: hostile('ok', undefined, { server: 'https://no-such-host.invalid:6443' }),
    }),
  },
  {
    name: 'kubeconfig missing',
    code: 'KUBECONFIG_NOT_FOUND',
    arrange: () => ({ ca: { path: '/nowhere/ca' } }),
  },
  {
    name: 'kubeconfig broken inside the token',
    code: 'KUBECONFIG_INVALID',
    arrange: ({ hostile, planted }) => ({
      ca: hostile('ok').replace(planted.token, insideOf(planted.token)),
    }),
  },
  {
    name: 'kubeconfig in place of its path',
    code: 'KUBECONFIG_NOT_FOUND',
    arrange: ({ hostile }) => ({ ca: { path: hostile('ok') } }),
  },
  {
    name: 'kubeconfig as base64 in place of its path',
    code: 'KUBECONFIG_NOT_FOUND',
    arrange: ({ hostile }) => ({ ca: { path: Buffer.from(hostile('ok')).toString('base64') } }),
  },
  {
    name: 'kubeconfig is a list of tokens',
    code: 'KUBECONFIG_INVALID',
    arrange: ({ planted }) => ({ ca: `- ${planted.token}\n- ${planted.pluginToken}\n` }),
  },
  {
    name: 'kubeconfig without that context',
    code: 'KUBECONFIG_CONTEXT',
    arrange: () => ({ context: 'other' }),
  },
  {
    name: 'kubeconfig with a server without TLS',
    code: 'KUBECONFIG_INVALID',
    arrange: ({ hostile }) => ({ ca: hostile('ok', undefined, { server: 'http://127.0.0.1:8080' }) }),
  },
  {
    name: 'token with a line end',
    code: 'KUBECONFIG_INVALID',
    arrange: ({ hostile, planted }) => ({
      ca: hostile('ok', { token: `${planted.token}\n${planted.pluginToken}` }),
    }),
  },
  {
    name: 'client key that is broken',
    code: 'KUBECONFIG_INVALID',
    arrange: ({ hostile, planted, pem }) => ({
      ca: hostile('ok', clientUser(pem.client, planted.clientKeyPem.replace(/.{30}(?=\n-----END)/, '$'))),
    }),
  },
  {
    name: 'client key of another certificate',
    code: 'KUBECONFIG_INVALID',
    arrange: ({ hostile, planted, pem }) => ({ ca: hostile('ok', clientUser(pem.ca, planted.clientKeyPem)) }),
  },
  byPlugin('that works', 'HYDRATED', ({ pluginToken }) => json(credential(pluginToken))),
  byPlugin(
    'that fails and prints secrets',
    'KUBECONFIG_INVALID',
    ({ pluginToken }) => `console.error('refresh_token=${pluginToken}'); process.exit(1)`,
  ),
  byPlugin(
    'that prints a bare token',
    'KUBECONFIG_INVALID',
    ({ pluginToken }) => `console.log('${pluginToken}')`,
  ),
  byPlugin('that gives a token with a line end', 'KUBECONFIG_INVALID', ({ pluginToken }) =>
    json(credential(`${pluginToken}\nsecond line`)),
  ),
  byPlugin(
    'that hangs after it printed secrets',
    'CLUSTER_TIMEOUT',
    ({ pluginToken }) => `console.error('${pluginToken}'); setInterval(() => undefined, 1000)`,
  ),
  {
    name: 'proxy-url with a password, refused',
    code: 'CLUSTER_PROXY',
    arrange: ({ hostile, planted, closedPort }) => ({
      ca: hostile('ok', undefined, {
        'proxy-url': `http://user:${planted.proxyPassword}@127.0.0.1:${closedPort}`,
      }),
    }),
  },
  {
    name: 'HTTPS_PROXY with a password',
    code: 'HYDRATED',
    arrange: ({ planted, closedPort }) => ({
      env: {
        HTTPS_PROXY: `http://user:${planted.proxyPassword}@127.0.0.1:${closedPort}`,
        NO_PROXY: '127.0.0.0/8,127.0.0.1,127.0.0.2',
      },
    }),
  },
  {
    name: 'a token where the address belongs',
    code: 'ADDRESS_INVALID',
    arrange: ({ planted }) => ({ env: { REGISTRY_ADDRESS: planted.token } }),
  },
  {
    name: 'infra cluster echoes',
    code: 'CLUSTER_ERROR',
    arrange: ({ hostile }) => ({ infra: hostile('500') }),
  },
  ...WAY_FAILURES,
  ...REGISTRY_FAILURES,
  byMirror('works', 'nothing', 'login-good'),
  byMirror('403 that echoes', 'CLUSTER_FORBIDDEN', '403'),
  byMirror('dockerconfigjson that is broken', 'SOURCE_KEY_MISSING', 'login-broken'),
  byMirror('no credentials for the host', 'SOURCE_KEY_MISSING', 'login-other'),
  byManifest(
    'password in a patch that is no YAML',
    'PATCH_INVALID',
    (secret) =>
      `        - |\n          machine: {registries: {config: {a.internal: {auth: {password: ${secret}\n`,
  ),
  byManifest(
    'password beside a key that Talos refuses',
    'PATCH_FAILS',
    (secret) =>
      `        - |\n          machine: {registries: {config: {a.internal: {auth: {password: ${secret}, ${secret}: 1}}}}}\n`,
  ),
  byManifest(
    'secret where an operation belongs',
    'PATCH_FAILS',
    (secret) =>
      `        - |\n          - op: ${secret}\n            path: ${secret}\n            value: ${secret}\n`,
  ),
  byManifest(
    'talosconfig in a patch',
    'PATCH_FAILS',
    (secret) =>
      `        - |\n          contexts: {a: {ca: ${secret}, key: ${secret}}}\n          machine: {registries: ${secret}}\n`,
  ),
  {
    name: 'manifest: YAML that breaks inside a token',
    code: 'YAML_INVALID',
    arrange: ({ planted }) => ({
      manifest: (text) => text.replace('      sysctls', `\t"${insideOf(planted.committed)}`),
    }),
  },
  {
    name: 'manifest: the same key twice, with secrets',
    code: 'YAML_AMBIGUOUS',
    arrange: ({ planted: { committed } }) => ({
      manifest: (text) =>
        text.replace(
          '  generateType: worker\n',
          `  ${committed}: ${committed}\n      ${committed}: ${committed}\n      generateType: worker\n`,
        ),
    }),
  },
];

function clientUser(certificate: string, key: string): object {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) };
}
