import { agrees, requirementsOf, requirementsOfLabels } from '#lib/constraints/requirements.ts';
import type { Catalog } from '#lib/model/catalog.ts';
import { isTrue } from '#lib/model/conditions.ts';
import type { InstanceType, Offering } from '#lib/model/instance-type.ts';
import { CAPACITY_TYPE, INSTANCE_TYPE, NODECLASS, NODEPOOL, ZONE } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';

/** A type that a NodeClaim may become, with the offerings that its requirements leave. */
interface Possibility {
  readonly type: InstanceType;
  readonly offerings: readonly Offering[];
}

/**
 * What a NodeClaim may become that is not launched yet: the types that it lists, or that its
 * requirements allow where it lists none.
 */
export function mayBecome(claim: NodeClaim, catalog: Catalog): readonly Possibility[] {
  const asked = requirementsOf(claim.spec.requirements);
  return typesOf(claim.meta.labels, claim.spec.nodeClassRef.name, catalog)
    .filter(
      ({ name, requirements }) =>
        agrees(requirements, asked) &&
        agrees(requirementsOfLabels({ [INSTANCE_TYPE]: name }), asked),
    )
    .map((type) => ({
      type,
      offerings: type.offerings.filter((each) => agrees(each.requirements, asked)),
    }));
}

/**
 * What a node costs, USD per hour: the offering that its labels name; else the dearest of its type;
 * before its launch, the dearest that it may be launched as. Undefined where the catalogue does not
 * know its type.
 */
export function priceOfNode({ node, claim }: StateNode, catalog: Catalog): number | undefined {
  if (claim && !node && !isTrue(claim.status.conditions, 'Launched')) {
    return dearest(mayBecome(claim, catalog).flatMap(({ offerings }) => offerings));
  }
  const labels = { ...claim?.meta.labels, ...node?.meta.labels };
  const nodeClass = claim?.spec.nodeClassRef.name ?? labels[NODECLASS] ?? '';
  const type = typesOf(labels, nodeClass, catalog).find(
    ({ name }) => name === labels[INSTANCE_TYPE],
  );
  const named = type?.offerings.filter(
    ({ zone, capacityType }) => zone === labels[ZONE] && capacityType === labels[CAPACITY_TYPE],
  );
  return dearest(named ?? []) ?? dearest(type?.offerings ?? []);
}

const typesOf = (
  labels: Readonly<Record<string, string>>,
  nodeClass: string,
  { byNodePool, byNodeClass }: Catalog,
): readonly InstanceType[] =>
  byNodePool?.get(labels[NODEPOOL] ?? '') ?? byNodeClass.get(nodeClass) ?? [];

const dearest = (offerings: readonly Offering[]): number | undefined =>
  offerings.length === 0
    ? undefined
    : offerings.reduce((most, { usdPerHour }) => Math.max(most, usdPerHour), 0);
