import { DISRUPTION_REASON, INSTANCE_TERMINATING } from '#lib/model/condition-types.ts';
import { isTrue } from '#lib/model/conditions.ts';
import { INITIALIZED as INITIALIZED_LABEL } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { BudgetReason, BudgetSpec, NodePool } from '#lib/model/node-pool.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { firedWithin, parseSchedule } from './cron.ts';

/**
 * How many more nodes of a pool may be disrupted now, for a reason: the strictest of its active
 * budgets, less the nodes that are away or going already, whatever the reason; never negative.
 * Infinity where no budget speaks. A budget that cannot be read allows nothing.
 *
 * Source: karpenter v1.14, disruption/helpers.go, BuildDisruptionBudgetMapping.
 */
export function disruptionsLeft(
  pool: NodePool,
  members: readonly StateNode[],
  { reason, now, inFlight }: BudgetOccasion,
): number {
  const counted = members.filter(isCounted);
  const allowed = disruptionsAllowed(pool.disruption.budgets, counted.length, reason, now);
  const away = counted.filter((each) => isAway(each) || inFlight?.has(each.name));
  return Math.max(0, allowed - away.length);
}

/** Why, when and beside what nodes would be disrupted. */
export interface BudgetOccasion {
  readonly reason: BudgetReason;
  readonly now: EpochMs;
  /** Names of StateNodes that commands which are under way will take; none where absent. */
  readonly inFlight?: ReadonlySet<string>;
}

/**
 * How many of `total` nodes the budgets let go at once for a reason, at this instant.
 *
 * Example: "10%" of 25 nodes is 3.
 * Source: karpenter v1.14, apis/v1/nodepool.go, GetAllowedDisruptionsByReason.
 */
export function disruptionsAllowed(
  budgets: readonly BudgetSpec[],
  total: number,
  reason: BudgetReason,
  now: EpochMs,
): number {
  const values = budgets.map((budget) => nodesOf(budget, total, now));
  if (values.includes(undefined)) return 0;
  const applying = values.flatMap((value, at) => {
    const reasons = budgets[at]?.reasons;
    return value !== undefined && (reasons === undefined || reasons.includes(reason))
      ? [value]
      : [];
  });
  return Math.min(Number.POSITIVE_INFINITY, ...applying);
}

/** How many nodes one budget allows; Infinity out of its hours; undefined where it is unreadable. */
function nodesOf(budget: BudgetSpec, total: number, now: EpochMs): number | undefined {
  const [, amount, percent] = /^(\d+)(%?)$/.exec(budget.nodes) ?? [];
  const isOpen = isActive(budget, now);
  if (amount === undefined || isOpen === undefined) return undefined;
  if (!isOpen) return Number.POSITIVE_INFINITY;
  return percent === '' ? Number(amount) : Math.ceil((total * Number(amount)) / 100);
}

/** Whether a budget speaks now; undefined where its schedule is none. Always in UTC. */
function isActive({ schedule, durationMs }: BudgetSpec, now: EpochMs): boolean | undefined {
  if (schedule === undefined && durationMs === undefined) return true;
  const parsed = parseSchedule(schedule ?? '');
  return parsed && firedWithin(parsed, durationMs ?? 0, now);
}

/** Whether a node counts for a pool's total. Source: as disruptionsLeft. */
const isCounted = ({ node, claim }: StateNode): boolean =>
  claim !== undefined &&
  node?.meta.labels[INITIALIZED_LABEL] === 'true' &&
  !isTrue(claim.status.conditions, INSTANCE_TERMINATING);

/** Whether a node is away or going: not ready, being deleted, or chosen for disruption. */
const isAway = ({ node, claim }: StateNode): boolean =>
  node?.ready?.status !== 'True' ||
  claim?.meta.deletedAt !== undefined ||
  isTrue(claim?.status.conditions ?? [], DISRUPTION_REASON);
