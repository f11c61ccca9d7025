/** What is used of client-node. The bundler makes this file one of its own, which only a run that asks a cluster loads. */
export {
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  loadYaml,
  Observable,
  ResponseContext,
} from '@kubernetes/client-node';
/** The HTTP client that client-node uses, in the same version: its connection pools are handed to it. */
export { Agent, Client, request } from 'undici';
