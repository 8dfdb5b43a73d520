import { isUntried } from '#lib/consent/pods.ts';
import { byNamespacedName, chain } from '#lib/constraints/order.ts';
import { liftOf, type Release } from '#lib/lifecycle/joining/barrier.ts';
import type { Node } from '#lib/model/node.ts';
import { nodeRef, podRef } from '#lib/model/object-ref.ts';
import type { Action, Placement } from '#lib/model/plan.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { bindableAmong } from './bindable.ts';
import { podName } from './new-node-claim.ts';

/**
 * Leads pods to the nodes that were made for them at the moment these are given to kube-scheduler:
 * each waiting pod that goes on one of them, as things are now, is named that node, or bound to it
 * where that is wanted and safe; then all the nodes are released. A nomination of ours that leads
 * nowhere is taken back.
 *
 * Nominations are written last because a failed attempt of a pod that may preempt loses them, and
 * among them last those of pods that kube-scheduler has not tried yet, the next of them at the very
 * end: it may have tried them by then, and does not again before a node is released.
 * Source: kube-scheduler v1.36, schedule_one.go and the preemption plugin, and observed.
 */
export function leadPods(
  placements: readonly Placement[],
  release: Release,
  snapshot: Snapshot,
): readonly Action[] {
  const nodes = new Map(release.nodes.map((node) => [node.meta.name, node]));
  const nodeOf = new Map(placements.map(({ pod, node }) => [pod, nodes.get(node ?? '')]));
  const wantedOn = new Map(placements.map(({ pod, node }) => [pod, node]));
  const mode = snapshot.settings.placement ?? 'nominate';
  const led = mode === 'none' ? [] : snapshot.pods.filter((pod) => nodeOf.get(podName(pod)));
  const bound = mode === 'bind' ? bindableAmong(led, snapshot) : new Set<string>();
  const named = led.filter(({ meta }) => !bound.has(meta.uid));
  const lost = snapshot.pods.filter(
    (pod) =>
      pod.isNominatedByUs &&
      nodeOf.get(podName(pod)) === undefined &&
      wantedOn.get(podName(pod)) !== pod.nominatedNodeName,
  );
  return [
    ...lost.toSorted(byNamespacedName).map((pod) => nominate(pod, null)),
    ...named.toSorted(byNextAttempt).flatMap((pod) => {
      const name = nodeOf.get(podName(pod))?.meta.name ?? '';
      return pod.nominatedNodeName === name ? [] : [nominate(pod, name)];
    }),
    ...release.nodes.flatMap((node) => {
      const pods = led.filter(
        (pod) => bound.has(pod.meta.uid) && nodeOf.get(podName(pod)) === node,
      );
      return pods.length === 0 ? [] : [bind(node, pods, snapshot)];
    }),
    ...release.nodes.flatMap(liftOf),
  ];
}

/** Those that are parked first, then those that were made last. */
const byNextAttempt = chain<Pod>(
  (a, b) => Number(isUntried(a)) - Number(isUntried(b)),
  (a, b) => (isUntried(a) ? b.meta.createdAt - a.meta.createdAt : 0),
  byNamespacedName,
);

const nominate = (pod: Pod, nodeName: string | null): Action => ({
  kind: 'nominate',
  pod: podRef(pod),
  nodeName,
});

function bind(node: Node, pods: readonly Pod[], { nodes }: Snapshot): Action {
  const seen = nodes.find(({ name }) => name === node.meta.name)?.pods ?? [];
  return {
    kind: 'bind',
    node: nodeRef(node),
    pods: pods.toSorted(byNamespacedName).map(podRef),
    podsSeen: seen.map(({ meta }) => meta.uid).sort(),
  };
}
