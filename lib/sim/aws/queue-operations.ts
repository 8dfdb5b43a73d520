import type { Operations } from './account.ts';
import { awsError } from './error.ts';
import type { Queue } from './queue.ts';
import { type Fields, optionalInteger, text } from './request.ts';

/** Source: SQS API, SendMessage: 1 MiB, 15 minutes. */
const LARGEST_BODY_BYTES = 1_048_576;
const LONGEST_DELAY_SECONDS = 900;

/** SQS's operations on `queues`, asked each time, so that one made later is found. */
export function queueOperations(queues: () => readonly Queue[]): Operations {
  const queueAt = (input: Fields): Queue => {
    const url = text(input, 'QueueUrl');
    return found(queues().find((queue) => queue.url === url));
  };
  return {
    GetQueueUrl: (input) => {
      const name = text(input, 'QueueName');
      return { QueueUrl: found(queues().find((queue) => queue.name === name)).url };
    },
    SendMessage: (input) => sendMessage(queueAt(input), input),
    ReceiveMessage: (input) => receiveMessage(queueAt(input), input),
    DeleteMessage: (input) => {
      queueAt(input).remove(text(input, 'ReceiptHandle'));
      return {};
    },
  };
}

function found(queue: Queue | undefined): Queue {
  if (queue !== undefined) return queue;
  throw awsError('QueueDoesNotExist', 'The specified queue does not exist.');
}

function sendMessage(queue: Queue, input: Fields): unknown {
  const body = text(input, 'MessageBody');
  if (Buffer.byteLength(body) > LARGEST_BODY_BYTES) {
    throw awsError(
      'InvalidParameterValue',
      `One or more parameters are invalid. Reason: Message must be shorter than ${LARGEST_BODY_BYTES} bytes.`,
    );
  }
  const delaySeconds = optionalInteger(input, 'DelaySeconds', [0, LONGEST_DELAY_SECONDS]) ?? 0;
  const { messageId, md5 } = queue.send(body, delaySeconds * 1000);
  return { MessageId: messageId, MD5OfMessageBody: md5 };
}

function receiveMessage(queue: Queue, input: Fields): unknown {
  const max = optionalInteger(input, 'MaxNumberOfMessages', [1, 10]) ?? 1;
  const messages = queue.receive(max);
  if (messages.length === 0) return {};
  return {
    Messages: messages.map((message) => ({
      Attributes: {
        ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
        ApproximateReceiveCount: String(message.receiveCount),
        SentTimestamp: String(message.sentAt),
      },
      Body: message.body,
      MD5OfBody: message.md5,
      MessageId: message.messageId,
      ReceiptHandle: message.receiptHandle,
    })),
  };
}
