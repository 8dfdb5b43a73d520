import { byName } from '#lib/constraints/order.ts';
import { agrees, requirementsOf } from '#lib/constraints/requirements.ts';
import { typesFor } from '#lib/model/catalog.ts';
import type { InstanceType } from '#lib/model/instance-type.ts';
import { nodePoolRef, podRef } from '#lib/model/object-ref.ts';
import type { Action, Placement, Refusal } from '#lib/model/plan.ts';
import type { Pod } from '#lib/model/pod.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { optsOut } from '#lib/solver/eligibility.ts';

/** Nodes that pending pods were promised room on, or on which room is kept for a CapacityBuffer. */
export const nominatedNodes = ({
  placements,
  held,
}: {
  readonly placements: readonly Placement[];
  readonly held: readonly string[];
}): ReadonlySet<string> => new Set([...placements.flatMap(({ node }) => node ?? []), ...held]);

/**
 * What pods are told: for which new NodeClaim they were meant, or why no node can be given to
 * them. Told again at each look, under a name that makes the repetition one event.
 *
 * Source: karpenter v1.14, provisioning/scheduling/events.go. Nothing is told where there is no
 * NodePool at all, as in upstream: the cluster may be another's to provision.
 */
export function placementEvents(
  placing: {
    readonly creations: readonly Action[];
    readonly refused: readonly Refusal[];
  },
  snapshot: Snapshot,
): readonly Action[] {
  const pods = new Map(snapshot.pods.map((pod) => [nameOf(pod), pod]));
  for (const { pods: bound } of snapshot.nodes) {
    for (const pod of bound) pods.set(nameOf(pod), pod);
  }
  const tell = (name: string, type: 'Normal' | 'Warning', reason: string, message: string) => {
    const pod = pods.get(name);
    return pod ? [{ kind: 'recordEvent' as const, about: podRef(pod), type, reason, message }] : [];
  };
  const nominations = placing.creations.flatMap((action) =>
    action.kind === 'createNodeClaim'
      ? action.forPods.flatMap((pod) =>
          tell(
            pod,
            'Normal',
            'Nominated',
            `Pod should schedule on: nodeclaim/${action.claim.name}`,
          ),
        )
      : [],
  );
  if (snapshot.nodePools.length === 0) return nominations;
  const refusals = placing.refused
    // A pod that wants none of our nodes is not told that it gets none.
    .filter(({ pod }) => !isOptedOut(pods.get(pod)))
    .flatMap(({ pod, because }) =>
      tell(pod, 'Warning', 'FailedScheduling', `Failed to schedule pod, ${because}`),
    );
  const barren = placing.refused.length > 0 ? barrenPools(snapshot) : [];
  return [...nominations, ...refusals, ...barren];
}

const isOptedOut = (pod: Pod | undefined): boolean => pod !== undefined && optsOut(pod);

/** Told about pools for which nothing can be bought, while pods go without a node. */
const barrenPools = ({ nodePools, catalog }: Snapshot): readonly Action[] =>
  [...nodePools]
    .filter(({ meta, replicas }) => meta.deletedAt === undefined && replicas === undefined)
    .filter((pool) => {
      const { template } = pool;
      const wanted = requirementsOf(template.requirements);
      const types = typesFor(catalog, pool);
      const isBuyable = ({ requirements, offerings }: InstanceType): boolean =>
        agrees(requirements, wanted) &&
        offerings.some((each) => each.available && agrees(each.requirements, wanted));
      return types.length > 0 && !types.some(isBuyable);
    })
    .sort(byName)
    .map((pool) => ({
      kind: 'recordEvent',
      about: nodePoolRef(pool),
      type: 'Warning',
      reason: 'NoCompatibleInstanceTypes',
      message: 'NodePool requirements filtered out all compatible available instance types',
    }));

const nameOf = ({ meta }: Pod): string => `${meta.namespace}/${meta.name}`;
