import { CfnQueue, CfnQueuePolicy } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { documentOf } from './policy-document.ts';

/** How long a hint or an announcement may wait. A hint that old asks for nothing new; see below. */
const HOUR_SECONDS = 3_600;
const DEAD_LETTER_DAYS = 4;
/** After that many deliveries a message counts as one that never succeeds. */
const MAX_RECEIVES = 4;

/** What a queue's messages are given; the longest that its function may take. */
interface Work {
  readonly timeoutSeconds: number;
  readonly retentionSeconds: number;
}

/** A queue, encrypted, that takes messages over TLS only, and where those go that always fail. */
class WorkQueue extends Construct {
  readonly queue: CfnQueue;
  readonly dead: CfnQueue;

  constructor(scope: Construct, id: string, { timeoutSeconds, retentionSeconds }: Work) {
    super(scope, id);
    this.dead = new CfnQueue(this, 'Dead', {
      messageRetentionPeriod: DEAD_LETTER_DAYS * 24 * HOUR_SECONDS,
      sqsManagedSseEnabled: true,
    });
    this.queue = new CfnQueue(this, 'Queue', {
      visibilityTimeout: timeoutSeconds,
      messageRetentionPeriod: retentionSeconds,
      sqsManagedSseEnabled: true,
      redrivePolicy: { deadLetterTargetArn: this.dead.attrArn, maxReceiveCount: MAX_RECEIVES },
    });
  }
}

/**
 * The two queues. Hints say "look again" and are worth nothing after the next look; they are kept
 * for an hour so that a stopped function is seen in the queue's age. Announcements of EC2 are kept
 * for hours: each is done, named in an alarm, or of an instance that is gone.
 */
export class Queues extends Construct {
  readonly hints: CfnQueue;
  readonly deadHints: CfnQueue;
  readonly interruptions: CfnQueue;
  readonly deadInterruptions: CfnQueue;

  constructor(
    scope: Construct,
    timeouts: { readonly provisionSeconds: number; readonly interruptSeconds: number },
  ) {
    super(scope, 'Queues');
    const hints = new WorkQueue(this, 'Hints', {
      timeoutSeconds: timeouts.provisionSeconds,
      retentionSeconds: HOUR_SECONDS,
    });
    const interruptions = new WorkQueue(this, 'Interruptions', {
      timeoutSeconds: timeouts.interruptSeconds,
      retentionSeconds: 4 * HOUR_SECONDS,
    });
    this.hints = hints.queue;
    this.deadHints = hints.dead;
    this.interruptions = interruptions.queue;
    this.deadInterruptions = interruptions.dead;
    new CfnQueuePolicy(this, 'HintsPolicy', {
      queues: [this.hints.ref],
      policyDocument: documentOf([tlsOnly(this.hints)]),
    });
  }

  /** Lets these rules, and nobody else, put announcements into the queue of interruptions. */
  letIn(ruleArns: readonly string[]): void {
    new CfnQueuePolicy(this, 'InterruptionsPolicy', {
      queues: [this.interruptions.ref],
      policyDocument: documentOf([
        {
          Sid: 'RulesSend',
          Effect: 'Allow',
          Principal: { Service: 'events.amazonaws.com' },
          Action: 'sqs:SendMessage',
          Resource: this.interruptions.attrArn,
          Condition: { ArnEquals: { 'aws:SourceArn': ruleArns } },
        },
        tlsOnly(this.interruptions),
      ]),
    });
  }
}

const tlsOnly = ({ attrArn }: CfnQueue) => ({
  Sid: 'TlsOnly',
  Effect: 'Deny',
  Principal: '*',
  Action: 'sqs:*',
  Resource: attrArn,
  Condition: { Bool: { 'aws:SecureTransport': 'false' } },
});
