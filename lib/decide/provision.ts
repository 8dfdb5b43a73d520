import { compareText } from '#lib/constraints/order.ts';
import { inFlightOf } from '#lib/disruption/commands/in-flight.ts';
import { openLedger } from '#lib/disruption/consent-ledger.ts';
import type { SimulationFacts } from '#lib/disruption/drift.ts';
import { emptyNodes } from '#lib/disruption/emptiness.ts';
import { advance } from '#lib/lifecycle/advance.ts';
import { releaseOf } from '#lib/lifecycle/joining/barrier.ts';
import { capacityBufferStatus } from '#lib/lifecycle/status/capacity-buffer-status.ts';
import { nodeOverlayStatus } from '#lib/lifecycle/status/node-overlay-status.ts';
import { surroundingsOf } from '#lib/lifecycle/surroundings.ts';
import type { Action, Plan, PlannedNodeClaim } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { uncountedNodes } from '#lib/solver/opening/limits.ts';
import { overlaid } from '#lib/solver/overlays/overlay.ts';
import type { BufferOutcome } from './buffer-placing.ts';
import { closedGates } from './closed-gates.ts';
import { carryOn } from './commands/carry-on.ts';
import { type Proposed, propose } from './commands/propose.ts';
import { renewals } from './commands/renewals.ts';
import type { Creation } from './creations.ts';
import { heldBack } from './hold-back.ts';
import { leadPods } from './lead-pods.ts';
import { podName } from './new-node-claim.ts';
import { place } from './place.ts';
import { placementEvents, spokenFor } from './placement-events.ts';
import { anEmptyPlan, nextLook, notYetWritten, sumOfUsd } from './plan-parts.ts';
import { podsToPlace } from './pods-to-place.ts';
import { protectionEvents } from './protection-events.ts';
import { staticCapacity } from './static-capacity.ts';

/** A NodeClaim that was just created is launched by the next look. */
const AFTER_CREATION_MS = 1_000;

/**
 * What is to be done now: every NodeClaim's next step, NodeClaims that static NodePools lack, and
 * those for pods that fit nowhere, and the next step of each node that is empty. Pods are placed
 * first on the nodes that exist or are on their way, and a node that is promised to one is not
 * empty.
 *
 * Launches and the creation of NodeClaims come first: somebody waits for them.
 */
export function decideProvision(seen: Snapshot): Plan {
  const { snapshot, judged } = overlaid(seen);
  const fixed = staticCapacity(snapshot);
  const placing = place(fixed.ahead);
  const advanced = advance(snapshot);
  const facts = {
    snapshot,
    ...spokenFor(placing),
    toPlace: podsToPlace(snapshot),
    inFlight: inFlightOf(snapshot),
  };
  const carried = carryOn(facts, placing);
  const proposed = proposals(facts);
  const creations = [
    ...fixed.creations,
    ...heldBack(placing.creations.filter(isForWaiting(snapshot)), snapshot),
    ...carried.creations,
  ];
  const release = releaseOf(surroundingsOf(snapshot));
  return {
    ...anEmptyPlan('provision', snapshot),
    nodeClaims: [...fixed.claims, ...placing.claims].sort((a, b) => compareText(a.name, b.name)),
    placements: placing.placements,
    commands: [...fixed.commands, ...carried.commands],
    refused: placing.refused,
    ...(placing.buffers.length > 0 && { buffers: placing.buffers.map(({ plan }) => plan) }),
    usdPerHour: sumOfUsd([usdOf(fixed.claims), placing.usdPerHour]),
    lowerBoundUsdPerHour: usdOf(fixed.claims) + placing.lowerBoundUsdPerHour,
    actions: [
      ...advanced.actions.filter(({ kind }) => kind === 'launch'),
      ...creations,
      ...leadPods(placing.placements, release, snapshot),
      ...advanced.actions.filter(({ kind }) => kind !== 'launch'),
      ...notYetWritten(
        [...fixed.deletions, ...carried.actions, ...proposed.actions],
        advanced.actions,
      ),
      ...protectionEvents(snapshot),
      ...placementEvents(placing, snapshot),
      ...judged.flatMap(({ overlay, problem }) =>
        nodeOverlayStatus(overlay, problem, snapshot.takenAt),
      ),
      ...placing.buffers.flatMap((each) => bufferStatus(each, snapshot.takenAt)),
    ],
    warnings: [
      ...closedGates(snapshot),
      ...uncountedNodes(snapshot),
      ...oldPrices(snapshot, creations),
      ...fixed.warnings,
      ...placing.warnings,
    ],
    ...nextLook(snapshot, [
      advanced.lookAgainInMs,
      carried.lookAgainInMs,
      proposed.lookAgainInMs,
      fixed.lookAgainInMs,
      release.lookAgainInMs,
      creations.length > 0 ? AFTER_CREATION_MS : undefined,
    ]),
  };
}

/** Each takes one packing of a node's pods; the rest is for the function that has time for it. */
const RENEWALS_AT_ONCE = 3;

/**
 * What is empty goes, whichever function looks; and what was marked as drifted is replaced as soon
 * as budgets allow, which is when the node before it has gone.
 */
function proposals(facts: SimulationFacts): Proposed {
  const { snapshot, inFlight } = facts;
  const ledger = openLedger({ snapshot, inFlight: inFlight.members });
  const commands = emptyNodes(facts, ledger);
  const going = new Set(commands.flatMap(({ members }) => members.map(({ state }) => state.name)));
  const members = new Set([...inFlight.members, ...going]);
  const beside = { ...facts, inFlight: { ...inFlight, members } };
  const { drafts, backOffs } = renewals(beside, ledger, RENEWALS_AT_ONCE);
  const proposed = propose([...commands, ...drafts], snapshot);
  return { ...proposed, actions: [...proposed.actions, ...backOffs] };
}

/**
 * Tells the NodeClaims for pods that wait or lose their node from those for pods whose node only
 * would go: its command is given up, since it has no place for them any more.
 */
function isForWaiting(snapshot: Snapshot): (creation: Creation) => boolean {
  const { leaving } = inFlightOf(snapshot);
  const staying = new Set(
    snapshot.nodes.filter(({ name }) => leaving.has(name)).flatMap(({ pods }) => pods.map(podName)),
  );
  return ({ forPods }) => forPods.length === 0 || forPods.some((pod) => !staying.has(pod));
}

/** That NodeClaims are made by what may no longer be what EC2 sells. */
const oldPrices = ({ catalog }: Snapshot, creations: readonly unknown[]): readonly string[] =>
  catalog.warning === undefined || creations.length === 0 ? [] : [catalog.warning];

const bufferStatus = (
  { resolved: { buffer, target, replicas, problem }, plan }: BufferOutcome,
  now: EpochMs,
): readonly Action[] =>
  capacityBufferStatus(
    buffer,
    {
      replicas,
      fits: plan.onNodes === replicas,
      ...(target && { templateGeneration: target.meta.generation }),
      ...(problem && { problem }),
    },
    now,
  );

/** The nodes of a static NodePool are what they are: the cheapest launch is the least they cost. */
const usdOf = (claims: readonly PlannedNodeClaim[]): number =>
  sumOfUsd(claims.map(({ usdPerHour }) => usdPerHour));
