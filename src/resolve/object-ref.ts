/** An object of a cluster, by name, and the resource that it is of. */
import type { Location } from '../diagnostic.ts';

export type Kind = 'Secret' | 'ConfigMap' | 'Service';

/** Of the core API group. */
export interface ObjectRef<K extends Kind = Kind> {
  readonly kind: K;
  readonly namespace: string;
  readonly name: string;
}

/** Of a group that custom resource definitions serve. */
export interface CustomRef {
  /** `group/version`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

export interface Resource {
  /** Empty for the core. */
  readonly group: string;
  readonly version: string;
  /** As in paths and in rules of RBAC. */
  readonly plural: string;
}

export function locationOf(ref: ObjectRef | CustomRef, pointer?: string): Location {
  return { apiVersion: 'v1', ...ref, ...(pointer === undefined ? {} : { pointer }) };
}

/** The plural of each kind that is asked for is its name in small letters and an s (a test reads that in the CRDs). */
export function resourceOf(ref: ObjectRef | CustomRef): Resource {
  const [group = '', version = ''] = 'apiVersion' in ref ? ref.apiVersion.split('/') : ['', 'v1'];
  return { group, version, plural: `${ref.kind.toLowerCase()}s` };
}
