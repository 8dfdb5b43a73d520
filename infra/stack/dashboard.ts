import { CfnDashboard } from 'aws-cdk-lib/aws-cloudwatch';
import { Aws, Fn, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { Watched } from './alarms.ts';
import { functionMetric, type Metric, ownMetric, queueMetric } from './metrics.ts';

const WIDTH = 8;
const HEIGHT = 6;

/** A graph: its title, its figures, and how each period's are put together. */
interface Graph {
  readonly title: string;
  readonly metrics: readonly Metric[];
  readonly statistic: 'Sum' | 'Maximum' | 'p99';
}

/**
 * One page that answers, row by row: what does it cost, is it well, what did it just do.
 */
export class Dashboard extends Construct {
  readonly dashboard: CfnDashboard;

  constructor(scope: Construct, watched: Watched, logGroupNames: readonly string[]) {
    super(scope, 'Dashboard');
    const graphs = graphsOf(watched).map((graph, index) => graphWidget(graph, index));
    const below = Math.ceil(graphs.length / 3) * HEIGHT;
    const body = { widgets: [...graphs, logWidget(logGroupNames, below)] };
    this.dashboard = new CfnDashboard(this, 'Page', {
      dashboardName: Fn.join('-', [Aws.STACK_NAME, watched.clusterName]),
      dashboardBody: Stack.of(this).toJsonString(body),
    });
  }
}

function graphsOf({ clusterName, functions, deadLetterQueues }: Watched): readonly Graph[] {
  const own = ownMetric(clusterName);
  const all = Object.values(functions);
  return [
    { title: 'USD per hour', metrics: [own('usdPerHour')], statistic: 'Maximum' },
    { title: 'Nodes', metrics: [own('nodes')], statistic: 'Maximum' },
    {
      title: 'Pods that wait, and that no node can be given to',
      metrics: [own('pendingPods'), own('refusedPods')],
      statistic: 'Maximum',
    },
    {
      title: 'Failed or turned away',
      metrics: all.flatMap((each) => [
        functionMetric(each, 'Errors'),
        functionMetric(each, 'Throttles'),
      ]),
      statistic: 'Sum',
    },
    {
      title: 'Put aside as undoable',
      metrics: deadLetterQueues.map((queue) =>
        queueMetric(queue, 'ApproximateNumberOfMessagesVisible'),
      ),
      statistic: 'Maximum',
    },
    { title: 'Launches that EC2 refused', metrics: [own('launchFailures')], statistic: 'Sum' },
    {
      title: 'Made, ended, disrupted',
      metrics: [own('created'), own('terminated'), own('disrupted')],
      statistic: 'Sum',
    },
    { title: 'Pods moved', metrics: [own('podsEvicted')], statistic: 'Sum' },
    {
      title: 'How long a look takes (p99)',
      metrics: all.map((each) => functionMetric(each, 'Duration')),
      statistic: 'p99',
    },
  ];
}

const graphWidget = ({ title, metrics, statistic }: Graph, index: number) => ({
  type: 'metric',
  x: (index % 3) * WIDTH,
  y: Math.floor(index / 3) * HEIGHT,
  width: WIDTH,
  height: HEIGHT,
  properties: {
    title,
    region: Aws.REGION,
    stat: statistic,
    period: 60,
    metrics: metrics.map(({ namespace, name, dimensions }) => [
      namespace,
      name,
      ...Object.entries(dimensions).flat(),
    ]),
  },
});

const logWidget = (logGroupNames: readonly string[], y: number) => ({
  type: 'log',
  x: 0,
  y,
  width: 3 * WIDTH,
  height: HEIGHT,
  properties: {
    title: 'What it just did',
    region: Aws.REGION,
    view: 'table',
    query: Fn.join('', [
      ...logGroupNames.map((name) => `SOURCE '${name}' | `),
      'fields @timestamp, service, message | filter level != "DEBUG" | sort @timestamp desc | limit 50',
    ]),
  },
});
