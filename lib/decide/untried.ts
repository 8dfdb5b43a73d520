import { isTerminal } from '#lib/consent/pod-state.ts';
import { isForDefaultScheduler } from '#lib/consent/pods.ts';
import { firstPortConflict } from '#lib/constraints/host-ports.ts';
import {
  isCompatible,
  type Requirements,
  requirementsOfLabels,
} from '#lib/constraints/requirements.ts';
import {
  addResources,
  atLeastZero,
  fits,
  type Resources,
  subtractResources,
} from '#lib/constraints/resources.ts';
import { firstUntolerated, type Taint } from '#lib/constraints/taints.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { askKey, requiredAlternatives } from '#lib/solver/pods/ask.ts';

/** A pod that is untried for longer is held by something that is not known here. */
const LONGEST_QUEUE_MS = 60_000;

/**
 * Those of `untried` that kube-scheduler will find no place for, in their order: it marks 50 a second, so that a thousand pods are told of for twenty seconds, which nobody
 * should wait for. They count as soon as it has given up on some pod, `marked`, if no node that is
 * there could take them as they are: not by room, taints, labels or host ports, whatever else it
 * looks at. Room that is held by pods of lower priority counts as free for those that may preempt.
 * A pod that might fit is left to it. Those of `planned` (by uid) have nodes made or named for them
 * and count until they are bound.
 *
 * Cost: kinds of pods × nodes. Source: kubernetes v1.36, schedule_one.go (a failure is written
 * before the next pod is tried), componentconfig defaults of its client (50 a second, burst 100).
 * Karpenter v1.14 waits for the mark.
 */
export function hopelessAmong(
  untried: readonly Pod[],
  marked: readonly Pod[],
  planned: ReadonlyMap<string, string>,
  snapshot: Snapshot,
): readonly Pod[] {
  if (untried.length === 0) return [];
  const isKnown = ({ meta }: Pod): boolean => planned.has(meta.uid);
  const isHopeless = marked.some(isForDefaultScheduler) ? hopelessRule(snapshot) : () => false;
  return untried.filter((pod) => isKnown(pod) || isHopeless(pod));
}

function hopelessRule({ nodes, takenAt, leftOut }: Snapshot): (pod: Pod) => boolean {
  // What a Node has that could not be read is not known.
  if (leftOut.some(({ object }) => object.kind === 'Node')) return () => false;
  const places = nodes.flatMap(placeOf);
  const known = new Map<string, boolean>();
  return (pod) => {
    if (takenAt - pod.meta.createdAt > LONGEST_QUEUE_MS) return false;
    const key = kindOf(pod);
    const verdict = known.get(key) ?? !isWelcome(pod, places);
    known.set(key, verdict);
    return verdict;
  };
}

/** What of a pod the verdict depends on, as one text. */
const kindOf = (pod: Pod): string =>
  JSON.stringify([
    Object.entries(pod.requests).sort(([a], [b]) => (a < b ? -1 : 1)),
    pod.hostPorts.map(({ ip, port, protocol }) => [ip, port, protocol]),
    [pod.priority, pod.preemptionPolicy],
    askKey(pod),
  ]);

/** A Node as kube-scheduler sees it. */
interface Place {
  readonly labels: Requirements;
  readonly taints: readonly Taint[];
  readonly allocatable: Resources;
  readonly pods: readonly Pod[];
  /** Of all its pods, and the lowest priority that one of them has. */
  readonly held: Resources;
  readonly lowest: number;
}

function placeOf({ node, pods }: StateNode): readonly Place[] {
  if (node === undefined) return [];
  const taints = node.unschedulable ? [...node.taints, CORDONED] : node.taints;
  const living = pods.filter((pod) => !isTerminal(pod));
  return [
    {
      labels: requirementsOfLabels(node.meta.labels),
      taints: taints.filter(({ effect }) => effect !== 'PreferNoSchedule'),
      allocatable: node.allocatable,
      pods: living,
      held: sumOf(living),
      lowest: Math.min(...living.map(({ priority }) => priority)),
    },
  ];
}

const CORDONED: Taint = {
  key: 'node.kubernetes.io/unschedulable',
  value: '',
  effect: 'NoSchedule',
};

function isWelcome(pod: Pod, places: readonly Place[]): boolean {
  const asks = requiredAlternatives(pod);
  return places.some(
    (place) =>
      firstUntolerated(place.taints, pod.tolerations) === undefined &&
      hasRoom(pod, place) &&
      asks.some(
        ({ requirements, present }) =>
          isCompatible(place.labels, requirements, NO_KEYS) &&
          isCompatible(place.labels, present, NO_KEYS),
      ),
  );
}

const NO_KEYS: ReadonlySet<string> = new Set();

function hasRoom(pod: Pod, place: Place): boolean {
  const isHolding = ({ priority }: Pod): boolean =>
    pod.preemptionPolicy === 'Never' || priority >= pod.priority;
  const isAll = pod.preemptionPolicy === 'Never' || place.lowest >= pod.priority;
  const holding = isAll ? place.pods : place.pods.filter(isHolding);
  const held = isAll ? place.held : sumOf(holding);
  const isTaken = firstPortConflict(
    pod.hostPorts,
    holding.flatMap(({ hostPorts }) => hostPorts),
  );
  return !isTaken && fits(pod.requests, atLeastZero(subtractResources(place.allocatable, held)));
}

const sumOf = (pods: readonly Pod[]): Resources =>
  pods.reduce<Resources>((sum, { requests }) => addResources(sum, requests), {});
