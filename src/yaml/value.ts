/** Plain data that is written into YAML: what JSON can say, without null. */
export type Value = string | number | boolean | readonly Value[] | { readonly [key: string]: Value };

export function isScalarValue(value: Value): value is string | number | boolean {
  return typeof value !== 'object';
}

export function isListValue(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}
