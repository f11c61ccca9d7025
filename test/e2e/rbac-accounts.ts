/** The accounts of `function-config/rbac/` on the real estate, with tokens, and what each of them must not do. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { httpsGet } from '../estate/https-get.ts';
import { manifestOf, type RealEstate } from '../estate/real/estate.ts';
import type { RealCluster } from '../estate/real/kube-apiserver.ts';
import { ROOT } from '../support/command.ts';

export type AccountName = 'ca' | 'address' | 'apply' | 'compare' | 'nodes' | 'mirror';

export interface Account {
  readonly cluster: RealCluster;
  readonly namespace: string;
  readonly name: string;
  readonly token: string;
}

/** A method and a path. */
export type Call = readonly [string, string];

const NAMESPACES: Readonly<Record<AccountName, string>> = {
  ca: 'cert-manager',
  address: 'ok-shared',
  apply: 'ok-consumer',
  compare: 'ok-consumer',
  nodes: 'ok-consumer',
  mirror: 'registry-mirror',
};

export const ACCOUNT_NAMES = Object.keys(NAMESPACES) as readonly AccountName[];

const SHARED = '/api/v1/namespaces/ok-shared/services';
const CA = '/api/v1/namespaces/cert-manager/secrets';
const MIRROR = '/api/v1/namespaces/registry-mirror/secrets';
const TALOSCONFIG = '/api/v1/namespaces/ok-consumer/secrets/ok-consumer-talosconfig';
const apis = (group: string, resource: string, namespace = 'ok-consumer'): string =>
  `/apis/${group}.cluster.x-k8s.io/v1alpha3/namespaces/${namespace}/${resource}`;
const machines = (namespace: string): string =>
  `/apis/cluster.x-k8s.io/v1beta1/namespaces/${namespace}/machines`;
const DEPLOYMENTS = '/apis/cluster.x-k8s.io/v1beta1/namespaces/ok-consumer/machinedeployments';
const DEPLOYMENT = `${DEPLOYMENTS}/ok-consumer-workers`;
const CONTROL_PLANE = `${apis('controlplane', 'taloscontrolplanes')}/ok-consumer-control-plane`;

/** Beside what nobody may: other verbs on what the account is for, and what another account is for. */
const FORBIDDEN: Readonly<Record<AccountName, readonly Call[]>> = {
  ca: [...changes(`${CA}/ok-shared-internal-ca`), ...searches(CA, 'ok-shared-internal-ca')],
  address: [
    ...changes(`${SHARED}/ok-shared-ingress`),
    ['PATCH', `${SHARED}/ok-shared-ingress/status`],
    ...searches(SHARED, 'ok-shared-ingress'),
    ['GET', `${SHARED}/other`],
    ['GET', '/api/v1/namespaces/kube-system/services/ok-shared-ingress'],
  ],
  apply: [
    ['GET', CONTROL_PLANE],
    ['GET', apis('controlplane', 'taloscontrolplanes')],
    ['DELETE', CONTROL_PLANE],
    ['PUT', CONTROL_PLANE],
    ['PATCH', `${CONTROL_PLANE}/status`],
    ['POST', apis('bootstrap', 'talosconfigtemplates', 'kube-system')],
    ['PATCH', `${apis('bootstrap', 'talosconfigtemplates', 'kube-system')}/any`],
    ['PATCH', machines('ok-consumer').replace(/$/, '/any')],
    ['GET', TALOSCONFIG],
  ],
  compare: [
    ...changes(CONTROL_PLANE),
    ['GET', '/apis/controlplane.cluster.x-k8s.io/v1alpha3/taloscontrolplanes'],
    ['GET', apis('bootstrap', 'talosconfigtemplates', 'kube-system')],
    ['GET', `${apis('controlplane', 'taloscontrolplanes')}?watch=1`],
    ...changes(DEPLOYMENT),
    ['GET', DEPLOYMENTS],
    ['GET', DEPLOYMENT.replace('ok-consumer', 'kube-system')],
    ['GET', machines('ok-consumer').replace(/$/, '/any')],
    ['GET', `${SHARED}/ok-shared-ingress`],
    ['GET', TALOSCONFIG],
  ],
  nodes: [
    ...changes(TALOSCONFIG),
    ['GET', `${machines('ok-consumer')}/any`],
    ['DELETE', `${machines('ok-consumer')}/any`],
    ['GET', machines('kube-system')],
    ['GET', CONTROL_PLANE],
  ],
  mirror: [...changes(`${MIRROR}/mirror-credentials`), ...searches(MIRROR, 'mirror-credentials')],
};

/** Creates what the Roles name, applies the files as they are, and gets a token for each account. */
export async function bindAccounts({
  caCluster,
  infraCluster,
}: RealEstate): Promise<ReadonlyMap<AccountName, Account>> {
  await infraCluster.apply(
    manifestOf([
      secret('ok-consumer', 'ok-consumer-talosconfig', { talosconfig: 'canary-talosconfig' }),
      secret('registry-mirror', 'mirror-credentials', { username: 'u', password: 'canary-mirror-password' }),
    ]),
  );
  await caCluster.apply(roles('ca-cluster'));
  await infraCluster.apply(roles('infra-cluster'));
  // To RBAC it is all the same, and a third server would need 300 MB more.
  await infraCluster.apply(roles('workload-cluster'));
  const accounts = ACCOUNT_NAMES.map(async (short) => {
    const cluster = short === 'ca' ? caCluster : infraCluster;
    const [namespace, name] = [NAMESPACES[short], `registry-trust-${short}`];
    return [short, { cluster, namespace, name, token: await cluster.createToken(namespace, name) }] as const;
  });
  return new Map(await Promise.all(accounts));
}

/** The text of a file in `function-config/rbac/`. */
export function roles(file: 'ca-cluster' | 'infra-cluster' | 'workload-cluster'): string {
  return readFileSync(join(ROOT, 'function-config', 'rbac', `${file}.yaml`), 'utf8');
}

export function forbiddenCalls(short: AccountName, { namespace, name }: Account): readonly Call[] {
  const core = `/api/v1/namespaces/${namespace}`;
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
  return [
    ['GET', '/api/v1/secrets'],
    ['GET', `${core}/secrets`],
    ['GET', `${core}/secrets?watch=1`],
    ['GET', `${core}/secrets/other`],
    ['GET', '/api/v1/namespaces/kube-system/secrets/ok-shared-internal-ca'],
    ['POST', `${core}/secrets`],
    ['GET', `${core}/configmaps/kube-root-ca.crt`],
    ['GET', `${core}/pods`],
    ['POST', `${core}/pods`],
    ['POST', `${core}/serviceaccounts/${name}/token`],
    ['GET', `${rbac}/roles/${name}`],
    ['PATCH', `${rbac}/roles/${name}`],
    ['POST', `${rbac}/rolebindings`],
    ['GET', '/api/v1/namespaces'],
    ['GET', '/api/v1/nodes'],
    ['GET', '/metrics'],
    ...FORBIDDEN[short],
  ];
}

/** The status that a bearer of the token gets. */
export async function statusOf(
  { url, servingCaPem }: RealCluster,
  token: string,
  [method, path]: Call,
  headers: Readonly<Record<string, string>> = {},
): Promise<number | undefined> {
  const authorization = `Bearer ${token}`;
  const request = { method, ca: servingCaPem, headers: { ...headers, authorization } };
  return (await httpsGet(url + path, request)).status;
}

function changes(path: string): readonly Call[] {
  return [
    ['PUT', path],
    ['PATCH', path],
    ['DELETE', path],
  ];
}

/** Ways to an object that need another verb than `get`. */
function searches(list: string, name: string): readonly Call[] {
  const selector = `fieldSelector=metadata.name%3D${name}`;
  return [
    ['GET', list],
    ['GET', `${list}?${selector}`],
    ['GET', `${list}?watch=1&${selector}`],
    ['DELETE', list],
  ];
}

function secret(namespace: string, name: string, stringData: Readonly<Record<string, string>>) {
  const type = 'username' in stringData ? 'kubernetes.io/basic-auth' : 'Opaque';
  const body = { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name }, type, stringData };
  return { resource: 'secrets', namespace, name, body } as const;
}
