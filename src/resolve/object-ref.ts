/** An object of the core API group, by name. */
import type { Location } from '../diagnostic.ts';

export type Kind = 'Secret' | 'ConfigMap' | 'Service';

export interface ObjectRef<K extends Kind = Kind> {
  readonly kind: K;
  readonly namespace: string;
  readonly name: string;
}

export function locationOf({ kind, namespace, name }: ObjectRef, pointer?: string): Location {
  return { apiVersion: 'v1', kind, namespace, name, ...(pointer === undefined ? {} : { pointer }) };
}
