import { isReschedulable } from '#lib/consent/pods.ts';
import { addResources, type Resources } from '#lib/constraints/resources.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Pod } from '#lib/model/pod.ts';
import { NOON, ownedBy } from '#test/build/objects.ts';
import { aPod } from '#test/build/pods.ts';
import type { Workload } from './workload.ts';

const MINUTE_MS = 60_000;

/** A pod of a workload that waits for a node since this instant. */
export const waitingPod = (workload: Workload, serial: number, createdAt: number): Pod => {
  const owner = workload.ownerAt(Math.floor((createdAt - NOON) / MINUTE_MS));
  return aPod({
    meta: {
      name: `${workload.name}-${serial}`,
      uid: `${workload.name}-${serial}`,
      createdAt,
      labels: { app: workload.name },
      owners: [{ ...ownedBy('ReplicaSet'), name: owner, uid: owner }],
    },
    requests: workload.requests,
  });
};

/** The pod as one that nobody may disturb for two hours. */
export const guardedPod = (pod: Pod): Pod => ({
  ...pod,
  meta: { ...pod.meta, annotations: { 'karpenter.sh/do-not-disrupt': '2h' } },
});

/** The pod once it runs on a node. */
function boundPod(pod: Pod, nodeName: string, minute: number): Pod {
  const { nominatedNodeName: _, ...rest } = pod;
  return {
    ...rest,
    nodeName,
    phase: 'Running',
    ready: 'True',
    startedAt: NOON + minute * MINUTE_MS,
    scheduled: { status: 'True', reason: '' },
  };
}

/**
 * Binds waiting pods as kube-scheduler would without hints: each to the node that would have the
 * most room left, where it fits and no taint is in the way. What fits nowhere goes on waiting.
 */
export function bindAll(
  nodes: readonly StateNode[],
  waiting: readonly Pod[],
  minute: number,
): { readonly nodes: readonly StateNode[]; readonly waiting: readonly Pod[] } {
  if (waiting.length === 0) return { nodes, waiting };
  const open = nodes.filter(({ node, claim }) => {
    const isGoing = claim?.meta.deletedAt !== undefined;
    return node !== undefined && !isGoing && node.taints.length === 0;
  });
  const used = new Map<string, Resources>(
    open.map(({ name, pods }) => [name, pods.map(({ requests }) => requests).reduce(sum, {})]),
  );
  const coming = new Map<string, Pod[]>();
  const left: Pod[] = [];
  for (const pod of waiting) {
    let best: string | undefined;
    let most = -1;
    for (const { name, node } of open) {
      const room = roomLeft(node?.allocatable ?? {}, used.get(name) ?? {}, pod.requests);
      if (room > most) [best, most] = [name, room];
    }
    if (best === undefined) {
      left.push(pod);
      continue;
    }
    used.set(best, sum(used.get(best) ?? {}, pod.requests));
    coming.set(best, [...(coming.get(best) ?? []), boundPod(pod, best, minute)]);
  }
  return {
    nodes: nodes.map((state) => {
      const more = coming.get(state.name);
      return more ? { ...state, pods: [...state.pods, ...more] } : state;
    }),
    waiting: left,
  };
}

const sum = (a: Resources, b: Resources): Resources => addResources(a, b);

/** The mean share of cpu and memory that is free afterwards; negative where it does not fit. */
function roomLeft(allocatable: Resources, used: Resources, more: Resources): number {
  let total = 0;
  for (const name of ['cpu', 'memory', 'pods']) {
    const has = allocatable[name] ?? 0;
    const free = has - (used[name] ?? 0) - (more[name] ?? 0);
    if (free < 0) return -1;
    if (name !== 'pods') total += free / has;
  }
  return total / 2;
}

/** The pods of a node that somebody makes anew when they are evicted. */
export const movedWith = ({ pods }: StateNode): readonly Pod[] => pods.filter(isReschedulable);
