/** Everything that may listen at a registry's address, and what the probe makes of it. */
import type { ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Diagnostic } from '../../../src/diagnostic.ts';
import { ranOut, startLimit } from '../../../src/resolve/limit.ts';
import { connectionFailure } from '../../../src/resolve/probe/connection-failure.ts';
import { describeProbe } from '../../../src/resolve/probe/describe-probe.ts';
import { type ProbeOutcome, probeRegistry } from '../../../src/resolve/probe/probe-registry.ts';
import { Secret } from '../../../src/secret.ts';
import { type CaBundle, parseCaBundle } from '../../../src/trust/ca-bundle.ts';
import { parseRegistryHost } from '../../../src/trust/registry-host.ts';
import { type Certificate, issue, makeCa } from '../../estate/certificates.ts';
import { closedPort } from '../../support/closed-port.ts';
import {
  type Answering,
  alert,
  http,
  https,
  type Listener,
  type ServingChain,
  tcp,
  tls,
} from './registries.ts';

const probe = suite('probe');

const HOST = parseRegistryHost('registry.example.internal:5000');
const DAY_MS = 86_400_000;
const daysFromNow = (days: number): Date => new Date(Date.now() + days * DAY_MS);

const ca = await makeCa({ commonName: 'good CA' });
const foreign = await makeCa({ commonName: 'foreign CA' });
const sameName = await makeCa({ commonName: 'good CA' });
const intermediate = await makeCa({ commonName: 'intermediate', issuer: ca });
const names = { dnsNames: [HOST.name] };
const serving = await issue(ca, names);
const bundle = bundleOf(ca);

function bundleOf(...certificates: readonly Certificate[]): CaBundle {
  const pem = certificates.map(({ certificatePem }) => certificatePem).join('');
  return parseCaBundle(new Secret(pem), new Date()).bundle;
}

interface Case {
  readonly name: string;
  readonly listener: () => Promise<Listener>;
  readonly code: Diagnostic['code'];
  /** In the message. */
  readonly says?: RegExp;
  readonly hints?: RegExp;
  readonly bundle?: CaBundle;
  readonly asked?: 'asked' | 'not-asked';
  readonly limitMs?: number;
}

const answers =
  (status: number, headers: Readonly<Record<string, string>> = {}): Answering =>
  (response: ServerResponse) =>
    response.writeHead(status, headers).end('{}');

const REGISTRY = { 'docker-distribution-api-version': 'registry/2.0' };
const answering = (
  name: string,
  code: Diagnostic['code'],
  answer: Answering,
  more: Partial<Case> = {},
): Case => ({ name, code, listener: () => https(serving, answer), asked: 'asked', ...more });

const served = (
  name: string,
  code: Diagnostic['code'],
  chain: ServingChain,
  more: Partial<Case> = {},
): Case => ({
  name,
  code,
  listener: () => https(chain, answers(200, REGISTRY)),
  asked: 'not-asked',
  ...more,
});

const CASES: readonly Case[] = [
  answering('200', 'PROBE_OK', answers(200, REGISTRY), { says: /CN=good CA \(sha256:[0-9a-f]{64}\) signed/ }),
  answering('200 of a registry that is OCI only', 'PROBE_OK', answers(200)),
  answering('401 with Basic', 'PROBE_LOGIN', answers(401, { 'www-authenticate': 'Basic realm="x"' }), {
    says: /\(401, Basic\)/,
  }),
  answering(
    '401 with Bearer, tokens elsewhere',
    'PROBE_LOGIN',
    answers(401, { 'www-authenticate': 'Bearer realm="https://auth.example.internal/token",service="r"' }),
    { says: /\(401, Bearer\).* Tokens come from auth\.example\.internal,/ },
  ),
  answering(
    '401 with Bearer, tokens there',
    'PROBE_LOGIN',
    answers(401, { 'www-authenticate': `Bearer realm="https://${HOST.key}/token"` }),
    { says: /\(401, Bearer\)(?!.*Tokens)/ },
  ),
  answering(
    '401 with Bearer and a realm that would forge a line',
    'PROBE_LOGIN',
    answers(401, { 'www-authenticate': 'Bearer realm="https://user:password@evil\tinternal/"' }),
    { says: /^(?!.*(?:password|evil))/ },
  ),
  answering('401 without scheme', 'PROBE_NOT_A_REGISTRY', answers(401), {
    says: /401.*neither Basic nor Bearer/,
  }),
  answering('401 with Negotiate', 'PROBE_NOT_A_REGISTRY', answers(401, { 'www-authenticate': 'Negotiate' })),
  answering('403', 'PROBE_FORBIDDEN', answers(403)),
  answering('404', 'PROBE_NOT_A_REGISTRY', answers(404), { says: /404/ }),
  answering(
    '302 to a login page',
    'PROBE_NOT_A_REGISTRY',
    answers(302, { location: 'https://127.0.0.1:9/' }),
    {
      says: /302, a redirect/,
    },
  ),
  answering('200 with a web page', 'PROBE_NOT_A_REGISTRY', answers(200, { 'content-type': 'text/html' }), {
    says: /a web page/,
  }),
  answering('421', 'PROBE_WRONG_NAME', answers(421), { says: /421/ }),
  answering('429', 'PROBE_SERVER_ERROR', answers(429), { says: /429/ }),
  answering('500', 'PROBE_SERVER_ERROR', answers(500)),
  answering('503', 'PROBE_SERVER_ERROR', answers(503), { says: /503/ }),
  answering('silence after the question', 'PROBE_TIMEOUT', () => undefined, {
    says: /before the answer/,
    limitMs: 1000,
  }),
  answering('reset after the question', 'PROBE_RESET', (response) => response.socket?.destroy(), {
    says: /before the answer/,
  }),
  answering('headers without end', 'PROBE_NOT_A_REGISTRY', (response) => {
    response.socket?.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}`);
  }),
  {
    name: 'TLS without HTTP',
    code: 'PROBE_NOT_A_REGISTRY',
    listener: () =>
      tls(serving, (socket) => socket.once('data', () => socket.end('220 mail.example ESMTP\r\n'))),
    says: /does not speak HTTP/,
  },
  {
    name: 'nothing',
    code: 'PROBE_REFUSED',
    listener: async () => ({ port: await closedPort(), asked: [], stop: async () => undefined }),
  },
  { name: 'HTTP without TLS', code: 'PROBE_NOT_TLS', listener: http },
  {
    name: 'SSH',
    code: 'PROBE_NOT_TLS',
    listener: () => tcp((socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n')),
  },
  {
    name: 'silence in the handshake',
    code: 'PROBE_TIMEOUT',
    listener: () => tcp(() => undefined),
    says: /during the TLS handshake/,
    limitMs: 1000,
  },
  {
    name: 'reset in the handshake',
    code: 'PROBE_RESET',
    listener: () => tcp((socket) => socket.resetAndDestroy()),
    says: /during the TLS handshake/,
    hints: /Envoy.*registry\.example\.internal/,
  },
  {
    name: 'the end in the handshake',
    code: 'PROBE_RESET',
    listener: () => tcp((socket) => socket.end()),
  },
  {
    name: 'alert unrecognized_name',
    code: 'PROBE_WRONG_NAME',
    listener: () => tcp((socket) => socket.end(alert(112))),
    says: /unrecognized_name/,
  },
  {
    name: 'alert handshake_failure',
    code: 'PROBE_HANDSHAKE',
    listener: () => tcp((socket) => socket.end(alert(40))),
  },
  {
    name: 'alert internal_error, as Go without a certificate for the name',
    code: 'PROBE_HANDSHAKE',
    listener: () => tcp((socket) => socket.end(alert(80))),
  },
  {
    name: 'TLS 1.1 alone',
    code: 'PROBE_HANDSHAKE',
    listener: () =>
      https(serving, answers(200), { maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'ALL@SECLEVEL=0' }),
  },
  ...(['TLSv1.2', 'TLSv1.3'] as const).map(
    (maxVersion): Case => ({
      name: `a client certificate is wanted, ${maxVersion}`,
      code: 'PROBE_HANDSHAKE',
      listener: () =>
        https(serving, answers(200), {
          requestCert: true,
          rejectUnauthorized: true,
          ca: foreign.certificatePem,
          maxVersion,
        }),
      asked: 'not-asked',
    }),
  ),
  served('a certificate of another CA', 'PROBE_UNKNOWN_AUTHORITY', await issue(foreign, names)),
  served(
    'the chain of another CA',
    'PROBE_UNKNOWN_AUTHORITY',
    {
      ...(await issue(foreign, names)),
      intermediates: [foreign],
    },
    { says: /leads to CN=foreign CA, which is not in the CA bundle/, hints: /^Compare/ },
  ),
  served(
    'a certificate of a CA with the same name',
    'PROBE_UNKNOWN_AUTHORITY',
    await issue(sameName, names),
    {
      says: /CN=good CA, but another key/,
      hints: /old and new/,
    },
  ),
  served('a self-signed certificate', 'PROBE_UNKNOWN_AUTHORITY', await makeSelfSigned('registry'), {
    says: /self-signed/,
  }),
  served(
    'the default certificate of an ingress',
    'PROBE_NAME_MISMATCH',
    await issue(foreign, {
      commonName: 'Kubernetes Ingress Controller Fake Certificate',
      dnsNames: ['ingress.local'],
    }),
    { hints: /when it has no certificate for a name/ },
  ),
  served('a chain without its intermediate', 'PROBE_UNKNOWN_AUTHORITY', await issue(intermediate, names), {
    says: /CN=intermediate, is neither sent along nor in the CA bundle/,
    hints: /whole chain/,
  }),
  served(
    'other names',
    'PROBE_NAME_MISMATCH',
    await issue(ca, { dnsNames: ['a.example.internal', '*.apps.example.internal'] }),
    {
      says: /not for registry\.example\.internal but for a\.example\.internal, \*\.apps\.example\.internal/,
    },
  ),
  served('no names', 'PROBE_NAME_MISMATCH', await issue(ca, { commonName: HOST.name }), {
    says: /subjectAltName/,
  }),
  served(
    'an expired certificate',
    'PROBE_EXPIRED',
    await issue(ca, { ...names, notBefore: daysFromNow(-9), notAfter: daysFromNow(-1) }),
    {
      says: /server certificate \(CN=registry\.example\.internal\) expired on \d{4}-/,
    },
  ),
  served(
    'a certificate of tomorrow',
    'PROBE_NOT_YET_VALID',
    await issue(ca, { ...names, notBefore: daysFromNow(1) }),
  ),
  served(
    'a certificate signed by one that is no CA',
    'PROBE_NOT_ALLOWED',
    {
      ...(await issue(serving, names)),
      intermediates: [serving],
    },
    { says: /without CA:TRUE/ },
  ),
  served(
    'a chain with its intermediate',
    'PROBE_OK',
    { ...(await issue(intermediate, names)), intermediates: [intermediate] },
    { asked: 'asked' },
  ),
  served('a new certificate, with old and new CA in the bundle', 'PROBE_OK', await issue(sameName, names), {
    bundle: bundleOf(ca, sameName),
    asked: 'asked',
    says: /CN=good CA \(sha256:[0-9a-f]{64}\) signed its certificate, valid until \d{4}-\d\d-\d\d; the other certificate of the bundle did not/,
  }),
];

for (const one of CASES) {
  probe(`${one.name}: ${one.code}`, async () => {
    const listener = await one.listener();
    try {
      const [first] = await probeOf(listener.port, one.bundle ?? bundle, one.limitMs);
      assert.is(first?.code, one.code, first?.message);
      assert.match(first?.message ?? '', /^registry\.example\.internal:5000 at 127\.0\.0\.1:\d+ /);
      if (one.says !== undefined) assert.match(first?.message ?? '', one.says);
      if (one.hints !== undefined) assert.match(first?.hint ?? '', one.hints);
      if (one.asked === 'not-asked') assert.equal(listener.asked, []);
      if (one.asked === 'asked') assert.equal(listener.asked, [`GET /v2/ ${HOST.key}`]);
    } finally {
      await listener.stop();
    }
  });
}

probe('no route, which needs another network: told with the address and the code', () => {
  const failure = connectionFailure(Object.assign(new Error(), { code: 'EHOSTUNREACH' }), 'connect');
  const [found] = describeProbe({
    host: HOST,
    endpoint: { ip: '2001:db8::15', port: 5000 },
    ca: bundle,
    outcome: { kind: 'not-connected', failure },
    now: new Date(),
  });
  assert.is(found.code, 'PROBE_UNREACHABLE');
  assert.match(found.message, /at \[2001:db8::15\]:5000 can't be reached from here \(EHOSTUNREACH\)/);
});

probe('what expires soon is told beside what it answers', async () => {
  const soon = await issue(ca, { ...names, notAfter: daysFromNow(10.5) });
  const listener = await https(soon, answers(200));
  const found = await probeOf(listener.port, bundle);
  await listener.stop();
  assert.equal(
    found.map(({ code, severity }) => [code, severity]),
    [
      ['PROBE_OK', 'info'],
      ['PROBE_EXPIRES_SOON', 'warning'],
    ],
  );
  assert.match(found[1]?.message ?? '', /in 10 days/);
});

probe('aborted by the caller it rejects with the reason, in each stage', async () => {
  for (const listener of [await tcp(() => undefined), await https(serving, () => undefined)]) {
    const controller = new AbortController();
    const asking = outcomeOf(listener.port, bundle, controller.signal).then(
      () => 'settled',
      (cause: unknown) => cause,
    );
    setTimeout(() => controller.abort('stop'), 300);
    assert.is(await asking, 'stop');
    await listener.stop();
  }
});

probe('no connection is left behind', async () => {
  for (const answer of [
    answers(200),
    (response: ServerResponse) => void response.writeHead(200).write('{'),
  ]) {
    const listener = await https(serving, answer);
    await probeOf(listener.port, bundle);
    // Ends only when all its connections have.
    await listener.stop();
  }
  while (openSockets() > 0) await new Promise((resolve) => setImmediate(resolve));
});

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => /TCPSocketWrap|TLSWrap/.test(kind)).length;
}

async function probeOf(port: number, caBundle: CaBundle, limitMs = 20_000): Promise<readonly Diagnostic[]> {
  const limit = startLimit(limitMs);
  try {
    const outcome = await outcomeOf(port, caBundle, limit.signal);
    assert.is(ranOut(limit.signal), limitMs < 20_000);
    return describeProbe({
      host: HOST,
      endpoint: { ip: '127.0.0.1', port },
      ca: caBundle,
      outcome,
      now: new Date(),
    });
  } finally {
    limit.end();
  }
}

function outcomeOf(port: number, caBundle: CaBundle, signal: AbortSignal): Promise<ProbeOutcome> {
  const endpoint = { ip: '127.0.0.1', port };
  return probeRegistry({ host: HOST, endpoint, ca: caBundle, now: new Date() }, signal);
}

async function makeSelfSigned(commonName: string): Promise<Certificate> {
  const own = await makeCa({ commonName, basicConstraints: 'absent' });
  return issue(own, { ...names, commonName, keys: own.keys });
}

probe.run();
