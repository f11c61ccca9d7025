/** What is used of the library `yaml`. The bundler makes this file one of its own, which only unusual texts load. */
export { Parser, parseDocument, Schema } from 'yaml';
