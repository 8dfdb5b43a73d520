/**
 * Published prices in USD, us-east-1, without any free tier.
 *
 * Source: the pricing pages of Lambda (arm64), SQS (standard queues), EventBridge (Scheduler),
 * CloudWatch (first tiers) and API Gateway (HTTP APIs), November 2026.
 */
export const PRICES = {
  lambdaRequest: 0.2 / 1e6,
  lambdaGigabyteSecond: 0.0000133334,
  sqsRequest: 0.4 / 1e6,
  schedulerInvocation: 1 / 1e6,
  httpApiRequest: 1 / 1e6,
  alarmMonth: 0.1,
  dashboardMonth: 3,
  metricMonth: 0.3,
  logGigabyte: 0.5,
  logGigabyteMonth: 0.03,
} as const;

/** What every account has free each month, for good. Source: the same pages. */
export const FREE = {
  lambdaRequests: 1e6,
  lambdaGigabyteSeconds: 400_000,
  sqsRequests: 1e6,
  schedulerInvocations: 14e6,
  alarms: 10,
  dashboards: 3,
  metrics: 10,
  logGigabytes: 5,
} as const;
