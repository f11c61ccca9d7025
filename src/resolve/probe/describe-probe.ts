/** What a probe found, as diagnostics: what it means for nodes and what to look at next. */
import { type Code, type Diagnostic, error, info, warning } from '../../diagnostic.ts';
import type { CaBundle } from '../../trust/ca-bundle.ts';
import type { Trusted } from '../../trust/chain.ts';
import type { RegistryHost } from '../../trust/registry-host.ts';
import type { Answer, NoRegistrySign } from './ask-registry.ts';
import { type Endpoint, endpointText } from './connect-to.ts';
import type { ConnectionFailure, Stage } from './connection-failure.ts';
import { describeChain } from './describe-chain.ts';
import type { ProbeOutcome } from './probe-registry.ts';

export interface Probed {
  readonly host: RegistryHost;
  readonly endpoint: Endpoint;
  readonly ca: CaBundle;
  readonly outcome: ProbeOutcome;
  readonly now: Date;
}

/** Codes: PROBE_*. The first says how the probe ended. */
export function describeProbe(probed: Probed): readonly [Diagnostic, ...Diagnostic[]] {
  const { host, endpoint, outcome } = probed;
  const place = `${host.key} at ${endpointText(endpoint)}`;
  switch (outcome.kind) {
    case 'not-connected':
      return [failureDiagnostic(outcome.failure, place, host)];
    case 'not-trusted':
      return [describeChain(outcome.verdict, place, host)];
    case 'answered':
      return [
        answerDiagnostic(outcome.answer, outcome.chain, place, probed),
        ...expiry(outcome.chain, probed),
      ];
  }
}

const DAY_MS = 86_400_000;
const SOON_DAYS = 30;

function expiry({ leaf }: Trusted, { host, now }: Probed): readonly Diagnostic[] {
  const days = Math.floor((leaf.notAfter.getTime() - now.getTime()) / DAY_MS);
  if (days >= SOON_DAYS) return [];
  return [
    warning(
      'PROBE_EXPIRES_SOON',
      `The certificate of ${host.key} (${leaf.fingerprint}) expires on ${day(leaf.notAfter)}, in ${days} ${days === 1 ? 'day' : 'days'}.`,
      'Check that it is renewed by itself (cert-manager: kubectl get certificate -A); nodes need nothing, the CA stays.',
    ),
  ];
}

function answerDiagnostic(answer: Answer, chain: Trusted, place: string, probed: Probed): Diagnostic {
  const { host, ca } = probed;
  switch (answer.kind) {
    case 'open':
      return info(
        'PROBE_OK',
        `${place} answers as a registry (200, no login). ${signedBy(chain, ca)}`,
        'Nothing to do.',
      );
    case 'login': {
      const tokens =
        answer.tokenHost === undefined
          ? ''
          : ` Tokens come from ${answer.tokenHost}, which nodes must reach and trust as well.`;
      return info(
        'PROBE_LOGIN',
        `${place} answers as a registry that wants a login (401, ${answer.scheme}). ${signedBy(chain, ca)}${tokens}`,
        'Nothing to do for trust; pulls need an imagePullSecret or authSecretRef.',
      );
    }
    case 'misdirected':
      return wrongName(`${place} answers that it does not serve this name (421).`, host);
    case 'forbidden':
      return error(
        'PROBE_FORBIDDEN',
        `${place} is trusted, but forbids the question (403).`,
        'A rule in front of the registry (allowed networks, firewall for web applications) refuses this machine: check that it lets the nodes’ network through.',
      );
    case 'failing':
      return error(
        'PROBE_SERVER_ERROR',
        `${place} is trusted, but answers with status ${answer.status}.`,
        answer.status === 429
          ? 'It limits requests: try again later, and look at its limits before many nodes pull at once.'
          : 'The front is there and the registry behind it is not: look at its Pods and their logs.',
      );
    case 'no-registry':
      return error(
        'PROBE_NOT_A_REGISTRY',
        `${place} is trusted, but what answers is no registry (${answer.status}, ${SIGNS[answer.sign]}).`,
        `Check that the front leads /v2/ of ${host.name} to the registry, without a login page before it.`,
      );
    case 'not-http':
      return error(
        'PROBE_NOT_A_REGISTRY',
        `${place} is trusted, but does not speak HTTP.`,
        `Check the port: a registry listens for HTTPS there.`,
      );
    case 'broken':
      return failureDiagnostic(answer.failure, place, host);
  }
}

const SIGNS: Readonly<Record<NoRegistrySign, string>> = {
  'web-page': 'a web page',
  redirect: 'a redirect',
  'login-without-scheme': 'a login that is neither Basic nor Bearer',
  status: 'where a registry has 200 or 401',
};

/** With old and new in the bundle this is what a rotation waits for. */
function signedBy({ anchors, leaf }: Trusted, { certificates }: CaBundle): string {
  const names = anchors.map(({ subject, fingerprint }) => `${subject || 'no subject'} (${fingerprint})`);
  const others = certificates.length - anchors.length;
  const rest =
    others <= 0
      ? ''
      : `; the other ${others === 1 ? 'certificate' : `${others} certificates`} of the bundle did not`;
  return `${names.join(' and ')} signed its certificate, valid until ${day(leaf.notAfter)}${rest}.`;
}

const STAGES: Readonly<Record<Stage, string>> = {
  connect: 'before there was a connection',
  handshake: 'during the TLS handshake',
  answer: 'before the answer',
};

const FORWARDED = 'From where only a forwarded port leads there, give --connect-to 127.0.0.1:PORT.';

function failureDiagnostic(failure: ConnectionFailure, place: string, host: RegistryHost): Diagnostic {
  const failed = (code: Code, problem: string, hint: string): Diagnostic =>
    error(code, `${place} ${problem}.`, hint);
  switch (failure.kind) {
    case 'refused':
      return failed(
        'PROBE_REFUSED',
        'refuses the connection: nothing listens there',
        `Check the address, and that the registry's load balancer or ingress has this port. ${FORWARDED}`,
      );
    case 'unreachable':
      return failed(
        'PROBE_UNREACHABLE',
        `can't be reached from here (${failure.code})`,
        `There is no route: check the address and the VPN. ${FORWARDED} --skip-probe leaves the probe out.`,
      );
    case 'timeout':
      return failed(
        'PROBE_TIMEOUT',
        `is silent: the time ran out ${STAGES[failure.stage]}`,
        silence(failure.stage),
      );
    case 'reset':
      return failed(
        'PROBE_RESET',
        `broke off ${STAGES[failure.stage]}`,
        failure.stage === 'handshake'
          ? `Fronts that route by name (Envoy, Istio, HAProxy) reset for names they don't know: check that ${host.name} is configured there; else look for a firewall on the way.`
          : 'The front ended the connection: look at its log and at the registry behind it.',
      );
    case 'not-tls':
      return failed(
        'PROBE_NOT_TLS',
        'does not speak TLS',
        'This is the port of something else, perhaps of plain HTTP: give the TLS port in spec.host, or check the Service’s port.',
      );
    case 'unknown-name':
      return wrongName(`${place} refuses the name (TLS alert unrecognized_name).`, host);
    case 'client-certificate':
      return failed(
        'PROBE_HANDSHAKE',
        'wants a client certificate',
        'Nodes have none for it: switch mutual TLS off for the registry’s host.',
      );
    case 'handshake':
      return failed(
        'PROBE_HANDSHAKE',
        `does not complete the TLS handshake (${failure.code})`,
        `Check that the front has a certificate for ${host.name}, and speaks TLS 1.2 or 1.3.`,
      );
  }
}

function silence(stage: Stage): string {
  switch (stage) {
    case 'connect':
      return `A firewall drops the packets, or the load balancer has no address there. ${FORWARDED} --skip-probe leaves the probe out.`;
    case 'handshake':
      return 'Something accepts connections and passes nothing on: look at the load balancer’s backends. --timeout raises the limit.';
    case 'answer':
      return 'The front is there and the registry behind it hangs: look at its Pods and their storage. --timeout raises the limit.';
  }
}

function wrongName(message: string, host: RegistryHost): Diagnostic {
  return error(
    'PROBE_WRONG_NAME',
    message,
    `Add ${host.name} to the front of the registry: the rule of the ingress (or route) and its tls section; or the address is another front’s.`,
  );
}

function day(date: Date): string {
  return date.toISOString().slice(0, 10);
}
