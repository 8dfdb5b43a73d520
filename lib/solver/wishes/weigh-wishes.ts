import { type Admissions, admissionsFor } from '../admission.ts';
import type { HostPacking } from '../hosts/host-packing.ts';
import type { PodGroup } from '../pods/pod-groups.ts';
import { canYield, type Waiting, yieldWish } from '../pods/waiting.ts';
import type { Source } from '../sources.ts';
import { holds, unitPrice } from '../topology/offer.ts';

/**
 * Nodes that are there cost nothing, so they are used before wishes are weighed, as the scheduler
 * itself would. Of a new node a wish may raise the price by so much and no more.
 *
 * Differs from karpenter v1.14, provisioning/scheduling/scheduler.go, where a new node that grants
 * a wish goes before a node that is there.
 */
export function placeOrYield(
  waiting: Waiting,
  onHosts: HostPacking,
  sources: readonly Source[],
  admissions: Admissions,
): void {
  onHosts.place(waiting);
  for (let level = waiting.level + 1; level < waiting.group.levels.length; level++) {
    concede(waiting, level, onHosts);
  }
  if (waiting.left.length === 0 || !canYield(waiting)) return;
  const least = priceAt(waiting.group, waiting.group.levels.length - 1, sources, admissions);
  while (
    canYield(waiting) &&
    priceAt(waiting.group, waiting.level, sources, admissions) > least * WORTH_OF_A_WISH
  ) {
    yieldWish(waiting);
  }
}

/** Puts pods on nodes that are there although some wishes are not granted; the others keep theirs. */
function concede(waiting: Waiting, level: number, onHosts: HostPacking): void {
  if (waiting.left.length === 0) return;
  const lower: Waiting = { ...waiting, level };
  onHosts.place(lower);
  const without = new Set(lower.left);
  const pods = waiting.left.filter((pod) => !without.has(pod));
  waiting.left = lower.left;
  if (pods.length > 0) waiting.conceded = [...waiting.conceded, { level, pods }];
}

/** A node that grants a wish of its pods' node affinity may cost this much more, and no more. */
const WORTH_OF_A_WISH = 1.1;

/** What a unit of compute costs at a level, limits and reservations aside; Infinity: nothing fits. */
const priceAt = (
  { levels, amounts }: PodGroup,
  level: number,
  sources: readonly Source[],
  admissions: Admissions,
): number =>
  sources
    .flatMap((source) => admissionsFor(source, levels[level]?.asks ?? [], admissions))
    .filter((admission) => holds(admission, amounts))
    .reduce((least, admission) => Math.min(least, unitPrice(admission)), Number.POSITIVE_INFINITY);
