import type { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { CLUSTER_DIMENSION, METRIC_NAMESPACE, METRICS } from '#lib/runtime/metric-names.ts';
import type { JoineryFunction } from './joinery-function.ts';

/** Where CloudWatch finds a figure. */
export interface Metric {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

/** One of the figures that the functions tell, of a cluster. */
export const ownMetric =
  (clusterName: string) =>
  (metric: keyof typeof METRICS): Metric => ({
    namespace: METRIC_NAMESPACE,
    name: METRICS[metric].name,
    dimensions: { [CLUSTER_DIMENSION]: clusterName },
  });

/** A figure that Lambda tells of a function. */
export const functionMetric = ({ function: { ref } }: JoineryFunction, name: string): Metric => ({
  namespace: 'AWS/Lambda',
  name,
  dimensions: { FunctionName: ref },
});

/** A figure that SQS tells of a queue. */
export const queueMetric = ({ attrQueueName }: CfnQueue, name: string): Metric => ({
  namespace: 'AWS/SQS',
  name,
  dimensions: { QueueName: attrQueueName },
});
