import { REGISTERED } from '#lib/model/condition-types.ts';
import { conditionOf } from '#lib/model/conditions.ts';
import { PLACEMENT_GROUP_ID, PLACEMENT_GROUP_PARTITION } from '#lib/model/labels.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodeClass } from '#lib/model/node-class.ts';

/**
 * Whether a NodeClaim with an instance is still to be told in which partition of its placement
 * group EC2 put it: where nobody asked for one, only DescribeInstances knows.
 *
 * Source: karpenter AWS provider v1.14, controllers/nodeclaim/placementgroup, registration hook.
 */
export function awaitsPartition(
  { meta, status }: NodeClaim,
  nodeClass: NodeClass | undefined,
): boolean {
  const group = nodeClass?.status.placementGroup;
  return (
    status.providerId !== undefined &&
    group?.strategy === 'partition' &&
    meta.labels[PLACEMENT_GROUP_ID] === group.id &&
    !meta.labels[PLACEMENT_GROUP_PARTITION] &&
    conditionOf(status.conditions, REGISTERED)?.status !== 'True'
  );
}
