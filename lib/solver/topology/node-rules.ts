import type { PodGroup } from '../pods/pod-groups.ts';
import type { TopologyRule } from './rule.ts';
import type { Part } from './rules.ts';

/** How many of each group stand on one node. */
export type Company = ReadonlyMap<PodGroup, number>;

/** Pods that stood on a node before, in the eyes of one rule over the hostname. */
export interface Residents {
  readonly selected: number;
  readonly owners: number;
}

/** What is known of a node beside the groups that were put on it. */
export interface NodeContext {
  /** Pods that run there already; absent on a new node. */
  readonly residents?: ReadonlyMap<TopologyRule, Residents>;
  /** Whether a pod with affinity to its like may be the first of them: nobody is anywhere yet. */
  readonly mayBegin?: ((rule: TopologyRule) => boolean) | undefined;
  /** Lets pods in that others' spreads count but that do not ask for one, where nothing else is left. */
  readonly mayCrowd?: boolean | undefined;
}

/**
 * How many more pods of `group` its rules over the hostname let onto a node in this company:
 * Infinity where none has a say.
 *
 * A spread allows maxSkew pods on each node, since an empty node can always be made. Pods that
 * others' spreads count keep to it where an owner stands, although the scheduler would let them in.
 *
 * Cost: the group's rules × the groups in company.
 * Source: karpenter v1.14, provisioning/scheduling/topologygroup.go, for the hostname.
 */
export function mostBeside(group: PodGroup, company: Company, context: NodeContext = {}): number {
  let most = Number.POSITIVE_INFINITY;
  for (const part of group.standing.byNode) {
    const there = present(part.rule, company, context);
    most = Math.min(most, mostBy(part, there, context));
    if (most < 1) return 0;
  }
  return most;
}

/** How many more pods that are this to a rule may come where `there` stand already. */
export function mostBy(part: Part, there: Residents, context: NodeContext): number {
  switch (part.rule.kind) {
    case 'spread':
      return mostBySpread(part, there, context);
    case 'affinity':
      return mostByAffinity(part, there, context);
    case 'antiAffinity':
      return mostByAntiAffinity(part, there);
  }
}

function mostBySpread(
  { rule, owns, selected }: Part,
  there: Residents,
  { mayCrowd }: NodeContext,
): number {
  if (!owns && (there.owners === 0 || mayCrowd)) return Number.POSITIVE_INFINITY;
  const left = rule.maxSkew - there.selected;
  if (selected) return left;
  return left >= 0 ? Number.POSITIVE_INFINITY : 0;
}

function mostByAffinity(
  { rule, owns, selected }: Part,
  there: Residents,
  { mayBegin }: NodeContext,
): number {
  if (!owns || there.selected > 0) return Number.POSITIVE_INFINITY;
  return selected && mayBegin?.(rule) === true ? Number.POSITIVE_INFINITY : 0;
}

function mostByAntiAffinity({ owns, selected }: Part, there: Residents): number {
  if ((owns && there.selected > 0) || (selected && there.owners > 0)) return 0;
  return owns && selected ? 1 : Number.POSITIVE_INFINITY;
}

function present(rule: TopologyRule, company: Company, { residents }: NodeContext): Residents {
  const before = residents?.get(rule);
  let [selected, owners] = [before?.selected ?? 0, before?.owners ?? 0];
  for (const [group, count] of company) {
    const part = group.standing.byNode.find((each) => each.rule === rule);
    if (part?.selected) selected += count;
    if (part?.owns) owners += count;
  }
  return { selected, owners };
}

/** Whether pods may share a new node in these numbers, in some order of their coming. */
export function mayShare(company: Company, context: NodeContext = {}): boolean {
  for (const [group, count] of company) {
    const isKept = group.standing.byNode.every(
      (part) => !part.owns || isKeptBy(part, count, present(part.rule, company, {}), context),
    );
    if (!isKept) return false;
  }
  return true;
}

/** Whether a rule of `count` owners holds on a node where all of `there` stand, they included. */
function isKeptBy(
  { rule, selected }: Part,
  count: number,
  there: Residents,
  { mayBegin }: NodeContext,
): boolean {
  const others = there.selected - (selected ? count : 0);
  switch (rule.kind) {
    case 'spread':
      return there.selected <= rule.maxSkew;
    case 'affinity':
      return others > 0 || (selected && mayBegin?.(rule) === true);
    case 'antiAffinity':
      return others === 0 && (!selected || count <= 1);
  }
}
