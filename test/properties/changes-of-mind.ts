/** People who take back what they allowed, while commands are under way. */
import type { StateNode } from '#lib/model/node.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { Random } from '#lib/sim/random.ts';
import { MINUTE } from '#test/build/objects.ts';
import { podBudgetsIn } from './pod-budgets.ts';

const GUARD = 'karpenter.sh/do-not-disrupt';
/** Before every so manieth look at which a command is under way. */
const EVERY = 5;
const LASTS = 4 * MINUTE;

/**
 * What looks see of consent: the budget of the NodePool, PodDisruptionBudgets and pods that are not to
 * be disturbed. Now and then somebody forbids for some minutes what a command is about to do.
 */
export function changesOfMind(random: Random): (world: Snapshot) => Partial<Snapshot> {
  const nodes = ['10%', '3', '50%', '100%'][random.between(0, 3)] ?? '10%';
  /** What is forbidden, by uid of a pod, name of a workload or of the NodePool, and until when. */
  const forbidden = new Map<string, number>();
  return (world) => {
    const { takenAt: now, nodePools } = world;
    if (random.between(1, EVERY) === 1) {
      const about = somethingAbout(world.nodes.filter(isInCommand), random);
      if (about !== undefined) forbidden.set(about, now + LASTS);
    }
    const isForbidden = (about: string): boolean => now < (forbidden.get(about) ?? 0);
    return {
      nodes: world.nodes.map((state) => ({
        ...state,
        pods: state.pods.map((pod) =>
          forbidden.has(pod.meta.uid) ? guarded(pod, isForbidden(pod.meta.uid)) : pod,
        ),
      })),
      podDisruptionBudgets: podBudgetsIn(world, [...forbidden.keys()].filter(isForbidden)),
      nodePools: nodePools.map((pool) => {
        const budgets = [{ nodes: isForbidden(pool.meta.name) ? '0' : nodes }];
        return { ...pool, disruption: { ...pool.disruption, budgets } };
      }),
    };
  };
}

const isInCommand = ({ claim }: StateNode): boolean =>
  claim?.meta.annotations['joinery.dev/disruption'] !== undefined;

/** A pod of one of these nodes, its workload, or the NodePool. */
function somethingAbout(members: readonly StateNode[], random: Random): string | undefined {
  if (members.length === 0) return undefined;
  const member = members[random.between(0, members.length - 1)];
  const pods = (member?.pods ?? []).filter(({ meta }) => meta.annotations[GUARD] === undefined);
  const { uid, labels } = pods[random.between(0, Math.max(0, pods.length - 1))]?.meta ?? {};
  const pool = member?.claim?.meta.labels['karpenter.sh/nodepool'];
  return [uid, labels?.app, pool][random.between(0, 2)];
}

function guarded({ meta, ...pod }: Pod, isGuarded: boolean): Pod {
  const { [GUARD]: _, ...others } = meta.annotations;
  return {
    ...pod,
    meta: { ...meta, annotations: isGuarded ? { ...others, [GUARD]: 'true' } : others },
  };
}
