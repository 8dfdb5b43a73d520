import { HOSTNAME } from '#lib/model/labels.ts';
import type { PodGroup } from '../pods/pod-groups.ts';
import type { TopologyRule } from './rule.ts';

/**
 * Groups that wait for one another: each must be near pods of the next, and the last near pods of
 * the first. None of them can be the first, so none may count on another. Who is of its own kind
 * can begin and waits for nobody. Where all that they need is in domains, choosing these in order
 * keeps them from beginning, and lets them in where somebody runs; only with a need on the node
 * itself in the circle there is anybody to name.
 *
 * Cost: for each group, the groups that it can reach; only where there are affinities.
 */
export function circleAmong(groups: readonly PodGroup[]): ReadonlySet<PodGroup> {
  const bound = groups.filter((group) => awaitedBy(group).length > 0);
  if (bound.length < 2) return NOBODY;
  const serving = servingAmong(bound);
  const needs = new Map(
    bound.map((group) => {
      const serve = new Set(awaitedBy(group).flatMap((rule) => serving.get(rule) ?? []));
      return [group, [...serve].filter((other) => other !== group)] as const;
    }),
  );
  const circle = bound.filter((group) => canReach(group, group, needs));
  return circle.some(awaitsOnNode) ? new Set(circle) : NOBODY;
}

/** Whether somebody must be on its very node, which nobody asks while domains are chosen. */
const awaitsOnNode = (group: PodGroup): boolean =>
  awaitedBy(group).some(({ topologyKey }) => topologyKey === HOSTNAME);

const NOBODY: ReadonlySet<PodGroup> = new Set();

const partsOf = ({ standing }: PodGroup) => [...standing.byNode, ...standing.byDomain];

/** The affinities of a group that others must satisfy. */
const awaitedBy = (group: PodGroup): readonly TopologyRule[] =>
  partsOf(group)
    .filter(({ rule, owns, selected }) => rule.kind === 'affinity' && owns && !selected)
    .map(({ rule }) => rule);

/** By affinity: those of the groups that it selects. */
function servingAmong(groups: readonly PodGroup[]): ReadonlyMap<TopologyRule, readonly PodGroup[]> {
  const serving = new Map<TopologyRule, PodGroup[]>();
  for (const group of groups) {
    for (const { rule } of partsOf(group).filter(({ selected }) => selected)) {
      const others = serving.get(rule);
      if (others) others.push(group);
      else serving.set(rule, [group]);
    }
  }
  return serving;
}

function canReach(
  from: PodGroup,
  goal: PodGroup,
  needs: ReadonlyMap<PodGroup, readonly PodGroup[]>,
): boolean {
  const seen = new Set<PodGroup>();
  const open = [...(needs.get(from) ?? [])];
  for (let next = open.pop(); next; next = open.pop()) {
    if (next === goal) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...(needs.get(next) ?? []));
  }
  return false;
}
