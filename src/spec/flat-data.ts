/**
 * Flat ConfigMap data (`kpt fn eval … -- host=… caSecret.name=…`) as a nested spec. A dot separates levels; what follows
 * `targets.labelSelector.matchLabels.` is a label key and may have dots of its own. Lists are separated by commas.
 */
const LABELS = 'targets.labelSelector.matchLabels.';
const LISTS = ['targets.kinds', 'targets.names'];

type Nested = { [key: string]: Nested | readonly string[] | string | unknown };

export function nestFlatData(data: Readonly<Record<string, unknown>>): unknown {
  const root: Nested = {};
  for (const [key, value] of Object.entries(data))
    put(root, pathOf(key), LISTS.includes(key) && typeof value === 'string' ? listOf(value) : value);
  return root;
}

function pathOf(key: string): readonly string[] {
  if (!key.startsWith(LABELS)) return key.split('.');
  return [...LABELS.split('.').slice(0, -1), key.slice(LABELS.length)];
}

function put(root: Nested, path: readonly string[], value: unknown): void {
  let node = root;
  for (const key of path.slice(0, -1)) {
    const next = Object.hasOwn(node, key) && typeof node[key] === 'object' ? (node[key] as Nested) : {};
    node[key] = next;
    node = next;
  }
  const last = path.at(-1) ?? '';
  Object.defineProperty(node, last, { value, enumerable: true, writable: true, configurable: true });
}

function listOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
