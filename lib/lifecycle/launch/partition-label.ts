import { awaitsPartition } from '#lib/ec2/launch/awaited-partition.ts';
import { instanceIdOf } from '#lib/lifecycle/provider-id.ts';
import type { ClaimStep } from '#lib/lifecycle/step.ts';
import type { Surroundings } from '#lib/lifecycle/surroundings.ts';
import { REGISTERED } from '#lib/model/condition-types.ts';
import { PLACEMENT_GROUP_PARTITION } from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';

const LOOK_AGAIN_MS = 1_000;

/**
 * Tells a launched NodeClaim its partition, or holds its registration until EC2 has said which it
 * is, so that no pod is bound by a label that is not there yet; undefined where nothing is awaited.
 *
 * Source: karpenter AWS provider v1.14, controllers/nodeclaim/placementgroup.
 */
export function partitionStep(claim: NodeClaim, around: Surroundings): ClaimStep | undefined {
  if (!awaitsPartition(claim, around.nodeClasses.get(claim.spec.nodeClassRef.name))) {
    return undefined;
  }
  const id = instanceIdOf(claim.status.providerId) ?? '';
  const partition = around.instances?.get(id)?.partition;
  if (partition !== undefined) {
    return {
      meta: { labels: { [PLACEMENT_GROUP_PARTITION]: String(partition) } },
      lookAgainInMs: LOOK_AGAIN_MS,
    };
  }
  const message = 'EC2 has not said yet in which partition of its placement group it is';
  return {
    conditions: [{ type: REGISTERED, status: 'Unknown', reason: 'PartitionNotKnown', message }],
    lookAgainInMs: LOOK_AGAIN_MS,
  };
}
