import type { DaemonSet } from '#lib/model/daemon-set.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { PodDisruptionBudget } from '#lib/model/pod-disruption-budget.ts';
import { aNamespacedMeta, type Difference, GIB, HOUR, NOON, ownedBy } from './objects.ts';

const NO_AFFINITY = { required: [], preferred: [] };

/**
 * A pod of a ReplicaSet that waits for a node, asking for 1 cpu and 1 GiB. Requests are added to
 * `pods: 1`; where there are any, nothing else is asked for.
 */
export function aPod(difference: Difference<Pod> = {}): Pod {
  const { meta, requests = { cpu: 1000, memory: GIB }, ...rest } = difference;
  return {
    meta: aNamespacedMeta('web-1', { owners: [ownedBy('ReplicaSet')], ...meta }),
    requests: { pods: 1, ...requests },
    nodeSelector: {},
    nodeAffinity: NO_AFFINITY,
    podAffinity: NO_AFFINITY,
    podAntiAffinity: NO_AFFINITY,
    topologySpread: [],
    tolerations: [],
    hostPorts: [],
    volumes: [],
    resourceClaims: [],
    schedulerName: 'default-scheduler',
    priority: 0,
    priorityClassName: '',
    preemptionPolicy: 'PreemptLowerPriority',
    graceSeconds: 30,
    phase: 'Pending',
    ...(rest.nodeName === undefined
      ? { scheduled: { status: 'False', reason: 'Unschedulable' } }
      : {}),
    ...rest,
  };
}

/** Pods web-1, web-2, …, alike but for their names. */
export const somePods = (count: number, difference: Difference<Pod> = {}): Pod[] =>
  Array.from({ length: count }, (_, at) =>
    aPod({
      ...difference,
      meta: { ...difference.meta, name: `${difference.meta?.name ?? 'web'}-${at + 1}` },
    }),
  );

/** A pod that has run on a node for half an hour. */
export const aRunningPod = (difference: Difference<Pod> = {}): Pod =>
  aPod({
    nodeName: 'node-1',
    phase: 'Running',
    startedAt: NOON - HOUR / 2,
    scheduled: { status: 'True', reason: '' },
    ready: 'True',
    ...difference,
  });

/** A DaemonSet whose pod asks for 100m and tolerates nothing. */
export function aDaemonSet(difference: Difference<DaemonSet> = {}): DaemonSet {
  const meta = aNamespacedMeta('agent', { namespace: 'kube-system', ...difference.meta });
  const pod = aPod({
    meta: { name: meta.name, namespace: meta.namespace, owners: [ownedBy('DaemonSet')] },
    requests: { cpu: 100 },
  });
  return { meta, pod: difference.pod ?? pod };
}

/** A budget over all pods of the default namespace that allows one to be away. */
export function aPodDisruptionBudget(
  difference: Difference<PodDisruptionBudget> = {},
): PodDisruptionBudget {
  const { meta, ...rest } = difference;
  return {
    meta: aNamespacedMeta('budget', meta),
    selector: { matchLabels: {}, matchExpressions: [] },
    disruptionsAllowed: 1,
    unhealthyPodEvictionPolicy: 'IfHealthyBudget',
    ...rest,
  };
}
