import type { Queue, ReceivedMessage } from './aws/queue.ts';
import type { Clock } from './clock.ts';
import type { LambdaFunction } from './lambda.ts';
import type { Random } from './random.ts';

/** How a queue feeds a function. */
export interface EventSourceOptions {
  readonly queue: Queue;
  readonly function: LambdaFunction;
  readonly region: string;
  /** At most 10 without a batching window. */
  readonly batchSize: number;
  /** A batch that is not full waits so long for more; not at all where absent. */
  readonly windowMs?: number;
  /** Invocations at the same time (ScalingConfig.MaximumConcurrency, at least 2 in AWS). */
  readonly maximumConcurrency: number;
}

/** From a message's becoming visible to the poller's having it. Assumed. */
const POLL_MS = [8, 60] as const;

/**
 * An event source mapping: as soon as messages are visible, up to `batchSize` of them go to the
 * function. Messages of a batch that returned are removed, but for those that it named in
 * batchItemFailures (a name that is not in the batch fails it whole); all others come back when
 * their visibility timeout ends. A batching window begins with the first message. Not modelled:
 * filters, the slow growth of the number of pollers.
 *
 * Source: Lambda Developer Guide, Using Lambda with Amazon SQS; ReportBatchItemFailures.
 */
export function connectQueue(clock: Clock, random: Random, options: EventSourceOptions): void {
  const poller = { busy: 0, isWaiting: false };
  const delays = random.fork(`event source/${options.queue.name}`);
  const look = (): void => {
    if (poller.isWaiting || poller.busy >= options.maximumConcurrency) return;
    if (options.queue.depth().visible === 0) return;
    poller.isWaiting = true;
    clock.after(delays.between(...POLL_MS) + (options.windowMs ?? 0), () => {
      poller.isWaiting = false;
      const batch = options.queue.receive(options.batchSize);
      if (batch.length === 0) return;
      poller.busy += 1;
      void deliver(options, batch).finally(() => {
        poller.busy -= 1;
        look();
      });
      look();
    });
  };
  options.queue.onVisible(look);
}

async function deliver(
  { queue, function: target, region }: EventSourceOptions,
  batch: readonly ReceivedMessage[],
): Promise<void> {
  const event = { Records: batch.map((message) => recordOf(message, queue.arn, region)) };
  const cause = `${batch.length} ${batch.length === 1 ? 'message' : 'messages'} of ${queue.name}`;
  const result = await target.invoke(event, cause);
  if (result.kind !== 'returned') return;
  const failed = failuresOf(result.value);
  const isKnown = (id: string): boolean => batch.some(({ messageId }) => messageId === id);
  if (!failed.every(isKnown)) return;
  for (const message of batch) {
    if (!failed.includes(message.messageId)) queue.remove(message.receiptHandle);
  }
}

/** The ids that a handler's answer names as failed; none where it names none. */
function failuresOf(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null || !('batchItemFailures' in value)) return [];
  const list = value.batchItemFailures;
  if (!Array.isArray(list)) return [];
  return list.map((item: unknown) =>
    typeof item === 'object' && item !== null && 'itemIdentifier' in item
      ? String(item.itemIdentifier)
      : '',
  );
}

const recordOf = (message: ReceivedMessage, arn: string, region: string) => ({
  messageId: message.messageId,
  receiptHandle: message.receiptHandle,
  body: message.body,
  attributes: {
    ApproximateReceiveCount: String(message.receiveCount),
    SentTimestamp: String(message.sentAt),
    SenderId: 'AIDAEMBEDDED',
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
  },
  messageAttributes: {},
  md5OfBody: message.md5,
  eventSource: 'aws:sqs',
  eventSourceARN: arn,
  awsRegion: region,
});
