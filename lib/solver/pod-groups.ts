import type { HostPort } from '#lib/constraints/host-ports.ts';
import { byNamespacedName, chain, compareText } from '#lib/constraints/order.ts';
import { amountOf, type Resources } from '#lib/constraints/resources.ts';
import type { Pod } from '#lib/model/pod.ts';
import { type Amounts, type Axes, amountsOf } from './amounts.ts';
import { type AskLevel, askKey, askLevels, type WishRules } from './ask.ts';
import { NO_VOLUME_NEED, type VolumeNeed } from './volume-needs.ts';

/** Pods that no rule of the solver can tell apart: they are packed as a count. */
export interface PodGroup {
  /** The oldest first, then by uid; never empty. */
  readonly pods: readonly Pod[];
  /** The first of `pods`, which speaks for all. */
  readonly sample: Pod;
  readonly requests: Resources;
  readonly amounts: Amounts;
  /** Most wishful first. Groups that ask the same share the very same list. */
  readonly levels: readonly AskLevel[];
  readonly hostPorts: readonly HostPort[];
  /** Names of existing nodes where another pod's required anti-affinity keeps these away. */
  readonly keptAwayFrom: ReadonlySet<string>;
}

/** How pods become groups: the rules for wishes, and what keeps a pod away from a node. */
export interface GroupingRules extends WishRules {
  readonly axes: Axes;
  /** Names of the nodes that a pod must keep away from. */
  readonly keptAwayFrom: (pod: Pod) => ReadonlySet<string>;
  /** Where a pod's volumes can be attached; absent where no pod has any. */
  readonly volumesOf?: (pod: Pod) => VolumeNeed;
}

/**
 * `pods` as groups, the largest first: by cpu, memory, age, then uid.
 *
 * Source of the order: karpenter v1.14, provisioning/scheduling/queue.go, byCPUAndMemoryDescending.
 */
export function groupPods(pods: readonly Pod[], rules: GroupingRules): readonly PodGroup[] {
  const members = new Map<string, Pod[]>();
  const levels = new Map<string, readonly AskLevel[]>();
  const volumesOf = rules.volumesOf ?? (() => NO_VOLUME_NEED);
  for (const pod of [...pods].sort(oldestFirst)) {
    const key = groupKey(pod, rules.keptAwayFrom(pod), volumesOf(pod));
    const known = members.get(key);
    if (known) known.push(pod);
    else members.set(key, [pod]);
  }
  const groups: PodGroup[] = [];
  for (const group of members.values()) {
    const [sample] = group;
    if (!sample) continue;
    const volumes = volumesOf(sample);
    const key = askKey(sample) + volumes.key;
    const asked = levels.get(key) ?? askLevels(sample, rules, volumes.alternatives);
    levels.set(key, asked);
    groups.push({
      pods: group,
      sample,
      requests: sample.requests,
      amounts: amountsOf(sample.requests, rules.axes),
      levels: asked,
      hostPorts: sample.hostPorts,
      keptAwayFrom: rules.keptAwayFrom(sample),
    });
  }
  return groups.sort(largestFirst);
}

const oldestFirst = chain<Pod>(
  (a, b) => a.meta.createdAt - b.meta.createdAt,
  (a, b) => compareText(a.meta.uid, b.meta.uid),
  byNamespacedName,
);

const largestFirst = chain<PodGroup>(
  (a, b) => amountOf(b.requests, 'cpu') - amountOf(a.requests, 'cpu'),
  (a, b) => amountOf(b.requests, 'memory') - amountOf(a.requests, 'memory'),
  (a, b) => oldestFirst(a.sample, b.sample),
);

function groupKey(pod: Pod, keptAwayFrom: ReadonlySet<string>, volumes: VolumeNeed): string {
  const amounts = Object.entries(pod.requests).sort(([a], [b]) => compareText(a, b));
  const ports = pod.hostPorts.map(({ ip, port, protocol }) => `${ip}/${port}/${protocol}`).sort();
  const away = [...keptAwayFrom].sort(compareText);
  return JSON.stringify([amounts, ports, away, askKey(pod), volumes.key]);
}

/** How many pods of the group one node can hold whatever its size: host ports clash. */
export const mostPerNode = (group: PodGroup): number =>
  group.hostPorts.length > 0 ? 1 : Number.POSITIVE_INFINITY;
