/** Failures on the way to the values, as data: of DNS, of a proxy, and of a token that lies in a file. See `failures.ts`. */
import type { Code } from '../../src/diagnostic.ts';
import type { DnsAnswer } from './dns-server.ts';
import { REGISTRY_HOST } from './estate.ts';
import type { Failure, Planted } from './failures.ts';

/** What DNS answers for names below the registry's domain. Aliases have a secret for a name: a message may name records. */
export const DNS_ANSWERS: Readonly<Record<string, (planted: Planted) => DnsAnswer>> = {
  'servfail.ok-shared.internal': () => ({ rcode: 'SERVFAIL' }),
  'refused.ok-shared.internal': () => ({ rcode: 'REFUSED' }),
  'nxdomain.ok-shared.internal': () => ({ rcode: 'NXDOMAIN' }),
  'several.ok-shared.internal': ({ token }) => ({
    records: [
      { type: 'CNAME', data: `${token}.internal` },
      { type: 'A', name: `${token}.internal`, data: '10.0.0.1' },
      { type: 'A', name: `${token}.internal`, data: '10.0.0.2' },
    ],
  }),
};

/** Another host, and no Service that could know it too. */
const byDns = (name: string, code: Code, host: keyof typeof DNS_ANSWERS): Failure => ({
  name: `DNS: ${name}`,
  code,
  arrange: () => ({
    config: (text) => text.replaceAll(REGISTRY_HOST, host).replace(/^ {2}address:.*\n(?: {4}.*\n)*/m, ''),
    manifest: (text) => text.replaceAll(REGISTRY_HOST, host),
  }),
});

const byTokenFile = (
  name: string,
  code: Code,
  behaviour: string,
  content: (planted: Planted) => string,
): Failure => ({
  name: `tokenFile ${name}`,
  code,
  arrange: ({ hostile, file, planted }) => ({
    ca: hostile(behaviour, { tokenFile: file(content(planted)) }),
  }),
});

export const WAY_FAILURES: readonly Failure[] = [
  byDns('SERVFAIL', 'ADDRESS_NOT_FOUND', 'servfail.ok-shared.internal'),
  byDns('REFUSED', 'ADDRESS_NOT_FOUND', 'refused.ok-shared.internal'),
  byDns('NXDOMAIN', 'ADDRESS_NOT_FOUND', 'nxdomain.ok-shared.internal'),
  byDns('several addresses', 'ADDRESS_AMBIGUOUS', 'several.ok-shared.internal'),
  byTokenFile('that works', 'HYDRATED', 'ok', ({ fileToken }) => `${fileToken}\n`),
  byTokenFile('and 401 that echoes', 'CLUSTER_UNAUTHORIZED', '401', ({ fileToken }) => fileToken),
  byTokenFile(
    'of two lines',
    'KUBECONFIG_INVALID',
    'ok',
    ({ fileToken, token }) => `${fileToken}\n${token}\n`,
  ),
  {
    name: 'token in place of the path of its file',
    code: 'KUBECONFIG_INVALID',
    arrange: ({ hostile, planted }) => ({ ca: hostile('ok', { tokenFile: planted.fileToken }) }),
  },
  {
    name: 'HTTPS_PROXY with a password that it does not take: 407 that echoes',
    code: 'CLUSTER_PROXY',
    arrange: ({ hostile, planted, scoldingProxy }) => ({
      // Not of this machine, for which a proxy of the environment is passed by.
      ca: hostile('ok', undefined, { server: 'https://api.hostile.internal:6443' }),
      env: { HTTPS_PROXY: `http://user:${planted.proxyPassword}@${scoldingProxy}` },
    }),
  },
];
