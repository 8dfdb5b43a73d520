import type { Resources } from '#lib/constraints/resources.ts';
import type { InstanceType } from '#lib/model/instance-type.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodeClass } from '#lib/model/node-class.ts';

const EFA = 'vpc.amazonaws.com/efa';

/**
 * What an instance of a type got of all that the type can have: EFA interfaces are made only where
 * the claim asks for some or its NodeClass lists them, and cannot be had later. A NodeClass that is
 * gone lists none.
 *
 * Source: karpenter AWS provider v1.14, cloudprovider/cloudprovider.go, instanceToNodeClaim.
 */
export function grantedCapacity(
  type: Pick<InstanceType, 'capacity' | 'allocatable'>,
  claim: NodeClaim,
  nodeClass: NodeClass | undefined,
): Pick<InstanceType, 'capacity' | 'allocatable'> {
  const isAsked = (claim.spec.requests[EFA] ?? 0) > 0;
  if (isAsked || nodeClass?.spec.networkInterfaces !== undefined) {
    return { capacity: type.capacity, allocatable: type.allocatable };
  }
  return { capacity: withoutEfa(type.capacity), allocatable: withoutEfa(type.allocatable) };
}

function withoutEfa({ [EFA]: _, ...others }: Resources): Resources {
  return others;
}
