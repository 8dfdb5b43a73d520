/** What a pod is, whatever the hour: finished or not, and whose. */
import type { Pod } from '#lib/model/pod.ts';

/** Whether a pod has finished, well or badly. */
export const isTerminal = ({ phase }: Pod): boolean => phase === 'Succeeded' || phase === 'Failed';

/** Whether somebody has asked for a pod's deletion. */
export const isTerminating = ({ meta }: Pod): boolean => meta.deletedAt !== undefined;

/** Whether a pod has neither finished nor been asked to go. */
export const isActive = (pod: Pod): boolean => !isTerminal(pod) && !isTerminating(pod);

const isOwnedBy = (pod: Pod, apiVersion: string, kind: string): boolean =>
  pod.meta.owners.some((owner) => owner.apiVersion === apiVersion && owner.kind === kind);

/** Whether a pod is one of a DaemonSet's. */
export const isDaemon = (pod: Pod): boolean => isOwnedBy(pod, 'apps/v1', 'DaemonSet');

/** Whether a pod is the mirror of one that a kubelet runs from a file of its own. */
export const isMirror = (pod: Pod): boolean => isOwnedBy(pod, 'v1', 'Node');

/** Whether a pod is one of a StatefulSet's, which replaces it only once it has gone. */
export const isOfStatefulSet = (pod: Pod): boolean => isOwnedBy(pod, 'apps/v1', 'StatefulSet');

const CRITICAL_CLASSES = ['system-cluster-critical', 'system-node-critical'];

/** Whether a pod is critical to the cluster, by the name of its priority class. */
export const isCritical = ({ priorityClassName }: Pod): boolean =>
  CRITICAL_CLASSES.includes(priorityClassName);
