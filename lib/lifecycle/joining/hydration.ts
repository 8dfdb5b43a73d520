import { type ClaimStep, NO_STEP } from '#lib/lifecycle/step.ts';
import { nodesOf, type Surroundings } from '#lib/lifecycle/surroundings.ts';
import { REGISTERED } from '#lib/model/condition-types.ts';
import { isTrue } from '#lib/model/conditions.ts';
import { NODECLASS } from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import { nodeRef } from '#lib/model/object-ref.ts';

/**
 * Labels a Node that was registered by a version of Karpenter which did not label it with its
 * NodeClass: by that label a Node that is being deleted is known to be ours.
 *
 * Source: karpenter v1.14, node/hydration/controller.go.
 */
export function hydrationStep(claim: NodeClaim, around: Surroundings): ClaimStep {
  if (!isTrue(claim.status.conditions, REGISTERED)) return NO_STEP;
  const bare = nodesOf(around, claim).flatMap(({ node }) =>
    node && node.meta.labels[NODECLASS] === undefined ? [node] : [],
  );
  const meta = { labels: { [NODECLASS]: claim.spec.nodeClassRef.name } };
  return { actions: bare.map((node) => ({ kind: 'update', object: nodeRef(node), meta })) };
}
