import { compareText } from '#lib/constraints/order.ts';
import { has } from '#lib/constraints/requirement.ts';
import { requirementsOf } from '#lib/constraints/requirements.ts';
import { type Surroundings, servedPools } from '#lib/lifecycle/surroundings.ts';
import { ZONE } from '#lib/model/labels.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import { nodePoolRef } from '#lib/model/object-ref.ts';
import type { Action } from '#lib/model/plan.ts';

/**
 * Tells each NodePool that could have nodes in a zone that traffic is shifted away from, zone by
 * zone. It is told at each look as long as that lasts; what repeats an event only counts it up.
 *
 * Source: karpenter AWS provider v1.14, controllers/zonalshift, which tells when it begins, and
 * also when it ends.
 */
export function zonalShiftEvents(around: Surroundings): readonly Action[] {
  const zones = [...around.shiftedZones].sort(compareText);
  if (zones.length === 0) return [];
  return servedPools(around.snapshot).flatMap((pool) =>
    zones
      .filter((zone) => canUse(pool, zone, around))
      .map(
        (zone): Action => ({
          kind: 'recordEvent',
          about: nodePoolRef(pool),
          type: 'Warning',
          reason: 'ZonalShiftActive',
          message: `Traffic is shifted away from zone ${zone}: no nodes are made there, and those that are there are left alone`,
        }),
      ),
  );
}

function canUse({ template }: NodePool, zone: string, { nodeClasses }: Surroundings): boolean {
  const subnets = nodeClasses.get(template.nodeClassRef.name)?.status.subnets ?? [];
  const asked = requirementsOf(template.requirements).get(ZONE);
  return (
    subnets.some((subnet) => subnet.zone === zone) && (asked === undefined || has(asked, zone))
  );
}
