/** Plain data that is written into YAML: what JSON can say, without null. */
export type Value = string | number | boolean | readonly Value[] | { readonly [key: string]: Value };
