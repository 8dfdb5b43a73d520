import { compareText } from '#lib/constraints/order.ts';
import { gravestOf } from '#lib/lifecycle/health/gravest.ts';
import {
  type Concerned,
  type InterruptionStep,
  interruptionStep,
} from '#lib/lifecycle/health/interrupted.ts';
import { instanceIdOf } from '#lib/lifecycle/provider-id.ts';
import type { Catalog } from '#lib/model/catalog.ts';
import type { Command } from '#lib/model/command.ts';
import type { InstanceType, Offering } from '#lib/model/instance-type.ts';
import type { Interruption } from '#lib/model/interruption.ts';
import { NODEPOOL } from '#lib/model/labels.ts';
import type { StateNode } from '#lib/model/node.ts';
import type { Kept, Plan } from '#lib/model/plan.ts';
import type { Snapshot } from '#lib/model/snapshot.ts';
import type { UnavailableOffering } from '#lib/model/sold-out.ts';
import { podName } from './new-node-claim.ts';
import { decideProvision } from './provision.ts';

/** An announcement, the node that it concerns, and what it comes to. */
interface Heard extends Concerned {
  readonly state: StateNode;
  readonly step: InterruptionStep;
}

/**
 * What EC2's announcements call for: offerings that are taken back are marked, NodeClaims whose
 * machines go are deleted, and then all is decided as provision decides it, for the cluster as it
 * will be a moment later: their pods are given other nodes in one plan, those nodes are launched
 * together, and the ones that go are tainted and drained. What is announced of instances that are
 * nobody's here is not heard.
 *
 * What is marked comes first, because it stands whatever becomes of the rest.
 */
export function decideInterrupt(snapshot: Snapshot, interruptions: readonly Interruption[]): Plan {
  const heard = heardIn(snapshot, interruptions);
  const going = heard.filter(({ step }) => step.goes);
  const plan = decideProvision(asAnnounced(snapshot, going));
  const unavailable = offeringsIn(going);
  return {
    ...plan,
    decision: 'interrupt',
    commands: [...commandOf(going, plan), ...plan.commands],
    kept: heard.flatMap(keptOf).sort((a, b) => compareText(a.node, b.node)),
    actions: [
      ...(unavailable.length === 0
        ? []
        : [{ kind: 'markUnavailable', offerings: unavailable } as const]),
      ...heard.flatMap(({ step }) => step.actions),
      ...plan.actions,
    ],
  };
}

function heardIn(snapshot: Snapshot, interruptions: readonly Interruption[]): readonly Heard[] {
  const gravest = gravestOf(interruptions);
  const pools = new Map(snapshot.nodePools.map((pool) => [pool.meta.name, pool]));
  const nodes = snapshot.nodes.toSorted((a, b) => compareText(a.name, b.name));
  return nodes.flatMap((state) => {
    const { claim, node } = state;
    const interruption = gravest.get(instanceIdOf(claim?.status.providerId) ?? '');
    if (claim === undefined || interruption === undefined) return [];
    const pool = pools.get(claim.meta.labels[NODEPOOL] ?? '');
    const concerned = { claim, interruption, ...(node && { node }), ...(pool && { pool }) };
    return [{ ...concerned, state, step: interruptionStep(concerned, snapshot.takenAt) }];
  });
}

/** The cluster once what is announced is done: those claims deleted, what is taken back not for sale. */
function asAnnounced(snapshot: Snapshot, going: readonly Heard[]): Snapshot {
  if (going.length === 0) return snapshot;
  const uids = new Set(going.map(({ claim }) => claim.meta.uid));
  const nodes = snapshot.nodes.map((state) =>
    state.claim && uids.has(state.claim.meta.uid)
      ? { ...state, claim: deletedAt(state.claim, snapshot.takenAt) }
      : state,
  );
  return { ...snapshot, nodes, catalog: without(snapshot.catalog, offeringsIn(going)) };
}

const deletedAt = <Claim extends { readonly meta: object }>(claim: Claim, at: number): Claim => ({
  ...claim,
  meta: { ...claim.meta, deletedAt: at },
});

const nameOf = ({ capacityType, instanceType, zone }: UnavailableOffering): string =>
  `${capacityType}.${instanceType}.${zone}`;

/** Each once, sorted by name. */
function offeringsIn(going: readonly Heard[]): readonly UnavailableOffering[] {
  const named = going.flatMap(({ step: { unavailable } }) =>
    unavailable ? [[nameOf(unavailable), unavailable] as const] : [],
  );
  return [...new Map(named)].sort(([a], [b]) => compareText(a, b)).map(([, each]) => each);
}

function without(catalog: Catalog, taken: readonly UnavailableOffering[]): Catalog {
  const names = new Set(taken.map(nameOf));
  const marked = (type: InstanceType): InstanceType => {
    const isTaken = (offering: Offering): boolean =>
      names.has(nameOf({ ...offering, instanceType: type.name }));
    return type.offerings.some(isTaken)
      ? {
          ...type,
          offerings: type.offerings.map((each) =>
            isTaken(each) ? { ...each, available: false } : each,
          ),
        }
      : type;
  };
  const all = (lists: Catalog['byNodeClass']): Catalog['byNodeClass'] =>
    new Map([...lists].map(([name, types]) => [name, types.map(marked)]));
  return {
    ...catalog,
    byNodeClass: all(catalog.byNodeClass),
    ...(catalog.byNodePool && { byNodePool: all(catalog.byNodePool) }),
  };
}

/** The nodes that go, and those that were made for their pods. Nothing is saved by it. */
function commandOf(going: readonly Heard[], plan: Plan): readonly Command[] {
  if (going.length === 0) return [];
  const leaving = new Set(going.flatMap(({ state }) => state.pods.map(podName)));
  const isMoved = (pod: string): boolean => leaving.has(pod);
  const made = plan.nodeClaims.filter(({ pods }) => pods.some(isMoved));
  const moved = [
    ...made.flatMap(({ pods }) => pods.filter(isMoved)),
    ...plan.placements.map(({ pod }) => pod).filter(isMoved),
  ];
  return [
    {
      reason: 'Interrupted',
      remove: going.map(({ state }) => state.name).sort(compareText),
      replaceWith: made.map(({ name }) => name),
      podsMoved: moved.length,
      savesUsdPerHour: 0,
    },
  ];
}

const keptOf = ({ state, step: { stays } }: Heard): readonly Kept[] =>
  stays === undefined ? [] : [{ node: state.name, by: 'interruption', because: stays }];
