/**
 * What CLUSTER_FORBIDDEN says an administrator should run is pasted into a shell with the real kubectl: afterwards the
 * run that was refused succeeds, and its account may read the one object only.
 */
import { dirname } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kubectlOutput, runKubectl } from '../estate/real/kubectl.ts';
import { realTool } from '../estate/tools/build.ts';
import { type CommandResult, run } from '../support/command.ts';
import { type Ending, type RealPlace, startRealPlace } from './real-place.ts';
import { kubeconfigOf } from './support.ts';

const hint = suite('the command of CLUSTER_FORBIDDEN');

let place: RealPlace;
hint.before(async () => {
  place = await startRealPlace();
});
hint.after(() => place?.stop());

type Case = readonly [
  title: string,
  variable: 'REGISTRY_CA_KUBECONFIG' | 'TALOS_INFRA_KUBECONFIG',
  kubeconfig: () => string | Promise<string>,
  allowed: string,
  config?: (text: string) => string,
];

const CASES: readonly Case[] = [
  [
    'a user, for a Service',
    'TALOS_INFRA_KUBECONFIG',
    () => place.cluster.kubeconfigPath('powerless'),
    'services/ok-shared-ingress',
  ],
  [
    'a service account of another namespace, for a ConfigMap',
    'REGISTRY_CA_KUBECONFIG',
    async () => {
      await place.cluster.kubectl('create', 'serviceaccount', 'ci.render', '-n', 'default');
      return place.cluster.kubeconfigPath({ token: await place.cluster.createToken('default', 'ci.render') });
    },
    'configmaps/ok-shared-internal-ca-bundle',
    (text) =>
      text
        .replace('caSecret:', 'caConfigMap:')
        .replace('ok-shared-internal-ca', 'ok-shared-internal-ca-bundle'),
  ],
  [
    'a user whose name nobody vouches for, for a Secret',
    'REGISTRY_CA_KUBECONFIG',
    () => {
      const [{ user }] = JSON.parse(place.cluster.kubeconfig('powerless')).users;
      return place.write(
        'unverified',
        kubeconfigOf({ server: place.cluster.url, 'insecure-skip-tls-verify': true }, user),
      );
    },
    'secrets/ok-shared-internal-ca',
  ],
  [
    'one more user for the Secret that another may read already',
    'REGISTRY_CA_KUBECONFIG',
    async () => {
      await place.cluster.kubectl('create', 'serviceaccount', 'second', '-n', 'default');
      return place.cluster.kubeconfigPath({ token: await place.cluster.createToken('default', 'second') });
    },
    'secrets/ok-shared-internal-ca',
  ],
];

for (const [title, variable, kubeconfig, allowed, config] of CASES) {
  hint(title, async () => {
    const path = await kubeconfig();
    const render = (): Promise<Ending> =>
      place.render({ title, env: { [variable]: path }, ...(config === undefined ? {} : { config }) });
    const refused = await render();
    assert.match(refused.codes, /^CLUSTER_FORBIDDEN/, refused.stderr);
    const pasted = await paste(await filledIn(commandOf(refused), path));
    assert.is(pasted.code, 0, pasted.stderr);
    const granted = await render();
    assert.match(granted.codes, /HYDRATED$/, granted.stderr);
    assert.is(granted.ca, place.registryCa.certificatePem);
    const namespace = /-n (\S+)/.exec(commandOf(refused))?.[1] ?? '';
    const [resource = ''] = allowed.split('/');
    const may = async (verb: string, what: string): Promise<string> =>
      (await runKubectl(path, ['auth', 'can-i', verb, what, '-n', namespace])).stdout.trim();
    assert.is(await may('get', allowed), 'yes');
    for (const [verb, what] of [
      ['get', resource],
      ['get', `${resource}/other`],
      ['list', resource],
      ['update', allowed],
    ] as const)
      assert.is(await may(verb, what), 'no', `${verb} ${what}`);
  });
}

hint('a namespace that is misspelled in the config is not made', async () => {
  const refused = await place.render({
    title: 'misspelled namespace',
    env: { TALOS_INFRA_KUBECONFIG: place.cluster.kubeconfigPath('powerless') },
    config: (text) => text.replace('serviceNamespace: ok-shared', 'serviceNamespace: ok-shard'),
  });
  const { code, stderr } = await paste(commandOf(refused));
  assert.is(code, 1);
  assert.match(stderr, /namespaces "ok-shard" not found/);
  assert.is((await place.cluster.kubectl('get', 'namespace', 'ok-shard')).code, 1);
});

hint('whoever was allowed it stays so', async () => {
  const path = place.cluster.kubeconfigPath('powerless');
  const ending = await place.render({
    title: 'still',
    env: { REGISTRY_CA_KUBECONFIG: path, TALOS_INFRA_KUBECONFIG: path },
  });
  assert.is(ending.codes, 'HYDRATED', ending.stderr);
});

hint.run();

/** All from its first word to the end of the line. */
function commandOf({ stderr }: Ending): string {
  const [, command] = /allows it.* by: (kubectl .*)$/m.exec(stderr) ?? [];
  assert.type(command, 'string', stderr);
  return command ?? '';
}

/** As the hint says, where the name isn't known. */
async function filledIn(command: string, kubeconfig: string): Promise<string> {
  const whoami = await kubectlOutput(kubeconfig, [
    'auth',
    'whoami',
    '-o',
    'jsonpath={.status.userInfo.username}',
  ]);
  return command.replace('--user=USER', `--user=${whoami}`);
}

/** Into a shell, as the administrator. */
function paste(command: string): Promise<CommandResult> {
  return run('sh', ['-c', command], {
    env: {
      PATH: `${dirname(realTool('kubectl'))}:${process.env['PATH'] ?? ''}`,
      KUBECONFIG: place.cluster.kubeconfigPath('admin'),
      HOME: dirname(place.write('home/.keep', '')),
    },
  });
}
