/** Kubeconfigs of every form, with whose credentials arrive at the API server by them, or with what a run refuses them. */
import { makeCa } from '../estate/certificates.ts';
import { byData, foreignJwt, type KubeconfigMaker, OK, OTHER } from './kubeconfig-maker.ts';
import { base64, kubeconfigOf } from './support.ts';

/** Gives what REGISTRY_CA_KUBECONFIG is set to. */
type Make = (m: KubeconfigMaker) => string | Promise<string>;

/** `user` as the API server knows him. */
export type Accepted = readonly [title: string, make: Make, user: string, codes?: string];

/** `says` is in standard error. */
export type Refused = readonly [title: string, make: Make, codes: string, says: RegExp];

const token = (text: string): string => JSON.stringify({ token: text });

export const ACCEPTED: readonly Accepted[] = [
  [
    'client certificate in data',
    async (m) => m.written(byData(await m.place.cluster.clientCertificate('valid'))),
    'admin',
  ],
  [
    'client certificate and CA in files beside it',
    async (m) => {
      const { certificatePem, keyPem } = await m.place.cluster.clientCertificate('valid');
      m.place.write('own/pki/client.crt', certificatePem);
      m.place.write('own/pki/client.key', keyPem);
      m.place.write('own/pki/ca.crt', m.place.cluster.servingCaPem);
      return m.written(
        { 'client-certificate': 'pki/client.crt', 'client-key': './pki/client.key' },
        { 'certificate-authority': 'pki/ca.crt', 'certificate-authority-data': undefined },
      );
    },
    'admin',
  ],
  ['token', (m) => m.written({ token: m.token }), 'admin-token'],
  [
    'tokenFile beside it, with a line end',
    (m) => {
      m.place.write('own/token', `${m.token}\n`);
      return m.written({ tokenFile: 'token' });
    },
    'admin-token',
  ],
  [
    'tokenFile wins over token',
    (m) => {
      m.place.write('own/token', m.token);
      return m.written({ tokenFile: './token', token: 'outdated' });
    },
    'admin-token',
  ],
  ['plug-in beside it gives a token', (m) => m.written(m.plugIn(token(m.token))), 'admin-token'],
  [
    'plug-in of v1beta1',
    (m) => m.written(m.plugIn(token(m.token), { apiVersion: 'client.authentication.k8s.io/v1beta1' })),
    'admin-token',
  ],
  [
    'plug-in gives a client certificate',
    async (m) => {
      const { certificatePem, keyPem } = await m.place.cluster.clientCertificate('valid');
      return m.written(
        m.plugIn(JSON.stringify({ clientCertificateData: certificatePem, clientKeyData: keyPem })),
      );
    },
    'admin',
  ],
  [
    'plug-in is told which cluster it is for, and its own environment',
    (m) => {
      const { url } = m.place.cluster;
      const isRight = `info.spec.cluster.server === '${url}' && info.spec.interactive === false && process.env.PROFILE === 'ops'`;
      const changes = { provideClusterInfo: true, env: [{ name: 'PROFILE', value: 'ops' }] };
      return m.written(m.plugIn(`${isRight} ? ${token(m.token)} : {}`, changes));
    },
    'admin-token',
  ],
  [
    'insecure-skip-tls-verify without a CA',
    (m) =>
      m.written(
        { token: m.token },
        { 'insecure-skip-tls-verify': true, 'certificate-authority-data': undefined },
      ),
    'admin-token',
    'KUBECONFIG_INSECURE HYDRATED',
  ],
  [
    'tls-server-name is what the certificate is checked for',
    (m) => m.written({ token: m.token }, { 'tls-server-name': m.place.cluster.dnsName }),
    'admin-token',
  ],
  [
    'the CA of the API server among others',
    async (m) => {
      const { certificatePem } = await makeCa();
      const both = base64(certificatePem + m.place.cluster.servingCaPem);
      return m.written({ token: m.token }, { 'certificate-authority-data': both });
    },
    'admin-token',
  ],
  [
    'a server with a slash at its end',
    (m) => m.written({ token: m.token }, { server: `${m.place.cluster.url}/` }),
    'admin-token',
  ],
  [
    'a context that is named, and is not the current one',
    (m) => `${m.place.write('several', m.several(OTHER))}#${OK}`,
    'admin-token',
  ],
  [
    'context, cluster and user in three files',
    (m) => {
      const { contexts, clusters, users } = m.several(OK);
      const name = { 'current-context': OK };
      return [
        m.place.write('list/contexts', { ...name, contexts }),
        m.place.write('list/clusters', { clusters }),
        m.place.write('list/users', { users }),
      ].join(':');
    },
    'admin-token',
  ],
  [
    'the same names in two files: the first counts',
    (m) => {
      const elsewhere = kubeconfigOf({ server: `https://127.0.0.1:9` }, { token: 'other' });
      return `${m.written({ token: m.token })}:${m.place.write('second', elsewhere)}`;
    },
    'admin-token',
  ],
];

const certificate =
  (state: 'expired' | 'early' | 'foreign'): Make =>
  async (m) =>
    m.written(byData(await m.place.cluster.clientCertificate(state)));

export const REFUSED: readonly Refused[] = [
  [
    'client certificate past its end',
    certificate('expired'),
    'CLUSTER_UNAUTHORIZED',
    /the client certificate expired on \d{4}-/,
  ],
  [
    'client certificate before its start',
    certificate('early'),
    'CLUSTER_UNAUTHORIZED',
    /the client certificate is not valid before \d{4}-.*\n.*clocks/,
  ],
  [
    'client certificate of another cluster',
    certificate('foreign'),
    'CLUSTER_UNAUTHORIZED',
    /so it is of another cluster or its CA was renewed/,
  ],
  [
    'token of nobody',
    (m) => m.written({ token: 'no-such-token' }),
    'CLUSTER_UNAUTHORIZED',
    /\(401\)\.\n.*revoked or is of another cluster/,
  ],
  [
    'token past its end',
    (m) => m.written({ token: foreignJwt(new Date('2026-01-02T03:04:05Z')) }),
    'CLUSTER_UNAUTHORIZED',
    /the token expired on 2026-01-02T03:04:05Z/,
  ],
  [
    'tokenFile with a token of nobody',
    (m) => {
      m.place.write('own/token', 'no-such-token\n');
      return m.written({ tokenFile: 'token', token: m.token });
    },
    'CLUSTER_UNAUTHORIZED',
    /revoked or is of another cluster/,
  ],
  [
    'tokenFile that is empty',
    (m) => {
      m.place.write('own/token', '');
      return m.written({ tokenFile: 'token' });
    },
    'CLUSTER_UNAUTHORIZED',
    /the user in the kubeconfig has none/,
  ],
  [
    'tokenFile that is missing',
    (m) => m.written({ tokenFile: 'gone' }),
    'KUBECONFIG_INVALID',
    /a file that its kubeconfig names can't be read \(ENOENT\)/,
  ],
  [
    'plug-in that gives a token of nobody',
    (m) => m.written(m.plugIn(token('no-such-token'))),
    'CLUSTER_UNAUTHORIZED',
    /Log in again with the kubeconfig’s credential plug-in/,
  ],
  [
    'name and password',
    (m) => m.written({ username: 'admin', password: 'secret' }),
    'CLUSTER_UNAUTHORIZED',
    /take no passwords/,
  ],
  ['no credentials', (m) => m.written({}), 'CLUSTER_UNAUTHORIZED', /the user in the kubeconfig has none/],
  [
    'a user who may read nothing',
    (m) => m.place.cluster.kubeconfigPath('powerless'),
    'CLUSTER_FORBIDDEN',
    /--role=registry-trust-read-\S+ --user=powerless --dry-run=client/,
  ],
  [
    'an administrator who acts as somebody who may not',
    (m) => m.written({ token: m.token, as: 'powerless' }),
    'CLUSTER_FORBIDDEN',
    / --user=powerless /,
  ],
  [
    'a user who may read nothing, where anyone may have answered',
    (m) => {
      const [{ user }] = JSON.parse(m.place.cluster.kubeconfig('powerless')).users;
      return m.written(user, {
        'insecure-skip-tls-verify': true,
        'certificate-authority-data': undefined,
      });
    },
    'CLUSTER_FORBIDDEN KUBECONFIG_INSECURE',
    /in place of USER, by: .* --user=USER --dry-run=client/,
  ],
  [
    'no CA for the API server',
    (m) => m.written({ token: m.token }, { 'certificate-authority-data': undefined }),
    'CLUSTER_TLS',
    /unknown authority/,
  ],
  [
    'a CA file that is missing',
    (m) => m.written({ token: m.token }, { 'certificate-authority': 'gone.crt' }),
    'KUBECONFIG_INVALID',
    /a file that its kubeconfig names can't be read \(ENOENT\)/,
  ],
  [
    'a tls-server-name that the certificate lacks',
    (m) => m.written({ token: m.token }, { 'tls-server-name': 'api.other.internal' }),
    'CLUSTER_TLS',
    /for other names than the server’s/,
  ],
  [
    'a context that no file has',
    (m) => `${m.written({ token: m.token })}:${m.place.write('several', m.several(OTHER))}#gone`,
    'KUBECONFIG_CONTEXT',
    /no context gone\.\n.*one of only, somewhere, arn:aws/,
  ],
  [
    'a list with a file that is missing',
    (m) => `${m.place.write('several', m.several(OTHER))}.gone:${m.written({ token: m.token })}`,
    'KUBECONFIG_NOT_FOUND',
    /can't be read \(ENOENT\)/,
  ],
  [
    'a list in which nobody has the user',
    (m) => {
      const { contexts, clusters } = m.several(OTHER);
      return [
        m.place.write('list/contexts', { 'current-context': OTHER, contexts }),
        m.place.write('list/clusters', { clusters }),
      ].join(':');
    },
    'KUBECONFIG_INVALID',
    /no complete user for context somewhere/,
  ],
];
