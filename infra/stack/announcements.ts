import { CfnRule } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import type { Queues } from './queues.ts';

/** Instances that start are of no interest, and there are as many of those events as of the rest. */
const ENDING = { state: ['stopping', 'stopped', 'shutting-down', 'terminated'] };
const EC2_CHANGES = { service: ['EC2'], eventTypeCategory: ['scheduledChange'] };

/** What EC2 and AWS Health announce of instances, as EventBridge patterns. */
const ANNOUNCEMENTS = {
  SpotInterruption: pattern('aws.ec2', 'EC2 Spot Instance Interruption Warning'),
  Rebalance: pattern('aws.ec2', 'EC2 Instance Rebalance Recommendation'),
  StateChange: pattern('aws.ec2', 'EC2 Instance State-change Notification', ENDING),
  ScheduledChange: pattern('aws.health', 'AWS Health Event', EC2_CHANGES),
  CapacityReservation: pattern('aws.ec2', 'EC2 Capacity Reservation Instance Interruption Warning'),
} as const;

function pattern(source: string, detailType: string, detail?: Readonly<Record<string, unknown>>) {
  return { source: [source], 'detail-type': [detailType], ...(detail && { detail }) };
}

/**
 * Rules that put what is announced into the queue of interruptions. They see every instance of the
 * account and the region, for announcements carry no tags; `interrupt` drops what is not ours.
 */
export class Announcements extends Construct {
  constructor(scope: Construct, queues: Queues) {
    super(scope, 'Announcements');
    const rules = Object.entries(ANNOUNCEMENTS).map(
      ([id, eventPattern]) =>
        new CfnRule(this, id, {
          eventPattern,
          targets: [{ id: 'interruptions', arn: queues.interruptions.attrArn }],
        }),
    );
    queues.letIn(rules.map(({ attrArn }) => attrArn));
  }
}
