import { type Requirement, requirementOf } from '#lib/constraints/requirement.ts';
import type { Requirements } from '#lib/constraints/requirements.ts';
import type { Offering } from '#lib/model/instance-type.ts';
import { PLACEMENT_GROUP_ID, PLACEMENT_GROUP_PARTITION } from '#lib/model/labels.ts';
import type { ResolvedPlacementGroup } from '#lib/model/node-class.ts';

/**
 * The labels that a placement group gives the nodes of a type: its id, and the partitions that they
 * may be in, so that pods can be spread over them. Without a group its nodes carry neither.
 *
 * Source: karpenter AWS provider v1.14, providers/instancetype, placement group resolver.
 */
export const placementLabels = (
  group: ResolvedPlacementGroup | undefined,
): readonly Requirement[] => [
  labelOf(PLACEMENT_GROUP_ID, group === undefined ? [] : [group.id]),
  labelOf(PLACEMENT_GROUP_PARTITION, partitionsOf(group)),
];

/**
 * Makes of offerings one for each partition of a placement group, in the order of their numbers;
 * leaves them as they are where there are no partitions.
 */
export function inPartitions(
  group: ResolvedPlacementGroup | undefined,
): (offerings: readonly Offering[]) => readonly Offering[] {
  const partitions = partitionsOf(group);
  if (partitions.length === 0) return (offerings) => offerings;
  const withPartition = remembered();
  return (offerings) =>
    offerings.flatMap((offering) =>
      partitions.map((partition) => ({
        ...offering,
        requirements: withPartition(offering.requirements, partition),
      })),
    );
}

const partitionsOf = (group: ResolvedPlacementGroup | undefined): readonly string[] =>
  group?.strategy === 'partition'
    ? Array.from({ length: group.partitions ?? 0 }, (_, index) => String(index + 1))
    : [];

/** Adds a partition to requirements; thousands of offerings share what comes out. */
function remembered(): (requirements: Requirements, partition: string) => Requirements {
  const made = new Map<Requirements, Map<string, Requirements>>();
  return (requirements, partition) => {
    const known = made.get(requirements) ?? new Map<string, Requirements>();
    made.set(requirements, known);
    const label = labelOf(PLACEMENT_GROUP_PARTITION, [partition]);
    const added = known.get(partition) ?? new Map([...requirements, [label.key, label]]);
    known.set(partition, added);
    return added;
  };
}

const labelOf = (key: string, values: readonly string[]): Requirement =>
  values.length === 0
    ? requirementOf({ key, operator: 'DoesNotExist' })
    : requirementOf({ key, operator: 'In', values });
