import { isProvisionable, isUntried } from '#lib/consent/pods.ts';
import { reject } from '#lib/constraints/rejection.ts';
import { conditionOf } from '#lib/model/conditions.ts';
import { INITIALIZED, NODEPOOL } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { isGoing } from './hosts/hosts.ts';
import { type SolveProblem, type SolveRefusal, type SolveResult, solve } from './solve.ts';

/** What would be if some nodes were gone. */
export interface Simulation extends SolveProblem {
  /** Names of the StateNodes that are gone; those of their pods that have to move are in `pods`. */
  readonly without: ReadonlySet<string>;
  /**
   * Whether nodes whose pods changed a short while ago take no pod that has a node: consolidation
   * waits until they have settled, drift does not.
   */
  readonly sparesUnsettled: boolean;
  /** Names of StateNodes that take no pod that has a node, whatever else; none where absent. */
  readonly closed?: ReadonlySet<string>;
  /** Names of StateNodes that will go whatever comes of this: their pods may go anywhere. */
  readonly alsoLeaving?: ReadonlySet<string>;
}

/** Where everything would go, and what stands against it. */
export interface SimulationResult extends SolveResult {
  /** The refusals of pods that have a node now: those that wait anyway are not made worse off. */
  readonly blocking: readonly SolveRefusal[];
}

/**
 * Solves as for pods that wait, with nodes left out. Limits, topology and room are those of the
 * cluster without them. A pod that would go on a node which is not initialized yet is refused,
 * because nobody knows whether that node will come up; unless its own node is going anyway.
 * Reserved capacity that is used up gives way to other capacity, as it always does here.
 *
 * Source: karpenter v1.14, disruption/helpers.go, SimulateScheduling.
 */
export function simulate(simulation: Simulation): SimulationResult {
  const { snapshot, pods, without, sparesUnsettled, alsoLeaving } = simulation;
  const displaced = new Set(
    snapshot.nodes
      .filter((each) => isGoing(each) || alsoLeaving?.has(each.name))
      .flatMap((each) => each.pods.map(({ meta }) => meta.uid)),
  );
  const moves = ({ phase, meta }: Pod): boolean => phase !== 'Pending' && !displaced.has(meta.uid);
  const there: Snapshot = {
    ...snapshot,
    nodes: snapshot.nodes.filter(({ name }) => !without.has(name)),
  };
  const solved = solve({
    snapshot: there,
    pods,
    promised: simulation.promised,
    expected: simulation.expected,
    ...(simulation.ground && { ground: simulation.ground }),
    standstill: {
      hosts: new Set([
        ...(simulation.closed ?? []),
        ...(sparesUnsettled ? unsettledIn(there) : []),
      ]),
      movers: new Set(pods.filter(moves).map(({ meta }) => meta.uid)),
    },
  });
  const result = withoutUninitialized(solved, there, displaced);
  return { ...result, blocking: result.refusals.flatMap(onlyOfMoved) };
}

/** The nodes whose pods changed within their NodePool's consolidateAfter. */
function unsettledIn({ nodes, nodePools, takenAt }: Snapshot): readonly string[] {
  const waits = new Map(
    nodePools.map(({ meta, disruption }) => [meta.name, disruption.consolidateAfter]),
  );
  return nodes
    .filter(({ claim }) => {
      const wait = waits.get(claim?.meta.labels[NODEPOOL] ?? '');
      if (!claim || wait === undefined || wait === 'Never') return false;
      const initialized = conditionOf(claim.status.conditions, 'Initialized');
      if (initialized?.status !== 'True') return false;
      return takenAt - (claim.status.lastPodEventAt ?? initialized.changedAt) < wait;
    })
    .map(({ name }) => name);
}

function withoutUninitialized(
  solved: SolveResult,
  { nodes }: Snapshot,
  displaced: ReadonlySet<string>,
): SolveResult {
  const uncertain = new Map(
    nodes.filter(isUninitialized).map((each) => [each.name, describeUninitialized(each)]),
  );
  const kept: SolveResult['placements'][number][] = [];
  const refusals: SolveRefusal[] = [];
  for (const placement of solved.placements) {
    const { pod, host } = placement;
    const because = displaced.has(pod.meta.uid) ? undefined : uncertain.get(host);
    if (because === undefined) kept.push(placement);
    else refusals.push({ pods: [pod], rejection: reject('eligibility', because), nodePools: [] });
  }
  return { ...solved, placements: kept, refusals: [...solved.refusals, ...refusals] };
}

/** Whether nobody knows yet that a managed node will come up. */
export const isUninitialized = ({ node, claim }: StateNode): boolean =>
  claim !== undefined && node?.meta.labels[INITIALIZED] !== 'true';

const describeUninitialized = ({ node, claim }: StateNode): string =>
  [
    `would schedule against uninitialized nodeclaim/${claim?.meta.name}`,
    ...(node ? [`node/${node.meta.name}`] : []),
  ].join(', ');

function onlyOfMoved(refusal: SolveRefusal): readonly SolveRefusal[] {
  const pods = refusal.pods.filter((pod) => !isProvisionable(pod) && !isUntried(pod));
  return pods.length === 0 ? [] : [{ ...refusal, pods }];
}
