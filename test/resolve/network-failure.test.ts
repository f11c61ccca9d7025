import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Code } from '../../src/diagnostic.ts';
import { networkFailure } from '../../src/resolve/network-failure.ts';

const failure = suite('network failure');

const RULES: readonly (readonly [string, Code, RegExp])[] = [
  ['ECONNREFUSED', 'CLUSTER_REFUSED', /refuses/],
  ['ENOTFOUND', 'CLUSTER_UNREACHABLE', /ENOTFOUND/],
  ['EAI_AGAIN', 'CLUSTER_UNREACHABLE', /EAI_AGAIN/],
  ['EHOSTUNREACH', 'CLUSTER_UNREACHABLE', /EHOSTUNREACH/],
  ['ENETUNREACH', 'CLUSTER_UNREACHABLE', /ENETUNREACH/],
  ['ECONNRESET', 'CLUSTER_UNREACHABLE', /ECONNRESET/],
  ['UND_ERR_SOCKET', 'CLUSTER_UNREACHABLE', /UND_ERR_SOCKET/],
  ['a text with canary: secret', 'CLUSTER_UNREACHABLE', /unknown cause/],
  ['ETIMEDOUT', 'CLUSTER_TIMEOUT', /in time/],
  ['UND_ERR_CONNECT_TIMEOUT', 'CLUSTER_TIMEOUT', /in time/],
  ['UND_ERR_HEADERS_TIMEOUT', 'CLUSTER_TIMEOUT', /in time/],
  ['UND_ERR_BODY_TIMEOUT', 'CLUSTER_TIMEOUT', /in time/],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'CLUSTER_TLS', /unknown authority/],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'CLUSTER_TLS', /unknown authority/],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'CLUSTER_TLS', /unknown authority/],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'CLUSTER_TLS', /unknown authority/],
  ['CERT_SIGNATURE_FAILURE', 'CLUSTER_TLS', /unknown authority/],
  ['CERT_HAS_EXPIRED', 'CLUSTER_TLS', /expired/],
  ['CERT_NOT_YET_VALID', 'CLUSTER_TLS', /not valid yet/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'CLUSTER_TLS', /other names/],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'CLUSTER_TLS', /handshake/],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'CLUSTER_UNAUTHORIZED', /client certificate/],
  ['ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_EXPIRED', 'CLUSTER_UNAUTHORIZED', /client certificate/],
  ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', 'CLUSTER_UNAUTHORIZED', /client certificate/],
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'CLUSTER_UNAUTHORIZED', /client certificate/],
  ['ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', 'CLUSTER_TLS', /handshake/],
  ['EPROTO', 'CLUSTER_TLS', /handshake/],
  ['UND_ERR_INVALID_ARG', 'KUBECONFIG_INVALID', /line end/],
  ['ERR_OSSL_PEM_NO_START_LINE', 'KUBECONFIG_INVALID', /certificate or key/],
];

function fetchError(code: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error('canary'), { code }) });
}

for (const [code, expected, problem] of RULES) {
  failure(`${code} is ${expected}`, () => {
    const found = networkFailure(fetchError(code));
    assert.is(found?.code, expected);
    assert.match(found?.problem ?? '', problem);
    assert.not.match(JSON.stringify(found), /canary/);
  });
}

failure('the code may sit one level deeper, as in a body that breaks off', () => {
  assert.is(
    networkFailure(new TypeError('terminated', { cause: fetchError('ECONNRESET') }))?.code,
    'CLUSTER_UNREACHABLE',
  );
});

failure('an error of no connection is none', () => {
  for (const cause of [new SyntaxError('canary'), new TypeError('x is not iterable'), 'text', undefined]) {
    assert.is(networkFailure(cause), undefined);
  }
});

failure.run();
