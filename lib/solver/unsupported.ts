import { type Rejection, reject } from '#lib/constraints/rejection.ts';
import type { Pod } from '#lib/model/pod.ts';
import { type Repeller, repels, repelsFromItsNodeOnly } from './repellers.ts';

/**
 * Why `pod` needs a rule that the solver does not know: it is refused rather than placed where it
 * may not run. Undefined for every other pod; what a pod merely prefers is no reason.
 */
export function unsupportedNeed(pod: Pod, repellers: readonly Repeller[]): Rejection | undefined {
  if (pod.resourceClaims.length > 0) {
    return reject(
      'unsupported',
      `it has Dynamic Resource Allocation requests (${pod.resourceClaims.join(', ')}), which Joinery does not support`,
    );
  }
  const need = topologyNeed(pod);
  if (need !== undefined) {
    return reject('unsupported', `it needs ${need}, which Joinery cannot place yet`);
  }
  const repeller = repellers.find((each) => !repelsFromItsNodeOnly(each) && repels(each, pod));
  if (!repeller) return undefined;
  return reject(
    'unsupported',
    `pod ${repeller.pod} keeps it away by required anti-affinity over ${repeller.topologyKey}, which Joinery cannot place around yet`,
  );
}

function topologyNeed(pod: Pod): string | undefined {
  const spread = pod.topologySpread.find((each) => each.whenUnsatisfiable === 'DoNotSchedule');
  if (spread) return `a topology spread (DoNotSchedule) over ${spread.topologyKey}`;
  const [near] = pod.podAffinity.required;
  if (near) return `required pod affinity over ${near.topologyKey}`;
  const [away] = pod.podAntiAffinity.required;
  if (away) return `required pod anti-affinity over ${away.topologyKey}`;
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
