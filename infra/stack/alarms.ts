import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnTopic } from 'aws-cdk-lib/aws-sns';
import type { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { JoineryFunction } from './joinery-function.ts';
import { functionMetric, type Metric, ownMetric, queueMetric } from './metrics.ts';
import type { AlarmLimits } from './props.ts';

/** What is watched. */
export interface Watched {
  readonly clusterName: string;
  readonly limits: AlarmLimits;
  readonly functions: Readonly<
    Record<'provision' | 'consolidate' | 'drift' | 'interrupt' | 'admit', JoineryFunction>
  >;
  readonly deadLetterQueues: readonly CfnQueue[];
}

const MINUTE = 60;

/** When an alarm rings: the metric above `above` in each of `periods` periods of `seconds`. */
interface Rule {
  readonly says: string;
  readonly metric: Metric;
  readonly statistic: 'Sum' | 'Maximum';
  readonly seconds: number;
  readonly periods: number;
  readonly above: number;
  /** What no figure at all means; nothing where absent. */
  readonly silence?: 'breaching';
  /** Rings below `above`, not over it. */
  readonly rings?: 'below';
}

/**
 * Alarms that mean that a person should look, all told to one topic: more nodes, dollars or new
 * machines than anybody planned; messages that nobody could do; functions that fail, are throttled
 * or have stopped looking.
 */
export class Alarms extends Construct {
  readonly topic: CfnTopic;

  constructor(scope: Construct, watched: Watched) {
    super(scope, 'Alarms');
    this.topic = new CfnTopic(this, 'Topic');
    for (const [id, rule] of Object.entries(rulesOf(watched))) this.ring(id, rule);
  }

  private ring(id: string, rule: Rule): void {
    new CfnAlarm(this, id, {
      alarmDescription: rule.says,
      namespace: rule.metric.namespace,
      metricName: rule.metric.name,
      dimensions: Object.entries(rule.metric.dimensions).map(([name, value]) => ({ name, value })),
      statistic: rule.statistic,
      period: rule.seconds,
      evaluationPeriods: rule.periods,
      threshold: rule.above,
      comparisonOperator: rule.rings === 'below' ? 'LessThanThreshold' : 'GreaterThanThreshold',
      treatMissingData: rule.silence ?? 'notBreaching',
      alarmActions: [this.topic.ref],
      okActions: [this.topic.ref],
    });
  }
}

function rulesOf({ clusterName, limits, functions, deadLetterQueues }: Watched) {
  const own = ownMetric(clusterName);
  return {
    Nodes: {
      says: 'There are more nodes than planned: look for a workload that keeps asking.',
      metric: own('nodes'),
      statistic: 'Maximum',
      seconds: 5 * MINUTE,
      periods: 2,
      above: limits.nodes,
    },
    Spend: {
      says: 'The nodes cost more an hour than planned.',
      metric: own('usdPerHour'),
      statistic: 'Maximum',
      seconds: 5 * MINUTE,
      periods: 2,
      above: limits.usdPerHour,
    },
    ScalingRate: {
      says: 'Many NodeClaims were made within ten minutes.',
      metric: own('created'),
      statistic: 'Sum',
      seconds: 10 * MINUTE,
      periods: 1,
      above: limits.newNodeClaims,
    },
    Heartbeat: {
      says: 'provision has not looked at the cluster for five minutes: pending pods get no nodes.',
      metric: functionMetric(functions.provision, 'Invocations'),
      statistic: 'Sum',
      seconds: 5 * MINUTE,
      periods: 1,
      above: 1,
      rings: 'below',
      silence: 'breaching',
    },
    ...Object.fromEntries(
      deadLetterQueues.map((queue, index) => [
        `DeadLetters${index === 0 ? '' : index + 1}`,
        {
          says: 'A message failed again and again and was put aside: this is a bug, look at its log.',
          metric: queueMetric(queue, 'ApproximateNumberOfMessagesVisible'),
          statistic: 'Maximum',
          seconds: MINUTE,
          periods: 1,
          above: 0,
        } as const,
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(functions).flatMap(([name, each]) => [
        [`${name}Fails`, failing(name, each)] as const,
        [`${name}Throttled`, throttled(name, each)] as const,
      ]),
    ),
  } as const satisfies Readonly<Record<string, Rule>>;
}

const failing = (name: string, each: JoineryFunction): Rule => ({
  says: `${name} fails: its log says why.`,
  metric: functionMetric(each, 'Errors'),
  statistic: 'Sum',
  seconds: 5 * MINUTE,
  periods: 2,
  above: 0,
});

const throttled = (name: string, each: JoineryFunction): Rule => ({
  says: `Lambda turns calls of ${name} away: the account runs too many functions at once.`,
  metric: functionMetric(each, 'Throttles'),
  statistic: 'Sum',
  seconds: 5 * MINUTE,
  periods: 2,
  above: 0,
});
