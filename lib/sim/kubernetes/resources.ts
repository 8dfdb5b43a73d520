/** A kind of object that the API server serves, and how. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** As in paths: "nodepools". */
  readonly plural: string;
  readonly namespaced: boolean;
  /** Has a status subresource: the main path leaves status alone, the other the rest. */
  readonly hasStatus: boolean;
  /** Counts changes of the spec in metadata.generation. */
  readonly hasGeneration: boolean;
  /** Defined by a CRD; lists then carry kind and apiVersion in each item. */
  readonly custom: boolean;
}

const builtIn = (
  apiVersion: string,
  kind: string,
  plural: string,
  flags: 'namespaced' | 'namespaced status' | 'status' | '',
): Resource => {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  return {
    group: group ?? '',
    version: version ?? '',
    kind,
    plural,
    namespaced: flags.includes('namespaced'),
    hasStatus: flags.includes('status'),
    hasGeneration: flags.includes('status') && kind !== 'Node' && kind !== 'Namespace',
    custom: false,
  };
};

/**
 * The built-in kinds that are served. Service, ServiceAccount, Secret, ReplicationController,
 * CSINode, CSIDriver, VolumeAttachment and HorizontalPodAutoscaler are stored and do nothing.
 */
export const BUILT_IN: readonly Resource[] = [
  builtIn('v1', 'Pod', 'pods', 'namespaced status'),
  builtIn('v1', 'Node', 'nodes', 'status'),
  builtIn('v1', 'Namespace', 'namespaces', 'status'),
  builtIn('v1', 'ConfigMap', 'configmaps', 'namespaced'),
  builtIn('v1', 'Secret', 'secrets', 'namespaced'),
  builtIn('v1', 'Service', 'services', 'namespaced'),
  builtIn('v1', 'ServiceAccount', 'serviceaccounts', 'namespaced'),
  builtIn('v1', 'ReplicationController', 'replicationcontrollers', 'namespaced status'),
  builtIn('v1', 'PersistentVolumeClaim', 'persistentvolumeclaims', 'namespaced status'),
  builtIn('v1', 'PersistentVolume', 'persistentvolumes', 'status'),
  builtIn('v1', 'Event', 'events', 'namespaced'),
  builtIn('apps/v1', 'Deployment', 'deployments', 'namespaced status'),
  builtIn('apps/v1', 'ReplicaSet', 'replicasets', 'namespaced status'),
  builtIn('apps/v1', 'StatefulSet', 'statefulsets', 'namespaced status'),
  builtIn('apps/v1', 'DaemonSet', 'daemonsets', 'namespaced status'),
  builtIn('batch/v1', 'Job', 'jobs', 'namespaced status'),
  builtIn('policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets', 'namespaced status'),
  builtIn('coordination.k8s.io/v1', 'Lease', 'leases', 'namespaced'),
  builtIn('scheduling.k8s.io/v1', 'PriorityClass', 'priorityclasses', ''),
  builtIn('storage.k8s.io/v1', 'StorageClass', 'storageclasses', ''),
  builtIn('storage.k8s.io/v1', 'CSINode', 'csinodes', ''),
  builtIn('storage.k8s.io/v1', 'CSIDriver', 'csidrivers', ''),
  builtIn('storage.k8s.io/v1', 'VolumeAttachment', 'volumeattachments', 'status'),
  builtIn(
    'autoscaling/v2',
    'HorizontalPodAutoscaler',
    'horizontalpodautoscalers',
    'namespaced status',
  ),
];

/** Events are one store behind two groups; this is the newer face of it. */
export const EVENTS_GROUP = 'events.k8s.io';

/** The apiVersion of a resource's objects: "v1", "apps/v1". */
export const apiVersionOf = ({ group, version }: Resource): string =>
  group === '' ? version : `${group}/${version}`;

/** What messages call a resource: "pods", "deployments.apps". */
export const qualifiedName = ({ group, plural }: Resource): string =>
  group === '' ? plural : `${plural}.${group}`;

/** What messages call a kind: "Pod", "NodePool.karpenter.sh". */
export const qualifiedKind = ({ group, kind }: Resource): string =>
  group === '' ? kind : `${kind}.${group}`;
