import { has } from '#lib/constraints/requirement.ts';
import type { Requirements } from '#lib/constraints/requirements.ts';
import { INSTANCE_TENANCY, PLACEMENT_GROUP_PARTITION } from '#lib/model/labels.ts';
import type { Json } from '#lib/model/launch.ts';
import type { NodeClass } from '#lib/model/node-class.ts';

/**
 * Where within a data centre an instance is to stand: its tenancy, its placement group, and of
 * this the partition, where the claim asks for one.
 *
 * Source: karpenter AWS provider v1.14, providers/launchtemplate/launchtemplate.go.
 */
export function placementOf(nodeClass: NodeClass, requirements: Requirements): Json {
  const group = nodeClass.status.placementGroup;
  const partition = group?.strategy === 'partition' ? partitionOf(requirements) : undefined;
  return {
    Tenancy: tenancyOf(requirements),
    ...(group === undefined ? {} : { GroupId: group.id }),
    ...(partition === undefined ? {} : { PartitionNumber: partition }),
  };
}

/**
 * The partition that an instance is put into: the lowest number that is allowed. Upstream takes
 * the first as text, so that 10 comes before 2.
 */
export function partitionOf(requirements: Requirements): number | undefined {
  const asked = requirements.get(PLACEMENT_GROUP_PARTITION);
  if (asked === undefined || asked.complement) return undefined;
  const numbers = [...asked.values].map(Number).filter((number) => Number.isInteger(number));
  return numbers.length === 0 ? undefined : Math.min(...numbers);
}

/** Shared hardware unless a claim insists on its own. */
function tenancyOf(requirements: Requirements): 'default' | 'dedicated' {
  const asked = requirements.get(INSTANCE_TENANCY);
  return asked === undefined || has(asked, 'default') ? 'default' : 'dedicated';
}
