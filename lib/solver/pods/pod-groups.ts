import type { HostPort } from '#lib/constraints/host-ports.ts';
import { byNamespacedName, chain, compareText } from '#lib/constraints/order.ts';
import { amountOf, type Resources } from '#lib/constraints/resources.ts';
import type { Pod } from '#lib/model/pod.ts';
import { type Amounts, type Axes, amountsOf } from '../amounts.ts';
import type { Standing } from '../topology/rules.ts';
import type { Attachments } from '../volumes/attachments.ts';
import { NO_VOLUMES, type Volumes } from '../volumes/volumes.ts';
import { type AskLevel, askKey, askLevels, type WishRules } from './ask.ts';

/** Pods that no rule of the solver can tell apart: they are packed as a count. */
export interface PodGroup {
  /** The oldest first, then by uid; never empty. */
  readonly pods: readonly Pod[];
  /** The first of `pods`, which speaks for all. */
  readonly sample: Pod;
  readonly requests: Resources;
  /** Groups that ask for the same amounts share the very same list. */
  readonly amounts: Amounts;
  /** Most wishful first. Groups that ask the same share the very same list. */
  readonly levels: readonly AskLevel[];
  readonly hostPorts: readonly HostPort[];
  /** Which volumes each pod attaches, where nodes limit them. */
  readonly attachments: Attachments;
  /** What the pods are to the topology rules of the solve. */
  readonly standing: Standing;
  /** Whether they have a node and would leave it; some hosts take no such pods. */
  readonly moves: boolean;
  /** Groups of equal text differ at most in what they are to rules over domains. */
  readonly likeness: string;
}

/** How pods become groups: the rules for wishes, and what topology rules make of a pod. */
export interface GroupingRules extends WishRules {
  readonly axes: Axes;
  readonly standingOf: (pod: Pod) => Standing;
  /** Whether a pod would leave a node; none does where absent. */
  readonly moves?: (pod: Pod) => boolean;
  /** Where pods' volumes can be, and how they count; absent where no pod has any. */
  readonly volumes?: Pick<Volumes, 'needOf' | 'attachmentsOf'>;
}

/**
 * `pods` as groups, the largest first: by cpu, memory, age, then uid.
 *
 * Source of the order: karpenter v1.14, provisioning/scheduling/queue.go, byCPUAndMemoryDescending.
 */
export function groupPods(pods: readonly Pod[], rules: GroupingRules): readonly PodGroup[] {
  const members = new Map<string, { readonly likeness: string; readonly pods: Pod[] }>();
  const levels = new Map<string, readonly AskLevel[]>();
  const sizes = new Map<string, Amounts>();
  const { volumes = NO_VOLUMES } = rules;
  for (const pod of [...pods].sort(oldestFirst)) {
    const standing = rules.standingOf(pod);
    const likeness = `${likenessOf(pod, standing, volumes)}${movesIn(rules, pod) ? ' moves' : ''}`;
    const key = `${likeness} ${standing.byDomainText}`;
    const known = members.get(key);
    if (known) known.pods.push(pod);
    else members.set(key, { likeness, pods: [pod] });
  }
  const groups: PodGroup[] = [];
  for (const { likeness, pods: alike } of members.values()) {
    const [sample] = alike;
    if (!sample) continue;
    const places = volumes.needOf(sample);
    const key = askKey(sample) + places.key;
    const asked = levels.get(key) ?? askLevels(sample, rules, places.alternatives);
    levels.set(key, asked);
    const amounts = amountsOf(sample.requests, rules.axes);
    const size = sizes.get(amounts.join()) ?? amounts;
    sizes.set(size.join(), size);
    groups.push({
      pods: alike,
      sample,
      requests: sample.requests,
      amounts: size,
      levels: asked,
      hostPorts: sample.hostPorts,
      attachments: volumes.attachmentsOf(sample),
      standing: rules.standingOf(sample),
      moves: movesIn(rules, sample),
      likeness,
    });
  }
  return groups.sort(largestFirst);
}

const movesIn = ({ moves }: GroupingRules, pod: Pod): boolean => moves?.(pod) ?? false;

const oldestFirst = chain<Pod>(
  (a, b) => a.meta.createdAt - b.meta.createdAt,
  (a, b) => compareText(a.meta.uid, b.meta.uid),
  byNamespacedName,
);

/** Orders groups by the size of their pods: cpu, memory, then age and uid. */
export const largestFirst = chain<PodGroup>(
  (a, b) => amountOf(b.requests, 'cpu') - amountOf(a.requests, 'cpu'),
  (a, b) => amountOf(b.requests, 'memory') - amountOf(a.requests, 'memory'),
  (a, b) => oldestFirst(a.sample, b.sample),
);

function likenessOf(
  pod: Pod,
  { byNodeText }: Standing,
  { needOf, attachmentsOf }: Pick<Volumes, 'needOf' | 'attachmentsOf'>,
): string {
  // No part holds a line break: names are names, and texts are JSON.
  let text = `${byNodeText}\n${askKey(pod)}\n${needOf(pod).key}\n${attachmentsOf(pod).key}`;
  for (const name of Object.keys(pod.requests).sort()) text += `\n${name}=${pod.requests[name]}`;
  if (pod.hostPorts.length === 0) return text;
  const ports = pod.hostPorts.map(({ ip, port, protocol }) => `${ip}/${port}/${protocol}`);
  return `${text}\n${ports.sort().join(' ')}`;
}

/** How many pods of the group one node can hold whatever its size: host ports clash. */
export const mostPerNode = (group: PodGroup): number =>
  group.hostPorts.length > 0 ? 1 : Number.POSITIVE_INFINITY;
