import type { FunctionName } from '#lib/sim/stack.ts';
import type { Hour } from './hours.ts';
import { NAMES } from './hours.ts';
import { FREE, PRICES } from './prices.ts';

/** What does not depend on the hour. */
export interface Standing {
  readonly gigabytes: Readonly<Record<FunctionName, number>>;
  readonly alarms: number;
  readonly dashboards: number;
}

/** An hour with what Lambda bills of it. */
export interface BilledHour extends Hour {
  readonly billedSeconds: Readonly<Record<FunctionName, number>>;
  /** How many series of figures it told. */
  readonly series: number;
}

/** A line of the bill. */
export interface Line {
  readonly what: string;
  readonly amount: number;
  readonly usd: number;
  /** With what every account has free each month. */
  readonly usdBeyondFree: number;
}

const HOURS = 730;
/** Lambda asks a queue by five connections, each for 20 s at a time. Source: Lambda, SQS event sources. */
const POLLS_A_MONTH = ((2 * 5 * 3_600) / 20) * HOURS;
const GIGABYTE = 1e9;
/** How CloudWatch packs what it keeps. Source: CloudWatch pricing. */
const KEPT_SHARE = 0.15;

/** What a month of such hours costs. */
export function monthOf(hour: BilledHour, standing: Standing): readonly Line[] {
  const sum = (of: (name: FunctionName) => number) =>
    HOURS * NAMES.reduce((total, name) => total + of(name), 0);
  const scheduled = HOURS * (60 + 60 + 12);
  const logs = (HOURS * hour.logBytes) / GIGABYTE;
  const line = (what: string, amount: number, usd: number, free = 0): Line => ({
    what,
    amount,
    usd: amount * usd,
    usdBeyondFree: Math.max(0, amount - free) * usd,
  });
  return [
    line(
      'Lambda, requests',
      sum((name) => hour.invocations[name]),
      PRICES.lambdaRequest,
      FREE.lambdaRequests,
    ),
    line(
      'Lambda, GB-seconds (arm64)',
      sum((name) => hour.billedSeconds[name] * standing.gigabytes[name]),
      PRICES.lambdaGigabyteSecond,
      FREE.lambdaGigabyteSeconds,
    ),
    line(
      'SQS, requests (nearly all of them Lambda asking for messages)',
      POLLS_A_MONTH + 3 * HOURS * hour.hints,
      PRICES.sqsRequest,
      FREE.sqsRequests,
    ),
    line(
      'EventBridge Scheduler, invocations',
      scheduled,
      PRICES.schedulerInvocation,
      FREE.schedulerInvocations,
    ),
    line('HTTP API, calls of the webhook', HOURS * hour.webhookCalls, PRICES.httpApiRequest),
    line('CloudWatch, alarms', standing.alarms, PRICES.alarmMonth, FREE.alarms),
    line('CloudWatch, dashboard', standing.dashboards, PRICES.dashboardMonth, FREE.dashboards),
    line('CloudWatch, metrics', hour.series, PRICES.metricMonth, FREE.metrics),
    line('CloudWatch, GB of logs taken in', logs, PRICES.logGigabyte, FREE.logGigabytes),
    line('CloudWatch, GB of logs kept for 30 days', logs * KEPT_SHARE, PRICES.logGigabyteMonth),
  ];
}

/** What the lines come to. */
export const totalOf = (lines: readonly Line[], of: 'usd' | 'usdBeyondFree'): number =>
  lines.reduce((total, line) => total + line[of], 0);
