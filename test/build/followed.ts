/** A cluster that is consolidated until nothing is left to do. */
import { CONSOLIDATABLE } from '#lib/model/condition-types.ts';
import { conditionOf } from '#lib/model/conditions.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { priceOfNode } from '#lib/solver/opening/node-price.ts';
import { carriedOut } from './carried-out.ts';
import { consolidated } from './consolidating.ts';

/** Where a consolidation ends. */
export interface Followed {
  readonly snapshot: Snapshot;
  /** Moves: who moves twice counts twice. */
  readonly podsMoved: number;
  /** How many different pods moved. */
  readonly podsTouched: number;
  readonly usdPerHour: number;
  readonly rounds: number;
}

const MOST_ROUNDS = 100;
const ROUND_MS = 60_000;
/** So long is waited once nothing is left to do, for nodes that have yet to settle. */
const PATIENCE_MS = 600_000;

/** What all nodes cost. */
export const usdOf = ({ nodes, catalog }: Snapshot): number =>
  nodes.reduce((sum, state) => sum + (priceOfNode(state, catalog) ?? 0), 0);

/**
 * Carries out pass after pass, a minute apart, as planned and at once: replacements are the cheapest
 * that they may be, pods run where the plan puts them, and PodDisruptionBudgets recover.
 */
export function followed(start: Snapshot): Followed {
  let snapshot = start;
  let podsMoved = 0;
  let rounds = 0;
  const touched = new Set<string>();
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { commands } = consolidated(snapshot);
    if (commands.length === 0) {
      const later = settledAt(snapshot, snapshot.takenAt + PATIENCE_MS);
      if (later.nodes.every((state, at) => state === snapshot.nodes[at])) break;
      snapshot = later;
      continue;
    }
    rounds++;
    for (const { placements, replacements } of commands) {
      const moved = [
        ...placements.map(({ pod }) => pod),
        ...replacements.flatMap(({ pods }) => pods),
      ];
      podsMoved += moved.length;
      for (const { meta } of moved) touched.add(meta.uid);
    }
    snapshot = carriedOut(snapshot, commands, round);
    snapshot = settledAt(snapshot, snapshot.takenAt + ROUND_MS);
  }
  return { snapshot, podsMoved, podsTouched: touched.size, usdPerHour: usdOf(snapshot), rounds };
}

/** The Snapshot of a later instant: nodes whose consolidateAfter has passed are Consolidatable. */
function settledAt(snapshot: Snapshot, takenAt: number): Snapshot {
  const waits = new Map(
    snapshot.nodePools.map(({ meta, disruption }) => [meta.name, disruption.consolidateAfter]),
  );
  const settled = (state: StateNode): StateNode => {
    const { claim } = state;
    const wait = waits.get(claim?.meta.labels['karpenter.sh/nodepool'] ?? '');
    const initialized = conditionOf(claim?.status.conditions ?? [], 'Initialized');
    if (!claim || wait === undefined || wait === 'Never' || initialized?.status !== 'True') {
      return state;
    }
    const isKnown = conditionOf(claim.status.conditions, CONSOLIDATABLE) !== undefined;
    const since = claim.status.lastPodEventAt ?? initialized.changedAt;
    if (isKnown || takenAt - since < wait) return state;
    const conditions = [...claim.status.conditions, { ...initialized, type: CONSOLIDATABLE }];
    return { ...state, claim: { ...claim, status: { ...claim.status, conditions } } };
  };
  return { ...snapshot, takenAt, nodes: snapshot.nodes.map(settled) };
}
