import type { HostPort } from '#lib/constraints/host-ports.ts';
import { byNamespacedName, compareText } from '#lib/constraints/order.ts';
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
  const levels = new Map<string, readonly AskLevel[]>();
  const sizes = new Map<string, Amounts>();
  const { volumes = NO_VOLUMES } = rules;
  return alikeAmong(pods, rules).map(({ likeness, pods: alike, sample, requests, standing }) => {
    const places = volumes.needOf(sample);
    const key = askKey(sample) + places.key;
    const asked = levels.get(key) ?? askLevels(sample, rules, places.alternatives);
    levels.set(key, asked);
    const amounts = amountsOf(sample.requests, rules.axes);
    const text = amounts.join();
    const size = sizes.get(text) ?? amounts;
    sizes.set(text, size);
    return {
      pods: alike,
      sample,
      requests,
      amounts: size,
      levels: asked,
      hostPorts: sample.hostPorts,
      attachments: volumes.attachmentsOf(sample),
      standing,
      moves: movesIn(rules, sample),
      likeness,
    };
  });
}

/** The pods of one group. */
interface Alike extends Pick<PodGroup, 'likeness' | 'standing' | 'pods' | 'sample' | 'requests'> {}

/** The pods that no rule can tell apart, the largest first. */
function alikeAmong(pods: readonly Pod[], rules: GroupingRules): readonly Alike[] {
  const found: Alike[] = [];
  for (const [standing, ofStanding] of byWhatTheyAsk(pods, rules)) {
    for (const [asked, alike] of ofStanding) {
      const [sample] = alike.sort(oldestFirst);
      if (!sample) continue;
      const likeness = `${standing.byNodeText}\n${asked}`;
      found.push({ likeness, standing, pods: alike, sample, requests: sample.requests });
    }
  }
  return found.sort(largestFirst);
}

function byWhatTheyAsk(
  pods: readonly Pod[],
  rules: GroupingRules,
): ReadonlyMap<Standing, ReadonlyMap<string, Pod[]>> {
  const { volumes = NO_VOLUMES } = rules;
  const byStanding = new Map<Standing, Map<string, Pod[]>>();
  for (const pod of pods) {
    const standing = rules.standingOf(pod);
    const ofStanding = byStanding.get(standing) ?? new Map<string, Pod[]>();
    byStanding.set(standing, ofStanding);
    const asked = askedBy(pod, volumes) + (movesIn(rules, pod) ? ' moves' : '');
    const alike = ofStanding.get(asked);
    if (alike) alike.push(pod);
    else ofStanding.set(asked, [pod]);
  }
  return byStanding;
}

const movesIn = ({ moves }: GroupingRules, pod: Pod): boolean => moves?.(pod) ?? false;

/** By age, then uid, then name. */
const oldestFirst = (a: Pod, b: Pod): number =>
  a.meta.createdAt - b.meta.createdAt ||
  compareText(a.meta.uid, b.meta.uid) ||
  byNamespacedName(a, b);

type Sized = Pick<PodGroup, 'requests' | 'sample'>;

/** Orders groups by the size of their pods: cpu, memory, then age and uid. */
export const largestFirst = (a: Sized, b: Sized): number =>
  amountOf(b.requests, 'cpu') - amountOf(a.requests, 'cpu') ||
  amountOf(b.requests, 'memory') - amountOf(a.requests, 'memory') ||
  oldestFirst(a.sample, b.sample);

/** All that a pod asks for, rules of topology aside. */
function askedBy(
  pod: Pod,
  { needOf, attachmentsOf }: Pick<Volumes, 'needOf' | 'attachmentsOf'>,
): string {
  // No part holds a line break: names are names, and texts are JSON.
  let text = `${askKey(pod)}\n${needOf(pod).key}\n${attachmentsOf(pod).key}`;
  for (const name of Object.keys(pod.requests).sort()) text += `\n${name}=${pod.requests[name]}`;
  if (pod.hostPorts.length === 0) return text;
  const ports = pod.hostPorts.map(({ ip, port, protocol }) => `${ip}/${port}/${protocol}`);
  return `${text}\n${ports.sort().join(' ')}`;
}

/** How many pods of the group one node can hold whatever its size: host ports clash. */
export const mostPerNode = (group: PodGroup): number =>
  group.hostPorts.length > 0 ? 1 : Number.POSITIVE_INFINITY;
