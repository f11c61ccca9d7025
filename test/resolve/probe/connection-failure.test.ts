/** Failures that need another machine, or another kernel, to be had: by their codes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type ConnectionFailure,
  connectionFailure,
  type Stage,
} from '../../../src/resolve/probe/connection-failure.ts';

const failures = suite('connection failure');

const CASES: readonly (readonly [Stage, string, ConnectionFailure])[] = [
  ['connect', 'ETIMEDOUT', { kind: 'timeout', stage: 'connect' }],
  ['connect', 'EHOSTUNREACH', { kind: 'unreachable', code: 'EHOSTUNREACH' }],
  ['connect', 'ENETUNREACH', { kind: 'unreachable', code: 'ENETUNREACH' }],
  ['connect', 'EACCES', { kind: 'unreachable', code: 'EACCES' }],
  ['connect', 'ECONNRESET', { kind: 'unreachable', code: 'ECONNRESET' }],
  ['connect', 'x\u001b[31m', { kind: 'unreachable', code: 'unknown cause' }],
  ['handshake', 'EPIPE', { kind: 'reset', stage: 'handshake' }],
  ['handshake', 'ETIMEDOUT', { kind: 'timeout', stage: 'handshake' }],
  ['answer', 'UND_ERR_HEADERS_TIMEOUT', { kind: 'timeout', stage: 'answer' }],
  ['handshake', 'ERR_SSL_WRONG_VERSION_NUMBER', { kind: 'not-tls' }],
  ['handshake', 'ERR_SSL_UNSUPPORTED_PROTOCOL', { kind: 'handshake', code: 'ERR_SSL_UNSUPPORTED_PROTOCOL' }],
];

for (const [stage, code, failure] of CASES) {
  failures(`${JSON.stringify(code)} at ${stage}`, () => {
    assert.equal(connectionFailure(Object.assign(new Error('x'), { code }), stage), failure);
  });
}

/** As Node gives it when OpenSSL fails while it writes. */
const eproto = (reason: string, alert = ''): Error =>
  Object.assign(
    new Error(
      `write EPROTO 40E7:error:0A000458:SSL routines:ssl3_read_bytes:${reason}:../x.c:916:${alert}\n`,
    ),
    { code: 'EPROTO' },
  );

failures('EPROTO: the reason is in the text', () => {
  const found = [
    eproto('tlsv1 unrecognized name', 'SSL alert number 112'),
    eproto('ssl/tls alert handshake failure', 'SSL alert number 40'),
    eproto('tlsv13 alert certificate required', 'SSL alert number 116'),
    eproto('wrong version number'),
    eproto('packet length too long'),
    eproto('something else'),
  ].map((cause) => connectionFailure(cause, 'handshake'));
  assert.equal(found, [
    { kind: 'unknown-name' },
    { kind: 'handshake', code: 'TLS alert 40' },
    { kind: 'client-certificate' },
    { kind: 'not-tls' },
    { kind: 'not-tls' },
    { kind: 'handshake', code: 'EPROTO' },
  ]);
});

failures.run();
