/**
 * Karpenter's consolidation, restated: every prefix that a binary search of the ranking asks about,
 * then one node after the other; one command a pass.
 *
 * Source: karpenter v1.14, disruption/{multinodeconsolidation,singlenodeconsolidation,consolidation}.go.
 */
import { isReschedulable, isReschedulableNow } from '#lib/consent/pods.ts';
import { compareText } from '#lib/constraints/order.ts';
import { type Candidate, candidateOf, isBlocked } from '#lib/disruption/candidates.ts';
import type { ConsentLedger } from '#lib/disruption/consent-ledger.ts';
import { pricedTypes, restrictClaim } from '#lib/disruption/consolidation/certain-price.ts';
import type { DraftCommand } from '#lib/disruption/draft-command.ts';
import type { SimulationFacts } from '#lib/disruption/drift.ts';
import { restingPods } from '#lib/disruption/memory-of-moves.ts';
import { CONSOLIDATABLE } from '#lib/model/condition-types.ts';
import { isTrue } from '#lib/model/conditions.ts';
import { CAPACITY_TYPE, INSTANCE_TYPE } from '#lib/model/labels.ts';
import type { Pod } from '#lib/model/pod.ts';
import { priceOfNode } from '#lib/solver/opening/node-price.ts';
import type { SealedClaim } from '#lib/solver/opening/seal.ts';
import { isUninitialized, type SimulationResult, simulate } from '#lib/solver/simulation.ts';
import { scheduledByKarpenter } from './karpenter-scheduler.ts';

/** Whose scheduler tells where pods would go. */
export type Solver = 'Joinery' | 'Karpenter';

interface Ranked {
  readonly candidate: Candidate;
  readonly usdPerHour: number;
  readonly ratio: number;
}

const MOST_TOGETHER = 101;

/** What one pass of Karpenter would start; undefined where it finds nothing. */
export function karpenterCommand(
  facts: SimulationFacts,
  ledger: ConsentLedger,
  solver: Solver,
): DraftCommand | undefined {
  const commandFor = (set: readonly Ranked[]): DraftCommand | undefined =>
    commandOf(set, facts, solver);
  const ranked = facts.snapshot.nodes
    .flatMap((state): readonly Ranked[] => {
      const candidate = candidateOf(state, facts);
      // Nothing is remembered unless its pods are to rest.
      if (isBlocked(candidate) || restingPods(state.pods, facts.snapshot)) return [];
      if (!isTrue(candidate.claim.status.conditions, CONSOLIDATABLE)) return [];
      const moved = state.pods.filter(isReschedulable).length;
      if (moved === 0) return [];
      const usdPerHour = priceOfNode(state, facts.snapshot.catalog) ?? 0;
      return [{ candidate, usdPerHour, ratio: usdPerHour / (1 + moved) }];
    })
    .sort(
      (a, b) => b.ratio - a.ratio || compareText(a.candidate.state.name, b.candidate.state.name),
    );
  const allowed = ledger.nodesLeft('default', 'Underutilized');
  return (
    multiNode(ranked.slice(0, allowed), commandFor) ??
    singleNode(allowed > 0 ? ranked : [], commandFor)
  );
}

type CommandFor = (set: readonly Ranked[]) => DraftCommand | undefined;

function multiNode(ranked: readonly Ranked[], commandFor: CommandFor): DraftCommand | undefined {
  let low = 1;
  let high = Math.min(ranked.length, MOST_TOGETHER) - 1;
  let best: DraftCommand | undefined;
  while (low <= high) {
    const middle = Math.floor((low + high) / 2);
    const found = commandFor(ranked.slice(0, middle + 1));
    if (found) {
      best = found;
      low = middle + 1;
    } else high = middle - 1;
  }
  return best;
}

function singleNode(ranked: readonly Ranked[], commandFor: CommandFor): DraftCommand | undefined {
  for (const each of ranked) {
    const found = commandFor([each]);
    if (found) return found;
  }
  return undefined;
}

function commandOf(
  set: readonly Ranked[],
  facts: SimulationFacts,
  solver: Solver,
): DraftCommand | undefined {
  const { snapshot } = facts;
  const members = set.map(({ candidate }) => candidate);
  const pods = members.flatMap(({ state }) =>
    state.pods.filter((pod) =>
      isReschedulableNow(pod, snapshot.podDisruptionBudgets, snapshot.takenAt),
    ),
  );
  const result = (solver === 'Karpenter' ? simulatedByKarpenter : simulatedByJoinery)(
    members,
    pods,
    facts,
  );
  if (!result || result.claims.length > 1) return undefined;
  const removed = set.reduce((sum, { usdPerHour }) => sum + usdPerHour, 0);
  const uids = new Set(pods.map(({ meta }) => meta.uid));
  const draft = {
    reason: 'Underutilized' as const,
    members: members.toSorted((a, b) => compareText(a.state.name, b.state.name)),
    placements: result.placements.filter(({ pod }) => uids.has(pod.meta.uid)),
    podsMoved: pods.length,
  };
  const [claim] = result.claims;
  if (!claim) return { ...draft, replacements: [], savesUsdPerHour: removed };
  const cheaper = cheaperClaim(claim, set, removed);
  if (!cheaper) return undefined;
  const saves = removed - cheaper.cheapest.offering.usdPerHour;
  return { ...draft, replacements: [cheaper], savesUsdPerHour: saves };
}

/** Where everything would go; undefined where a pod that moves has no place for certain. */
type Simulated = Pick<SimulationResult, 'claims' | 'placements'> | undefined;

function simulatedByJoinery(
  members: readonly Candidate[],
  pods: readonly Pod[],
  { snapshot, toPlace, inFlight }: SimulationFacts,
): Simulated {
  const result = simulate({
    snapshot,
    pods: [...toPlace.pods, ...pods],
    promised: toPlace.promised,
    expected: toPlace.expected,
    without: new Set([...inFlight.members, ...members.map(({ state }) => state.name)]),
    sparesUnsettled: true,
    alsoLeaving: inFlight.leaving,
  });
  return result.blocking.length > 0 ? undefined : result;
}

/** Source: karpenter v1.14, disruption/helpers.go, SimulateScheduling. */
function simulatedByKarpenter(
  members: readonly Candidate[],
  pods: readonly Pod[],
  { snapshot, toPlace, inFlight }: SimulationFacts,
): Simulated {
  const gone = new Set([...inFlight.members, ...members.map(({ state }) => state.name)]);
  const nodes = snapshot.nodes.filter(({ name }) => !gone.has(name));
  const result = scheduledByKarpenter({ ...snapshot, nodes }, [...toPlace.pods, ...pods]);
  const young = new Set(nodes.filter(isUninitialized).map(({ name }) => name));
  const moved = new Set(pods.map(({ meta }) => meta.uid));
  const isUncertain =
    result.refused.some(({ meta }) => moved.has(meta.uid)) ||
    result.placements.some(({ pod, host }) => moved.has(pod.meta.uid) && young.has(host));
  return isUncertain ? undefined : result;
}

/** Spot for spot is off unless a gate is opened, as it is by default. */
function cheaperClaim(
  claim: SealedClaim,
  set: readonly Ranked[],
  removed: number,
): SealedClaim | undefined {
  const labelsOf = ({ candidate: { node, claim: of } }: Ranked) => ({
    ...of.meta.labels,
    ...node.meta.labels,
  });
  const areSpot = set.every((each) => labelsOf(each)[CAPACITY_TYPE] === 'spot');
  const types = pricedTypes(claim);
  const admitsSpot = types.some(({ offerings }) =>
    offerings.some(({ capacityType }) => capacityType === 'spot'),
  );
  if (areSpot && admitsSpot) return undefined;
  const listed = new Set(types.map(({ sourceType }) => sourceType.type.name));
  // Of several nodes, none is replaced by what one of them is already.
  const same = set
    .filter((each) => set.length > 1 && listed.has(labelsOf(each)[INSTANCE_TYPE] ?? ''))
    .map(({ usdPerHour }) => usdPerHour);
  const most = Math.min(removed, ...same);
  const kept = restrictClaim(claim, ({ worstUsdPerHour }) => worstUsdPerHour < most);
  return 'by' in kept ? undefined : kept;
}
