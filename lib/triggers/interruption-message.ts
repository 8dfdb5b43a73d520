import type { Interruption, InterruptionKind } from '#lib/model/interruption.ts';
import type { EpochMs } from '#lib/model/time.ts';
import { isObject, parseObject } from './hint.ts';

type Detail = Readonly<Record<string, unknown>>;
type Announced = Omit<Interruption, 'announcedAt'>;

/** By EventBridge's (source, detail-type). Source: karpenter-provider-aws v1.14, interruption/messages. */
const READERS: Readonly<Record<string, (detail: Detail) => readonly Announced[]>> = {
  'aws.ec2/EC2 Spot Instance Interruption Warning': (detail) =>
    instance(detail, 'SpotInterruption'),
  'aws.ec2/EC2 Instance Rebalance Recommendation': (detail) =>
    instance(detail, 'RebalanceRecommendation'),
  'aws.ec2/EC2 Instance State-change Notification': (detail) => stateChange(detail),
  'aws.ec2/EC2 Capacity Reservation Instance Interruption Warning': (detail) =>
    instance(detail, 'CapacityReservationInterruption'),
  'aws.health/AWS Health Event': (detail) => scheduledChange(detail),
};

/**
 * The interruptions that a queue message announces; none where the message is malformed, of a
 * version, source or type that is not known, or about something that needs no action (an instance
 * that starts). `now` stands in for a time that the event does not carry.
 *
 * Example: {"version":"0","source":"aws.ec2","detail-type":"EC2 Spot Instance Interruption
 * Warning","detail":{"instance-id":"i-0abc"}} is one SpotInterruption of i-0abc.
 */
export function readInterruptions(body: string, now: EpochMs): readonly Interruption[] {
  const event = parseObject(body);
  if (event?.version !== '0' || !isObject(event.detail)) return [];
  const read = READERS[`${text(event.source)}/${text(event['detail-type'])}`];
  const announcedAt = typeof event.time === 'string' ? Date.parse(event.time) : Number.NaN;
  return (read?.(event.detail) ?? []).map((announced) => ({
    ...announced,
    announcedAt: Number.isNaN(announcedAt) ? now : announcedAt,
  }));
}

/** What EC2 could call an instance: nothing else is worth a question, which it would spoil. */
const INSTANCE_ID = /^i-[0-9a-z]{1,32}$/;

const instance = (detail: Detail, kind: InterruptionKind): readonly Announced[] => {
  const instanceId = text(detail['instance-id']);
  return INSTANCE_ID.test(instanceId) ? [{ kind, instanceId }] : [];
};

/** Whatever is no text is none: an object may even refuse to become one. */
const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function stateChange(detail: Detail): readonly Announced[] {
  switch (text(detail.state).toLowerCase()) {
    case 'stopping':
    case 'stopped':
      return instance(detail, 'InstanceStopping');
    case 'shutting-down':
    case 'terminated':
      return instance(detail, 'InstanceTerminated');
    default:
      return [];
  }
}

/**
 * Source: AWS Health User Guide, EventBridge schema of AWS Health events: statusCode is upcoming,
 * open or closed; a date is written as in mails.
 */
function scheduledChange(detail: Detail): readonly Announced[] {
  if (detail.service !== 'EC2' || detail.eventTypeCategory !== 'scheduledChange') return [];
  const entities = detail.affectedEntities;
  if (!Array.isArray(entities)) return [];
  const startsAt = Date.parse(text(detail.startTime));
  return entities.filter(isObject).flatMap((entity) => {
    const kind = isOver(detail, entity) ? 'ScheduledChangeOver' : 'ScheduledChange';
    const starts = kind === 'ScheduledChange' && !Number.isNaN(startsAt) ? { startsAt } : {};
    return instance({ 'instance-id': entity.entityValue }, kind).map((announced) => ({
      ...announced,
      ...starts,
    }));
  });
}

/** Completed and cancelled changes are told again, for the whole event or for one machine. */
const isOver = ({ statusCode }: Detail, { status }: Detail): boolean =>
  text(statusCode).toLowerCase() === 'closed' || text(status).toUpperCase() === 'RESOLVED';
