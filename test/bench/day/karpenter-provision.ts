import { compareText } from '#lib/constraints/order.ts';
import { creationsOf } from '#lib/decide/creations.ts';
import { nameClaims, namesIn } from '#lib/decide/new-node-claim.ts';
import { podsToPlace } from '#lib/decide/pods-to-place.ts';
import { inFlightOf } from '#lib/disruption/commands/in-flight.ts';
import { REPLACES } from '#lib/model/labels.ts';
import type { Action } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { scheduledByKarpenter } from './karpenter-scheduler.ts';

/** The actions of a look, with the NodeClaims that Karpenter would make for pods that wait. */
export function provisionedByKarpenter(
  snapshot: Snapshot,
  actions: readonly Action[],
): readonly Action[] {
  const { leaving } = inFlightOf(snapshot);
  const { pods } = podsToPlace(snapshot, leaving);
  const nodes = snapshot.nodes.filter(({ name }) => !leaving.has(name));
  const waiting = new Set(snapshot.pods.map(({ meta }) => meta.uid));
  const claims = scheduledByKarpenter({ ...snapshot, nodes }, pods).claims.filter((claim) =>
    claim.pods.some(({ meta }) => waiting.has(meta.uid)),
  );
  const named = nameClaims(claims, namesIn(snapshot)).toSorted((a, b) =>
    compareText(a.name, b.name),
  );
  return [...creationsOf(named, snapshot), ...actions.filter((action) => !isForPods(action))];
}

const isForPods = (action: Action): boolean =>
  action.kind === 'createNodeClaim' && action.claim.annotations[REPLACES] === undefined;
