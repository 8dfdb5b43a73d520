import { isReschedulableNow } from '#lib/consent/pods.ts';
import { DRIFTED } from '#lib/model/condition-types.ts';
import { isTrue } from '#lib/model/conditions.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { groundFor } from '#lib/solver/ground.ts';
import { priceOfNode } from '#lib/solver/opening/node-price.ts';
import { type SimulationResult, simulate } from '#lib/solver/simulation.ts';
import {
  type Blocked,
  type CandidacyFacts,
  type Candidate,
  candidateOf,
  isBlocked,
} from './candidates.ts';
import { heldBack } from './commands/back-off.ts';
import type { InFlight } from './commands/in-flight.ts';
import type { DraftCommand } from './draft-command.ts';
import { isDueToBeReplaced } from './expiry.ts';
import { closedWindow } from './windows.ts';

/** What a simulation of one pass starts from. */
export interface SimulationFacts extends CandidacyFacts {
  readonly inFlight: InFlight;
  /** The Snapshot as it is, where `snapshot` counts what commands before this one will create. */
  readonly seen?: Snapshot;
  /** The pods that need a place anyway, and the places that are spoken for. */
  readonly toPlace: {
    readonly pods: readonly Pod[];
    readonly promised: ReadonlyMap<string, readonly Pod[]>;
    readonly expected: ReadonlyMap<string, string>;
  };
}

/** A reason for which nodes are replaced whatever it costs. */
export type RenewalReason = 'Drifted' | 'Expired';

/**
 * The replacement of one node that is no longer what it should be, by as many nodes as its pods
 * take; or why it stays. Price has no say.
 *
 * Source: karpenter v1.14, disruption/drift.go, ComputeCommands.
 */
export function renewalDraft(
  state: StateNode,
  reason: RenewalReason,
  facts: SimulationFacts,
): DraftCommand | Blocked {
  const candidate = candidateOf(state, { ...facts, forgives: true });
  if (isBlocked(candidate)) return candidate;
  const { snapshot } = facts;
  const blocked = notNow(candidate, reason, snapshot);
  if (blocked) return blocked;

  const pods = state.pods.filter((pod) =>
    isReschedulableNow(pod, snapshot.podDisruptionBudgets, snapshot.takenAt),
  );
  const draft = { reason, members: [candidate], podsMoved: pods.length };
  const removedUsd = priceOfNode(state, snapshot.catalog);
  if (pods.length === 0) {
    return { ...draft, replacements: [], placements: [], savesUsdPerHour: removedUsd ?? 0 };
  }
  const result = simulateWithout(state, pods, facts);
  if (result.blocking.length > 0) return { by: 'pods', because: describeBlocking(result) };
  const uids = new Set(pods.map(({ meta }) => meta.uid));
  const replacements = result.claims.filter((claim) =>
    claim.pods.some(({ meta }) => uids.has(meta.uid)),
  );
  const addedUsd = replacements.reduce(
    (sum, { cheapest }) => sum + cheapest.offering.usdPerHour,
    0,
  );
  return {
    ...draft,
    replacements,
    placements: result.placements.filter(({ pod }) => uids.has(pod.meta.uid)),
    savesUsdPerHour: removedUsd === undefined ? 0 : rounded(removedUsd - addedUsd),
  };
}

/** What keeps a candidate from being replaced for that reason now, as far as its own word goes. */
export function notNow(
  { claim, pool }: Candidate,
  reason: RenewalReason,
  snapshot: Snapshot,
): Blocked | undefined {
  const isDue =
    reason === 'Drifted'
      ? isTrue(claim.status.conditions, DRIFTED)
      : isDueToBeReplaced(claim, pool, snapshot.takenAt);
  if (!isDue) return { by: 'drift', because: 'it is what its NodePool wants' };
  const closed = closedWindow(pool, 'Drifted', snapshot);
  if (closed !== undefined) return { by: 'window', because: closed };
  const held = heldBack(claim, snapshot.takenAt);
  return held === undefined ? undefined : { by: 'back-off', because: held };
}

function simulateWithout(
  { name }: StateNode,
  pods: readonly Pod[],
  { snapshot, inFlight, toPlace }: SimulationFacts,
): SimulationResult {
  return simulate({
    snapshot,
    pods: [...toPlace.pods, ...pods],
    promised: toPlace.promised,
    expected: toPlace.expected,
    without: new Set([...inFlight.members, name]),
    sparesUnsettled: false,
    closed: new Set(
      snapshot.nodes.filter(({ node, claim }) => claim && !node).map(({ name: host }) => host),
    ),
    alsoLeaving: inFlight.leaving,
    ground: groundFor(snapshot),
  });
}

/** How many pods a sentence names before it only counts them. Source: karpenter v1.14, helpers.go. */
const NAMED_PODS = 5;

/** Source: karpenter v1.14, provisioning/scheduling/scheduler.go, NonPendingPodSchedulingErrors. */
function describeBlocking({ blocking }: SimulationResult): string {
  const told = blocking.flatMap(({ pods, rejection }) =>
    pods.map(({ meta }) => `${meta.namespace}/${meta.name} => ${rejection.because}`),
  );
  const more = told.length - NAMED_PODS;
  const rest = more > 0 ? ` and ${more} ${more === 1 ? 'other' : 'others'}` : '';
  return `not all pods would schedule, ${told.slice(0, NAMED_PODS).join(' ')}${rest}`;
}

/** Sums of prices carry the noise of binary fractions. */
const rounded = (usd: number): number => Math.round(usd * 1e12) / 1e12;
