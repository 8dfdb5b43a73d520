import {
  agrees,
  type Requirements,
  requirementsOf,
  requirementsOfLabels,
} from '#lib/constraints/requirements.ts';
import type { Catalog } from '#lib/model/catalog.ts';
import type { InstanceType, Offering } from '#lib/model/instance-type.ts';
import { CAPACITY_TYPE, INSTANCE_TYPE, ZONE } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import { conditionsUpTo } from '#test/build/node-claims.ts';
import { aMeta } from '#test/build/objects.ts';

/** What a launch gives: the cheapest thing that a NodeClaim allows and that is sold. */
export interface Bought {
  readonly type: InstanceType;
  readonly offering: Offering;
}

/** What EC2 gives a NodeClaim now; what it gave, where that has happened. */
export function bought({ meta, spec }: NodeClaim, catalog: Catalog): Bought | undefined {
  const asked = new Map([...requirementsOf(spec.requirements), ...givenTo(meta.labels)]);
  let best: Bought | undefined;
  for (const type of catalog.byNodeClass.get(spec.nodeClassRef.name) ?? []) {
    if (!agrees(type.requirements, asked)) continue;
    const [offering] = type.offerings.filter(
      (each) => each.available && agrees(each.requirements, asked),
    );
    if (offering && (!best || offering.usdPerHour < best.offering.usdPerHour)) {
      best = { type, offering };
    }
  }
  return best;
}

/** The type, zone and capacity type of a NodeClaim that was launched. */
const givenTo = (labels: Readonly<Record<string, string>>): Requirements =>
  requirementsOfLabels(
    Object.fromEntries(
      [INSTANCE_TYPE, ZONE, CAPACITY_TYPE].flatMap((key) => {
        const value = labels[key];
        return value === undefined ? [] : [[key, value] as const];
      }),
    ),
  );

/** The NodeClaim with its node, up and initialized. */
export function joined(claim: NodeClaim, { type, offering }: Bought, now: number): StateNode {
  const name = `node-of-${claim.meta.name}`;
  const labels = {
    ...labelsOf(type, offering),
    ...claim.meta.labels,
    'kubernetes.io/hostname': name,
    'karpenter.sh/registered': 'true',
    'karpenter.sh/initialized': 'true',
  };
  const providerId = `aws:///${offering.zone}/i-${claim.meta.name}`;
  const { capacity, allocatable } = type;
  const conditions = [...conditionsUpTo('Initialized')].map((each) => ({
    ...each,
    changedAt: now,
  }));
  return {
    name,
    pods: [],
    node: {
      meta: aMeta(name, { labels, createdAt: now }),
      providerId,
      taints: [],
      unschedulable: false,
      capacity,
      allocatable,
      ready: { status: 'True', changedAt: now },
    },
    claim: {
      ...claim,
      meta: { ...claim.meta, labels },
      status: {
        ...claim.status,
        nodeName: name,
        providerId,
        capacity,
        allocatable,
        conditions: [
          ...conditions,
          ...claim.status.conditions.filter(
            ({ type: of }) => !conditions.some((each) => each.type === of),
          ),
        ],
      },
    },
  };
}

/** Every NodeClaim that was just created, launched at once as the cheapest that it allows. */
export function launched(snapshot: Snapshot): Snapshot {
  const nodes = snapshot.nodes.map((state) => {
    const { claim } = state;
    if (!claim || state.node || claim.status.providerId !== undefined) return state;
    const found = bought(claim, snapshot.catalog);
    return found ? { ...state, claim: launchedClaim(claim, found, snapshot.takenAt) } : state;
  });
  return { ...snapshot, nodes };
}

const launchedClaim = (claim: NodeClaim, { type, offering }: Bought, now: number): NodeClaim => ({
  ...claim,
  meta: { ...claim.meta, labels: { ...labelsOf(type, offering), ...claim.meta.labels } },
  status: {
    ...claim.status,
    providerId: `aws:///${offering.zone}/i-${claim.meta.name}`,
    capacity: type.capacity,
    allocatable: type.allocatable,
    conditions: conditionsUpTo('Launched').map((each) => ({ ...each, changedAt: now })),
  },
});

const labelsOf = (type: InstanceType, offering: Offering): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...type.requirements, ...offering.requirements].flatMap(([key, values]) => {
      const [value, ...others] = values.complement ? [] : [...values.values];
      return value === undefined || others.length > 0 ? [] : [[key, value] as const];
    }),
  );
