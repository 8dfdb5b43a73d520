/** How the API server names a kind. */
export interface KindInfo {
  readonly apiVersion: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
}

const cluster = (apiVersion: string, plural: string): KindInfo => ({
  apiVersion,
  plural,
  isNamespaced: false,
});
const namespaced = (apiVersion: string, plural: string): KindInfo => ({
  apiVersion,
  plural,
  isNamespaced: true,
});

/** Every kind that Joinery reads, writes or knows the name of. */
export const KINDS = {
  ConfigMap: namespaced('v1', 'configmaps'),
  Namespace: cluster('v1', 'namespaces'),
  Node: cluster('v1', 'nodes'),
  PersistentVolume: cluster('v1', 'persistentvolumes'),
  PersistentVolumeClaim: namespaced('v1', 'persistentvolumeclaims'),
  Pod: namespaced('v1', 'pods'),
  PodTemplate: namespaced('v1', 'podtemplates'),
  ReplicationController: namespaced('v1', 'replicationcontrollers'),
  Service: namespaced('v1', 'services'),
  DaemonSet: namespaced('apps/v1', 'daemonsets'),
  Deployment: namespaced('apps/v1', 'deployments'),
  ReplicaSet: namespaced('apps/v1', 'replicasets'),
  StatefulSet: namespaced('apps/v1', 'statefulsets'),
  Job: namespaced('batch/v1', 'jobs'),
  Lease: namespaced('coordination.k8s.io/v1', 'leases'),
  Event: namespaced('events.k8s.io/v1', 'events'),
  PodDisruptionBudget: namespaced('policy/v1', 'poddisruptionbudgets'),
  PriorityClass: cluster('scheduling.k8s.io/v1', 'priorityclasses'),
  CSINode: cluster('storage.k8s.io/v1', 'csinodes'),
  StorageClass: cluster('storage.k8s.io/v1', 'storageclasses'),
  VolumeAttachment: cluster('storage.k8s.io/v1', 'volumeattachments'),
  NodeClaim: cluster('karpenter.sh/v1', 'nodeclaims'),
  NodePool: cluster('karpenter.sh/v1', 'nodepools'),
  NodeOverlay: cluster('karpenter.sh/v1alpha1', 'nodeoverlays'),
  EC2NodeClass: cluster('karpenter.k8s.aws/v1', 'ec2nodeclasses'),
  CapacityBuffer: namespaced('autoscaling.x-k8s.io/v1beta1', 'capacitybuffers'),
} as const satisfies Readonly<Record<string, KindInfo>>;

/** The name of a kind that Joinery reads, writes or knows to leave alone. */
export type Kind = keyof typeof KINDS;

/** Whether `kind` is the name of one that Joinery knows, in whatever group. */
export const isKind = (kind: string): kind is Kind => Object.hasOwn(KINDS, kind);

/** The API group of `apiVersion`; '' for the core group. Example: apps/v1 → apps, v1 → ''. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/**
 * The path of one object, or of all objects of a kind (in a namespace, where one is given).
 *
 * Example: pathOf('Pod', { namespace: 'default', name: 'web-1' }) is
 * /api/v1/namespaces/default/pods/web-1.
 */
export function pathOf(
  kind: Kind,
  at: { readonly namespace?: string; readonly name?: string } = {},
): string {
  const { apiVersion, plural, isNamespaced } = KINDS[kind];
  const root = groupOf(apiVersion) === '' ? `/api/${apiVersion}` : `/apis/${apiVersion}`;
  const namespace =
    isNamespaced && at.namespace !== undefined
      ? `/namespaces/${encodeURIComponent(at.namespace)}`
      : '';
  const object = at.name === undefined ? '' : `/${encodeURIComponent(at.name)}`;
  return `${root}${namespace}/${plural}${object}`;
}
