/** Services as they may stand on a cluster, with the codes that a run ends with by them. */

export type Ingress = readonly Readonly<Record<string, unknown>>[];

const PORTS = { ports: [{ port: 443 }] };
export const BALANCED = { type: 'LoadBalancer', ...PORTS };
const V4 = { ip: '10.20.0.16' };
const V6 = { ip: 'fd00:20::16' };

/** `ingress` in the status, `says` in standard error. */
export type ByService = readonly [
  title: string,
  service: readonly [spec: object, ingress?: Ingress],
  codes: string,
  says: RegExp,
  family?: 'IPv6',
];

export const BY_SERVICE: readonly ByService[] = [
  ['one address', [BALANCED, [V4]], 'HYDRATED', /is 10\.20\.0\.16 \(service\)/],
  [
    'with ipMode and ports',
    [BALANCED, [{ ...V4, ipMode: 'Proxy' }]],
    'HYDRATED',
    /is 10\.20\.0\.16 \(service\)/,
  ],
  ['the same twice', [BALANCED, [V4, V4]], 'HYDRATED', /is 10\.20\.0\.16 \(service\)/],
  ['no status yet', [BALANCED], 'ADDRESS_NOT_FOUND', /has no IPv4 load balancer address\.\n.*EXTERNAL-IP/],
  ['an empty list', [BALANCED, []], 'ADDRESS_NOT_FOUND', /has no IPv4 load balancer address/],
  [
    'two addresses',
    [BALANCED, [{ ip: '10.20.0.17' }, V4]],
    'ADDRESS_AMBIGUOUS',
    /has 2 IPv4 addresses: 10\.20\.0\.16, 10\.20\.0\.17\.\n.*--address/,
  ],
  [
    'a host name only',
    [BALANCED, [{ hostname: 'lb-1.eu-west-1.elb.example' }]],
    'ADDRESS_IS_HOSTNAME',
    /has a host name as its load balancer address/,
  ],
  [
    'a host name beside an address',
    [BALANCED, [V4, { hostname: 'lb-1.example' }]],
    'ADDRESS_IS_HOSTNAME',
    /has a host name/,
  ],
  ['IPv6 only, IPv6 wanted', [BALANCED, [V6]], 'HYDRATED', /is fd00:20::16 \(service\)/, 'IPv6'],
  [
    'IPv6 only, IPv4 wanted',
    [BALANCED, [V6]],
    'ADDRESS_NOT_FOUND',
    /no IPv4 load balancer address\.\n.*the other family: set address\.family/,
  ],
  ['dual stack, IPv4 wanted', [BALANCED, [V6, V4]], 'HYDRATED', /is 10\.20\.0\.16 \(service\)/],
  ['dual stack, IPv6 wanted', [BALANCED, [V4, V6]], 'HYDRATED', /is fd00:20::16 \(service\)/, 'IPv6'],
  [
    'an address of no other machine',
    [BALANCED, [{ ip: '127.0.0.1' }]],
    'ADDRESS_NOT_ROUTABLE',
    /127\.0\.0\.1 is a loopback address/,
  ],
  [
    'type ClusterIP',
    [{ type: 'ClusterIP', ...PORTS }],
    'ADDRESS_NOT_FOUND',
    /is of type ClusterIP, which gets no load balancer address/,
  ],
  ['type NodePort', [{ type: 'NodePort', ...PORTS }], 'ADDRESS_NOT_FOUND', /is of type NodePort/],
  [
    'type ExternalName',
    [{ type: 'ExternalName', externalName: 'registry.example' }],
    'ADDRESS_NOT_FOUND',
    /is of type ExternalName/,
  ],
  ['headless', [{ clusterIP: 'None', ...PORTS }], 'ADDRESS_NOT_FOUND', /is of type ClusterIP/],
  [
    'externalIPs are none of a load balancer',
    [{ ...BALANCED, externalIPs: ['10.20.0.18'] }],
    'ADDRESS_NOT_FOUND',
    /has no IPv4 load balancer address/,
  ],
];
