/**
 * Options of all commands: one table, read by `node:util`. Flags win over the environment.
 */
import { isTerminal } from '../stdio/read-input.ts';
import type { Colour } from '../stdio/report.ts';
import type { Fd } from '../stdio/write-output.ts';

const OPTIONS = {
  cluster: { type: 'string' },
  config: { type: 'string' },
  offline: { type: 'boolean' },
  show: { type: 'boolean' },
  output: { type: 'string', short: 'o' },
  'ca-kubeconfig': { type: 'string' },
  'infra-kubeconfig': { type: 'string' },
  'workload-kubeconfig': { type: 'string' },
  'registry-mirror': { type: 'string', multiple: true },
  'pod-subnets': { type: 'string' },
  'service-subnets': { type: 'string' },
  against: { type: 'string' },
  diff: { type: 'boolean' },
  address: { type: 'string' },
  'dns-server': { type: 'string', multiple: true },
  'connect-to': { type: 'string' },
  'skip-probe': { type: 'boolean' },
  timeout: { type: 'string' },
} as const;

export interface Options {
  readonly cluster?: string;
  readonly config?: string;
  readonly values: 'resolve' | 'offline';
  readonly terminal: 'redact' | 'show';
  readonly output: 'text' | 'json';
  readonly caKubeconfig?: string;
  readonly infraKubeconfig?: string;
  readonly workloadKubeconfig?: string;
  /** `HOST=URL`, as often as wanted. */
  readonly registryMirrors?: readonly string[];
  /** CIDRs separated by commas. */
  readonly podSubnets?: string;
  readonly serviceSubnets?: string;
  /** Objects as they are now. */
  readonly against?: string;
  /** Whether the infra cluster is asked for its objects. */
  readonly live: 'compare' | 'ignore';
  readonly address?: string;
  readonly dnsServers?: readonly string[];
  /** `ip:port`, for the registry's address. */
  readonly connectTo?: string;
  readonly probe: 'probe' | 'skip';
  readonly timeoutMs: number;
  readonly files: readonly string[];
}

/** Runs a command; gives its exit code. @throws UsageError, Refusal */
export type Command = (options: Options, env: NodeJS.ProcessEnv) => Promise<number>;

export class UsageError extends Error {}

const DEFAULT_TIMEOUT_SECONDS = 30;

/** @throws UsageError */
export function parseOptions(args: readonly string[]): Options {
  const { values, positionals } = readArgs(args);
  const output = values.output ?? 'text';
  if (output !== 'text' && output !== 'json') throw new UsageError('--output takes text or json.');
  const seconds = Number(values.timeout ?? DEFAULT_TIMEOUT_SECONDS);
  if (!(seconds > 0 && seconds <= 3600))
    throw new UsageError('--timeout takes seconds, more than 0 and at most 3600.');
  return {
    ...(values.cluster === undefined ? {} : { cluster: values.cluster }),
    ...(values.config === undefined ? {} : { config: values.config }),
    values: values.offline === true ? 'offline' : 'resolve',
    terminal: values.show === true ? 'show' : 'redact',
    output,
    ...(values['ca-kubeconfig'] === undefined ? {} : { caKubeconfig: values['ca-kubeconfig'] }),
    ...(values['infra-kubeconfig'] === undefined ? {} : { infraKubeconfig: values['infra-kubeconfig'] }),
    ...(values['workload-kubeconfig'] === undefined
      ? {}
      : { workloadKubeconfig: values['workload-kubeconfig'] }),
    ...(values['registry-mirror'] === undefined ? {} : { registryMirrors: values['registry-mirror'] }),
    ...(values['pod-subnets'] === undefined ? {} : { podSubnets: values['pod-subnets'] }),
    ...(values['service-subnets'] === undefined ? {} : { serviceSubnets: values['service-subnets'] }),
    ...(values.against === undefined ? {} : { against: values.against }),
    live: values.diff === true ? 'compare' : 'ignore',
    ...(values.address === undefined ? {} : { address: values.address }),
    ...(values['dns-server'] === undefined ? {} : { dnsServers: values['dns-server'] }),
    ...(values['connect-to'] === undefined ? {} : { connectTo: values['connect-to'] }),
    probe: values['skip-probe'] === true ? 'skip' : 'probe',
    timeoutMs: seconds * 1000,
    files: positionals,
  };
}

/** Whether a terminal is there that shows colours, and is wanted to. */
export function colourOf(fd: Fd, env: NodeJS.ProcessEnv): Colour {
  return (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb' && isTerminal(fd) ? 'colour' : 'plain';
}

function readArgs(args: readonly string[]) {
  try {
    return process
      .getBuiltinModule('node:util')
      .parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true });
  } catch (cause) {
    // Node's text names the option, which may hold a pasted value behind "="; only the option's name is repeated.
    const option = /'(--?[\w-]{1,30})/.exec((cause as Error).message)?.[1];
    throw new UsageError(
      option === undefined
        ? 'An option is not known.'
        : `The option ${option} is not known here or lacks its value.`,
    );
  }
}
