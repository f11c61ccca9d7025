/**
 * Whether an object is among those that a config is for. Selectors are Kubernetes' own: all that is given must match.
 */
import type { LabelRequirement, Targets } from '../spec/registry-trust.ts';
import type { KubernetesObject } from './objects.ts';

export function isTargeted(object: KubernetesObject, targets: Targets | undefined): boolean {
  if (targets === undefined) return true;
  const { kinds, names, labelSelector } = targets;
  if (kinds !== undefined && !kinds.includes(object.kind)) return false;
  if (names !== undefined && !names.includes(object.name ?? '')) return false;
  const labels = Object.entries(labelSelector?.matchLabels ?? {});
  if (labels.some(([key, value]) => object.labels[key] !== value)) return false;
  return (labelSelector?.matchExpressions ?? []).every((requirement) => meets(object.labels, requirement));
}

function meets(
  labels: Readonly<Record<string, string>>,
  { key, operator, values }: LabelRequirement,
): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'In':
      return value !== undefined && (values ?? []).includes(value);
    case 'NotIn':
      return value === undefined || !(values ?? []).includes(value);
  }
}
