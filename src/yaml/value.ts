/** Plain data that is written into YAML: what JSON can say, without null and booleans. */
export type Value = string | number | readonly Value[] | { readonly [key: string]: Value };
