import { compareText } from '#lib/constraints/order.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { Workload } from './workload.ts';

/** A cluster about to breathe. */
export interface Breath {
  readonly world: Snapshot;
  readonly waiting: readonly Pod[];
  readonly workloads: readonly Workload[];
  readonly minute: number;
  readonly fresh: (workload: Workload) => Pod;
}

/** Brings every workload to its number of pods, the youngest going first, and rolls out. */
export function breathe({ world, waiting, workloads, minute, fresh }: Breath) {
  const running = Map.groupBy(
    [...waiting, ...world.nodes.flatMap(({ pods }) => pods)],
    ({ meta }) => meta.labels.app ?? '',
  );
  const gone = new Set<string>();
  const come: Pod[] = [];
  for (const workload of workloads) {
    const pods = (running.get(workload.name) ?? []).toSorted(
      (a, b) => b.meta.createdAt - a.meta.createdAt || compareText(b.meta.name, a.meta.name),
    );
    const wanted = workload.replicasAt(minute);
    const rolled = isRolling(workload, minute) ? Math.ceil(pods.length / 4) : 0;
    for (const { meta } of pods.slice(0, Math.max(0, pods.length - wanted))) gone.add(meta.uid);
    for (const { meta } of rolled > 0 ? pods.slice(-rolled) : []) gone.add(meta.uid);
    const left = pods.filter(({ meta }) => !gone.has(meta.uid)).length;
    for (let more = left; more < wanted; more++) come.push(fresh(workload));
  }
  const stays = ({ meta }: Pod): boolean => !gone.has(meta.uid);
  return {
    world: {
      ...world,
      nodes: world.nodes.map((state) => ({ ...state, pods: state.pods.filter(stays) })),
    },
    waiting: [...waiting.filter(stays), ...come],
  };
}

const isRolling = ({ rolloutsAt }: Workload, minute: number): boolean =>
  [0, 1, 2, 3].some((ago) => rolloutsAt.has((minute - ago) % 1440));
