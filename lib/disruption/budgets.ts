import { DISRUPTION_REASON, INSTANCE_TERMINATING } from '#lib/model/condition-types.ts';
import { isTrue } from '#lib/model/conditions.ts';
import { INITIALIZED as INITIALIZED_LABEL } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { BudgetReason, BudgetSpec, NodePool } from '#lib/model/node-pool.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { firedWithin, firesEver, parseSchedule } from './cron.ts';

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

const REASONS: readonly BudgetReason[] = ['Underutilized', 'Empty', 'Drifted'];

/** The reasons for which a pool's budgets let none of its nodes go, used up or not; none without nodes. */
export function blockedReasons(
  { disruption }: NodePool,
  members: readonly StateNode[],
  now: EpochMs,
): readonly BudgetReason[] {
  const total = members.filter(isCounted).length;
  if (total === 0) return [];
  return REASONS.filter(
    (reason) => disruptionsAllowed(disruption.budgets, total, reason, now) === 0,
  );
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
  if (budgetProblem(budget) !== undefined) return undefined;
  if (!isActive(budget, now)) return Number.POSITIVE_INFINITY;
  const amount = Number.parseInt(budget.nodes, 10);
  return budget.nodes.endsWith('%') ? Math.ceil((total * amount) / 100) : amount;
}

/** Whether a budget speaks now. Always in UTC. */
function isActive({ schedule, durationMs }: BudgetSpec, now: EpochMs): boolean {
  if (schedule === undefined || durationMs === undefined) return true;
  const parsed = parseSchedule(schedule);
  return parsed !== undefined && firedWithin(parsed, durationMs, now);
}

/**
 * Why a budget cannot be followed, for a person; undefined where it can. Such a budget lets nothing
 * go: what it was meant to forbid is not known.
 */
export function budgetProblem({ nodes, schedule, durationMs }: BudgetSpec): string | undefined {
  const [, amount, percent] = /^(\d+)(%?)$/.exec(nodes) ?? [];
  if (amount === undefined) return `nodes: expected a number or a percentage, found "${nodes}"`;
  if (percent === '%' && Number(amount) > 100) {
    return `nodes: expected at most 100%, found "${nodes}"`;
  }
  if (schedule === undefined && durationMs === undefined) return undefined;
  if (schedule === undefined) return 'duration: it stands without a schedule';
  if (durationMs === undefined) return `schedule "${schedule}": it stands without a duration`;
  const parsed = parseSchedule(schedule);
  if (!parsed)
    return `schedule: expected five fields such as "0 9 * * mon-fri", found "${schedule}"`;
  return firesEver(parsed) ? undefined : `schedule "${schedule}": it never fires`;
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
