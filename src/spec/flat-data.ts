/**
 * Flat ConfigMap data (`kpt fn eval … -- host=… caSecret.name=…`) as a nested spec. A dot separates levels; what follows
 * `targets.labelSelector.matchLabels.` is a label key and may have dots of its own. Lists are separated by commas.
 */
const LABELS = 'targets.labelSelector.matchLabels.';
const LISTS = ['targets.kinds', 'targets.names', 'podSubnets', 'serviceSubnets'];
const BOOLEANS = ['skipFallback'];
const ENDPOINTS = 'endpoints';

type Nested = Record<string, unknown>;

export function nestFlatData(data: Readonly<Record<string, unknown>>): unknown {
  const root: Nested = {};
  for (const [key, value] of Object.entries(data))
    put(root, pathOf(key), typeof value === 'string' ? typed(key, value) : value);
  return root;
}

/** A ConfigMap's values are texts; the endpoints of a mirror are URLs alone. */
function typed(key: string, text: string): unknown {
  if (LISTS.includes(key)) return listOf(text);
  if (key === ENDPOINTS) return listOf(text).map((url) => ({ url }));
  return BOOLEANS.includes(key) && /^(?:true|false)$/.test(text) ? text === 'true' : text;
}

function pathOf(key: string): readonly string[] {
  if (!key.startsWith(LABELS)) return key.split('.');
  return [...LABELS.split('.').slice(0, -1), key.slice(LABELS.length)];
}

/** A key that is both a text and a level stays the text, which the schema then refuses by name. */
function put(root: Nested, path: readonly string[], value: unknown): void {
  let node = root;
  for (const key of path.slice(0, -1)) {
    if (!Object.hasOwn(node, key)) define(node, key, {});
    const next = node[key];
    if (typeof next !== 'object' || next === null) return;
    node = next as Nested;
  }
  define(node, path.at(-1) ?? '', value);
}

/** An own property, whatever its name: `__proto__` too. */
function define(node: Nested, key: string, value: unknown): void {
  Object.defineProperty(node, key, { value, enumerable: true, writable: true, configurable: true });
}

function listOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}
