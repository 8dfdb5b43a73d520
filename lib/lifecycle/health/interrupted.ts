import type { Interruption, InterruptionKind } from '#lib/model/interruption.ts';
import {
  CAPACITY_TYPE,
  INSTANCE_TYPE,
  MAINTENANCE,
  REBALANCE,
  REBALANCE_RECOMMENDED,
  TERMINATION_TIMESTAMP,
  ZONE,
} from '#lib/model/labels.ts';
import type { Node } from '#lib/model/node.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodePool } from '#lib/model/node-pool.ts';
import { claimRef, nodeRef } from '#lib/model/object-ref.ts';
import type { Action } from '#lib/model/plan.ts';
import type { UnavailableOffering } from '#lib/model/sold-out.ts';
import { type EpochMs, formatInstant } from '#lib/model/time.ts';

/** A NodeClaim whose instance something was announced of. */
export interface Concerned {
  readonly claim: NodeClaim;
  readonly node?: Node;
  readonly pool?: NodePool;
  readonly interruption: Interruption;
}

/** What an announcement comes to. */
export interface InterruptionStep {
  readonly actions: readonly Action[];
  /** The node goes now; its pods need another. */
  readonly goes: boolean;
  /** What EC2 takes back, and so is not to be bought again at once. */
  readonly unavailable?: UnavailableOffering;
  /** Why the node stays; absent where it goes. */
  readonly stays?: string;
}

/** An announcement that ends a node: the event that says so, and the reason in upstream's metric. */
interface Ending {
  readonly event: string;
  readonly reason: string;
  readonly says: string;
  /** Nothing on the machine can be counted on: its pods are not asked. */
  readonly isForced?: true;
}

/** Source: karpenter AWS provider v1.14, interruption/events, messages and utils.go. */
const ENDINGS: Readonly<Partial<Record<InterruptionKind, Ending>>> = {
  SpotInterruption: {
    event: 'SpotInterrupted',
    reason: 'spot_interrupted',
    says: 'EC2 takes the spot instance back in two minutes',
  },
  CapacityReservationInterruption: {
    event: 'CapacityReservationInstanceInterrupted',
    reason: 'capacity_reservation_interrupted',
    says: "EC2 takes the capacity reservation's instance back",
  },
  ScheduledChange: {
    event: 'InstanceUnhealthy',
    reason: 'scheduled_change',
    says: 'AWS has scheduled work on the machine',
  },
  ScheduledEvent: {
    event: 'InstanceUnhealthy',
    reason: 'event_status',
    says: 'EC2 has scheduled work on the machine',
  },
  SystemImpaired: {
    event: 'InstanceUnhealthy',
    reason: 'system_status',
    says: "EC2's check of the machine has failed for two minutes",
    isForced: true,
  },
  InstanceImpaired: {
    event: 'InstanceUnhealthy',
    reason: 'instance_status',
    says: "EC2's check of the instance has failed for two minutes",
    isForced: true,
  },
  InstanceStopping: {
    event: 'InstanceStopping',
    reason: 'instance_stopped',
    says: 'the instance stops',
  },
  InstanceTerminated: {
    event: 'InstanceTerminating',
    reason: 'instance_terminated',
    says: 'the instance ends',
  },
};

/** Whether what is announced ends a node without asking its pods. */
export const isForced = (kind: InterruptionKind): boolean => ENDINGS[kind]?.isForced ?? false;

/** What AWS takes back as a market, not as one machine. */
const TAKEN_BACK: ReadonlySet<InterruptionKind> = new Set([
  'SpotInterruption',
  'CapacityReservationInterruption',
]);

/** A node is drained this long before AWS works on its machine, and its own grace longer. */
const LEAD_MS = 3_600_000;

/**
 * What an announcement means for the NodeClaim of its instance. What takes the machine away deletes
 * the claim at once, whatever budgets or do-not-disrupt say, and drains as any deletion does; a
 * recommendation is told and, where the NodePool wants that, written down as a reason to replace the
 * node; work that is far off is written down for later. A claim that is going already stays as it is.
 *
 * Source: karpenter AWS provider v1.14, interruption/controller.go, which deletes at once for every
 * scheduled change, completed ones included.
 */
export function interruptionStep(concerned: Concerned, now: EpochMs): InterruptionStep {
  const { claim, interruption } = concerned;
  if (claim.meta.deletedAt !== undefined) return stays('it is going already');
  switch (interruption.kind) {
    case 'RebalanceRecommendation':
      return rebalance(concerned);
    case 'ScheduledChangeOver':
      return noted(claim, MAINTENANCE, null, 'the scheduled work is over, or will not be done');
    case 'ScheduledChange':
    case 'ScheduledEvent':
      return isFar(concerned, now) ? later(concerned) : ending(concerned);
    default:
      return ending(concerned);
  }
}

/** When a node goes for the work that its NodeClaim remembers; undefined where it remembers none. */
export function maintenanceDue({ meta, spec }: NodeClaim, startsAt: EpochMs | undefined) {
  if (meta.deletedAt !== undefined || startsAt === undefined) return undefined;
  return startsAt - LEAD_MS - (spec.terminationGraceMs ?? 0);
}

const isFar = ({ claim, interruption }: Concerned, now: EpochMs): boolean => {
  const due = maintenanceDue(claim, interruption.startsAt);
  return due !== undefined && due > now;
};

function ending(concerned: Concerned): InterruptionStep {
  const { claim, interruption } = concerned;
  const told = ENDINGS[interruption.kind];
  if (told === undefined) throw new Error(`expected an ending, found ${interruption.kind}`);
  const unavailable = TAKEN_BACK.has(interruption.kind) ? offeringOf(claim) : undefined;
  return {
    goes: true,
    ...(unavailable && { unavailable }),
    actions: [
      ...(told.isForced ? graceEndsNow(claim, interruption.announcedAt) : []),
      { kind: 'delete', object: claimRef(claim), because: told.reason, needsNoLease: true },
      ...eventsOn(concerned, 'Warning', told.event, told.says),
      ...eventsOn(
        concerned,
        'Warning',
        'TerminatingOnInterruption',
        'Interruption triggered termination',
      ),
    ],
  };
}

/** Before the deletion, so that no look sees it without; a date that stands is kept. */
const graceEndsNow = (claim: NodeClaim, now: EpochMs): readonly Action[] =>
  claim.meta.annotations[TERMINATION_TIMESTAMP] === undefined
    ? [
        {
          kind: 'update',
          object: claimRef(claim),
          meta: { annotations: { [TERMINATION_TIMESTAMP]: formatInstant(now) } },
        },
      ]
    : [];

function rebalance(concerned: Concerned): InterruptionStep {
  const { claim, pool, interruption } = concerned;
  const says = 'EC2 recommends to replace the spot instance: it is likelier to be taken back';
  const actions = eventsOn(concerned, 'Normal', 'SpotRebalanceRecommendation', says);
  if (pool?.meta.annotations[REBALANCE] !== 'replace') {
    return { ...stays('a rebalance recommendation is only told'), actions };
  }
  const since = formatInstant(interruption.announcedAt);
  const step = noted(
    claim,
    REBALANCE_RECOMMENDED,
    since,
    'it is replaced first, as one that drifted',
  );
  return { ...step, actions: [...step.actions, ...actions] };
}

function later(concerned: Concerned): InterruptionStep {
  const { claim, interruption } = concerned;
  const at = formatInstant(interruption.startsAt ?? interruption.announcedAt);
  const step = noted(claim, MAINTENANCE, at, `AWS works on its machine from ${at} on`);
  return {
    ...step,
    actions: [
      ...step.actions,
      ...eventsOn(
        concerned,
        'Warning',
        'InstanceUnhealthy',
        `AWS works on the machine from ${at} on`,
      ),
    ],
  };
}

/** Writes down, or takes away, what matters later; what stands already is not written again. */
function noted(
  claim: NodeClaim,
  annotation: string,
  value: string | null,
  because: string,
): InterruptionStep {
  const present = claim.meta.annotations[annotation];
  const isThere = value === null ? present === undefined : present === value;
  const change = {
    kind: 'update',
    object: claimRef(claim),
    meta: { annotations: { [annotation]: value } },
    needsNoLease: true,
  } as const;
  return { ...stays(because), actions: isThere ? [] : [change] };
}

const stays = (because: string): InterruptionStep => ({ actions: [], goes: false, stays: because });

function offeringOf({ meta: { labels } }: NodeClaim): UnavailableOffering | undefined {
  const [instanceType, zone, capacityType] = [
    labels[INSTANCE_TYPE],
    labels[ZONE],
    labels[CAPACITY_TYPE],
  ];
  if (instanceType === undefined || zone === undefined) return undefined;
  if (capacityType !== 'spot' && capacityType !== 'reserved') return undefined;
  return { capacityType, instanceType, zone };
}

const eventsOn = (
  { claim, node }: Concerned,
  type: 'Normal' | 'Warning',
  reason: string,
  says: string,
) =>
  [claimRef(claim), ...(node ? [nodeRef(node)] : [])].map((about) => ({
    kind: 'recordEvent' as const,
    about,
    type,
    reason,
    message: `${about.kind} ${about.name} event: ${says}`,
    needsNoLease: true as const,
  }));
