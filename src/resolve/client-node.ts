/** What is used of client-node. The bundler makes this file one of its own, which only a run that asks a cluster loads. */
export { CoreV1Api, KubeConfig, loadYaml, Observable } from '@kubernetes/client-node';
