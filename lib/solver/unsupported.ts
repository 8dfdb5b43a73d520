import { type Rejection, reject } from '#lib/constraints/rejection.ts';
import type { Pod } from '#lib/model/pod.ts';

/**
 * Why `pod` needs a rule that the solver does not know: it is refused rather than placed where it
 * may not run. Undefined for every other pod; what a pod merely prefers is no reason.
 */
export function unsupportedNeed(pod: Pod): Rejection | undefined {
  if (pod.resourceClaims.length > 0) {
    return reject(
      'unsupported',
      `pod has Dynamic Resource Allocation requirements that are not yet supported by Karpenter, nor by Joinery (ResourceClaims: ${pod.resourceClaims.join(', ')})`,
    );
  }
  return undefined;
}

/** What `pod` would like and the solver does not weigh, for a warning; empty for most pods. */
export function unweighedWishes(pod: Pod): readonly string[] {
  const wishes: string[] = [];
  const soft = pod.topologySpread.find((each) => each.whenUnsatisfiable === 'ScheduleAnyway');
  if (soft) wishes.push(`its topology spread (ScheduleAnyway) over ${soft.topologyKey}`);
  const [near] = pod.podAffinity.preferred;
  if (near) wishes.push(`its preferred pod affinity over ${near.term.topologyKey}`);
  const [away] = pod.podAntiAffinity.preferred;
  if (away) wishes.push(`its preferred pod anti-affinity over ${away.term.topologyKey}`);
  return wishes;
}
