import { HOSTNAME } from '#lib/model/labels.ts';
import type { PodGroup } from '../pods/pod-groups.ts';
import type { TopologyRule } from '../topology/rule.ts';
import type { Part } from '../topology/rules.ts';
import type { Topology } from '../topology/topology.ts';
import type { Spot, Stand } from './stands.ts';

/**
 * The groups among `stands` of which some pods can never be bound where they are, in whatever order
 * the scheduler takes them: each waits for one of the others. Pods that look for nobody are bound
 * first, then whoever finds what it looks for, and only then somebody who is the first of his kind.
 *
 * Cost: stands of pods with affinity × their rules, once for each link of the longest chain.
 * Source: kubernetes v1.36, scheduler/framework/plugins/interpodaffinity/filtering.go.
 */
export function stuckAmong(stands: readonly Stand[], topology: Topology): ReadonlySet<PodGroup> {
  let waiting = stands.filter(({ group }) => looksForSomebody(group));
  if (waiting.length === 0) return NOBODY;
  const bound = boundAtFirst(topology);
  for (const stand of stands) if (!looksForSomebody(stand.group)) bound.bind(stand);
  for (let next = nextAmong(waiting, bound); next.size > 0; next = nextAmong(waiting, bound)) {
    for (const stand of next) bound.bind(stand);
    waiting = waiting.filter((stand) => !next.has(stand));
  }
  return new Set(waiting.map(({ group }) => group));
}

function nextAmong(waiting: readonly Stand[], bound: Bound): ReadonlySet<Stand> {
  const near = waiting.filter((stand) => bound.isNear(stand));
  const first = near.length > 0 ? undefined : waiting.find((stand) => bound.mayBegin(stand));
  return new Set(first ? [first] : near);
}

const NOBODY: ReadonlySet<PodGroup> = new Set();

/** Whether pods of the group must be near somebody. */
export const looksForSomebody = ({ standing }: PodGroup): boolean =>
  standing.byNode.some(isBond) || standing.byDomain.some(isBond);

/** Whether pods of the group must be near somebody, or somebody near them. */
export const hasToDoWithAffinity = ({ standing }: PodGroup): boolean =>
  standing.byNode.some(isOfAffinity) || standing.byDomain.some(isOfAffinity);

const isOfAffinity = ({ rule }: Part): boolean => rule.kind === 'affinity';

const isBond = ({ rule, owns }: Part): boolean => owns && rule.kind === 'affinity';

/** Pods that are bound by now, in the eyes of rules of affinity. */
interface Bound {
  readonly bind: (stand: Stand) => void;
  /** Whether each rule finds somebody where the stand is. */
  readonly isNear: (stand: Stand) => boolean;
  /** Whether its pods are what they look for and nobody else is anywhere. */
  readonly mayBegin: (stand: Stand) => boolean;
}

/** Who runs already. */
function boundAtFirst(topology: Topology): Bound {
  const census = topology.openCensus(new Set());
  const begun = new Set(topology.begun);
  const onNodes = new Map<string, Set<TopologyRule>>();
  const isOnNode = ({ name, host }: Spot, rule: TopologyRule): boolean =>
    onNodes.get(name)?.has(rule) === true ||
    (host !== undefined && (topology.residentsOn(host).get(rule)?.selected ?? 0) > 0);
  const bondsOf = ({ group: { standing } }: Stand): readonly Part[] =>
    [...standing.byNode, ...standing.byDomain].filter(isBond);
  const isOverDomains = ({ rule }: Part): boolean => rule.topologyKey !== HOSTNAME;
  return {
    bind: ({ group: { standing }, spot, count }) => {
      census.record(standing.byDomain, spot.place, count, spot.countingFor);
      const rules = onNodes.get(spot.name) ?? new Set();
      onNodes.set(spot.name, rules);
      for (const { rule, selected } of standing.byNode) {
        if (!selected) continue;
        rules.add(rule);
        begun.add(rule);
      }
    },
    isNear: (stand) =>
      bondsOf(stand).every((part) =>
        isOverDomains(part)
          ? !census.objection([{ ...part, selected: false }], stand.spot.place, () => true)
          : isOnNode(stand.spot, part.rule),
      ),
    mayBegin: (stand) =>
      bondsOf(stand).every((part) =>
        isOverDomains(part)
          ? !census.objection([part], stand.spot.place, () => true)
          : part.selected && !begun.has(part.rule),
      ),
  };
}
