import type { CloudEvent } from './aws/account.ts';
import { uuid } from './aws/account.ts';
import type { Queue } from './aws/queue.ts';
import type { Clock } from './clock.ts';
import type { LambdaFunction } from './lambda.ts';
import type { Random } from './random.ts';

/** A schedule that invokes a function. */
interface Schedule {
  readonly name: string;
  /** rate(1 minute), rate(5 minutes), rate(2 hours), rate(1 day). */
  readonly expression: string;
  readonly target: LambdaFunction;
}

/** A rule of the default event bus that sends what it matches to a queue. */
interface EventRule {
  readonly name: string;
  readonly source: string;
  readonly detailType: string;
  /** For each field of the event's detail the values that it may have; others do not matter. */
  readonly detail?: Readonly<Record<string, readonly string[]>>;
  readonly target: Queue;
}

/** EventBridge: what happens regularly, and what happens because something happened. */
export interface EventBridge {
  readonly schedule: (schedule: Schedule) => void;
  readonly rule: (rule: EventRule) => void;
  /** Puts an event on the default bus. */
  readonly put: (event: CloudEvent) => void;
}

/** Where EventBridge stands. */
export interface EventBridgeSurroundings {
  readonly clock: Clock;
  readonly random: Random;
  readonly region: string;
  readonly accountId: string;
}

/** From an event to its target. Source: EventBridge, typical end-to-end latency about 0.5 s. */
const DELIVERY_MS = [150, 900] as const;
const UNITS: Readonly<Record<string, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/**
 * EventBridge's rate schedules and rules. A schedule was made some time before the world begins,
 * so it first fires somewhere within its first period, then regularly; a run that fails is not
 * repeated (its retries are set to 0: the next one is soon). A rule matches source, detail-type and
 * plain values of detail, and delivers once; cron and at expressions are refused.
 *
 * Source: EventBridge User Guide, Schedule types; Event patterns.
 */
export function createEventBridge(around: EventBridgeSurroundings): EventBridge {
  const random = around.random.fork('eventbridge');
  const rules: EventRule[] = [];
  return {
    schedule: (schedule) => startSchedule(around, random, schedule),
    rule: (rule) => {
      rules.push(rule);
    },
    put: (event) => {
      for (const rule of rules) {
        if (!matches(rule, event)) continue;
        around.clock.after(random.between(...DELIVERY_MS), () =>
          rule.target.send(JSON.stringify(event)),
        );
      }
    },
  };
}

const matches = ({ source, detailType, detail = {} }: EventRule, event: CloudEvent): boolean =>
  source === event.source &&
  detailType === event['detail-type'] &&
  Object.entries(detail).every(([field, values]) => values.includes(String(event.detail[field])));

function startSchedule(around: EventBridgeSurroundings, random: Random, schedule: Schedule): void {
  const { clock, region, accountId } = around;
  const periodMs = periodOf(schedule.expression);
  const fire = (): void => {
    clock.after(periodMs, fire);
    const event = {
      version: '0',
      id: uuid(random),
      'detail-type': 'Scheduled Event',
      source: 'aws.events',
      account: accountId,
      time: new Date(clock.now()).toISOString().replace(/\.\d+Z$/, 'Z'),
      region,
      resources: [`arn:aws:events:${region}:${accountId}:rule/${schedule.name}`],
      detail: {},
    };
    void schedule.target.invoke(event, `schedule ${schedule.expression}`);
  };
  clock.after(random.between(0, periodMs - 1), fire);
}

function periodOf(expression: string): number {
  const [, amount, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const unitMs = unit === undefined ? undefined : UNITS[unit];
  if (unitMs === undefined || Number(amount) < 1) {
    throw new Error(`The embedded EventBridge knows rate(…) expressions only, not ${expression}`);
  }
  return Number(amount) * unitMs;
}
