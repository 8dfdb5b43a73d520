import { CfnRole } from 'aws-cdk-lib/aws-iam';
import { CfnEventSourceMapping, CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import type { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { QUEUE_READING } from '#lib/aws/policies/queues.ts';
import { allow } from '#lib/aws/policies/statement.ts';
import type { BundleName } from '../bundle.ts';
import { assumedBy, documentOf } from './policy-document.ts';

/** Where Lambda finds a bundle. A CDK app uploads it; the template names the folder. */
export type CodeOf = (scope: Construct, name: BundleName) => CfnFunction.CodeProperty;

/** What one function is made of. */
export interface JoineryFunctionProps {
  readonly code: CodeOf;
  readonly memoryMegabytes: number;
  readonly timeoutSeconds: number;
  readonly logRetentionDays: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly vpc?: CfnFunction['vpcConfig'];
  /** What it may do besides writing its log and reading its queue. */
  readonly policyArns: readonly string[];
  /** The queue whose messages invoke it. */
  readonly queue?: CfnQueue;
  /** How its messages are gathered; without waiting where absent. */
  readonly batch?: Batch;
}

/** How many messages go to a function at once, and how long is waited for more. */
interface Batch {
  readonly size: number;
  readonly windowSeconds: number;
}

/** The most without a batching window. Source: Lambda, event source mappings of queues. */
const AT_ONCE: Batch = { size: 10, windowSeconds: 0 };
/** The least that Lambda allows; exclusion is the Lease's. */
const MAX_CONCURRENCY = 2;

/** A function with its own role and its own log group, so that it may do what it needs and no more. */
export class JoineryFunction extends Construct {
  readonly function: CfnFunction;
  readonly role: CfnRole;
  readonly logGroup: CfnLogGroup;

  constructor(scope: Construct, name: BundleName, props: JoineryFunctionProps) {
    super(scope, name[0]?.toUpperCase() + name.slice(1));
    this.logGroup = new CfnLogGroup(this, 'Logs', { retentionInDays: props.logRetentionDays });
    this.role = new CfnRole(this, 'Role', {
      description: `What Joinery's ${name} may do.`,
      assumeRolePolicyDocument: assumedBy('lambda.amazonaws.com'),
      managedPolicyArns: [...props.policyArns],
      policies: [
        {
          policyName: 'own-log-and-queue',
          policyDocument: documentOf([
            allow('WriteItsLog', LOG_WRITING, [this.logGroup.attrArn]),
            ...(props.queue ? [allow('ReadItsQueue', QUEUE_READING, [props.queue.attrArn])] : []),
          ]),
        },
      ],
    });
    this.function = new CfnFunction(this, 'Function', {
      description: PURPOSES[name],
      code: props.code(this, name),
      handler: 'index.handler',
      runtime: 'nodejs24.x',
      architectures: ['arm64'],
      memorySize: props.memoryMegabytes,
      timeout: props.timeoutSeconds,
      role: this.role.attrArn,
      loggingConfig: { logGroup: this.logGroup.ref },
      environment: { variables: { ...props.environment } },
      ...(props.vpc && { vpcConfig: props.vpc }),
    });
    if (props.queue) this.listenTo(props.queue, props.batch ?? AT_ONCE);
  }

  /** Messages that an answer names as failed come back; the others are done. */
  private listenTo(queue: CfnQueue, { size, windowSeconds }: Batch): void {
    const mapping = new CfnEventSourceMapping(this, 'Messages', {
      eventSourceArn: queue.attrArn,
      functionName: this.function.ref,
      batchSize: size,
      ...(windowSeconds > 0 && { maximumBatchingWindowInSeconds: windowSeconds }),
      functionResponseTypes: ['ReportBatchItemFailures'],
      scalingConfig: { maximumConcurrency: MAX_CONCURRENCY },
    });
    mapping.addResourceDependency(this.role);
  }
}

const LOG_WRITING = ['logs:CreateLogStream', 'logs:PutLogEvents'];

const PURPOSES: Readonly<Record<BundleName, string>> = {
  provision: 'Gives nodes to pending pods and walks every NodeClaim through its life.',
  admit: "Answers the cluster's webhook and asks provision for a look.",
  consolidate: 'Proposes to remove or replace nodes that cost more than they have to.',
  drift: 'Keeps what EC2 sells and what NodeClasses resolve to fresh; proposes to renew nodes.',
  interrupt: 'Replaces and drains nodes that EC2 announces to take back.',
};
