import { emptiness } from '#lib/disruption/emptiness.ts';
import { emptyNodeActions } from '#lib/disruption/empty-node-actions.ts';
import { advance } from '#lib/lifecycle/advance.ts';
import { nodeOverlayStatus } from '#lib/lifecycle/node-overlay-status.ts';
import type { Plan } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { overlaid } from '#lib/solver/overlay.ts';
import { closedGates } from './closed-gates.ts';
import { place } from './place.ts';
import { nominatedNodes, placementEvents } from './placement-events.ts';
import { anEmptyPlan, nextLook, notYetWritten } from './plan-parts.ts';

/** A NodeClaim that was just created is launched by the next look. */
const AFTER_CREATION_MS = 1_000;

/**
 * What is to be done now: every NodeClaim's next step, NodeClaims for pods that fit nowhere, and
 * the next step of each node that is empty. Pods are placed first on the nodes that exist or are
 * on their way, and a node that is promised to one is not empty.
 *
 * Launches and the creation of NodeClaims come first: somebody waits for them.
 */
export function decideProvision(seen: Snapshot): Plan {
  const { snapshot, judged } = overlaid(seen);
  const placing = place(snapshot);
  const advanced = advance(snapshot);
  const nominated = nominatedNodes(placing.placements);
  const emptied = emptyNodeActions(emptiness({ snapshot, nominated }), snapshot);
  return {
    ...anEmptyPlan('provision', snapshot),
    nodeClaims: placing.claims,
    placements: placing.placements,
    commands: emptied.commands,
    refused: placing.refused,
    usdPerHour: placing.usdPerHour,
    lowerBoundUsdPerHour: placing.lowerBoundUsdPerHour,
    actions: [
      ...advanced.actions.filter(({ kind }) => kind === 'launch'),
      ...placing.creations,
      ...advanced.actions.filter(({ kind }) => kind !== 'launch'),
      ...notYetWritten(emptied.actions, advanced.actions),
      ...placementEvents(placing, snapshot),
      ...judged.flatMap(({ overlay, problem }) =>
        nodeOverlayStatus(overlay, problem, snapshot.takenAt),
      ),
    ],
    warnings: [...closedGates(snapshot), ...placing.warnings],
    ...nextLook(snapshot, [
      advanced.lookAgainInMs,
      emptied.lookAgainInMs,
      placing.creations.length > 0 ? AFTER_CREATION_MS : undefined,
    ]),
  };
}
