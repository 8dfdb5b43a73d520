import { allow, type PolicyGroup } from './statement.ts';

/** Asking provision for a look. */
export const hintPolicy: PolicyGroup = ({ hintQueueArn }) => [
  allow('SendHints', ['sqs:SendMessage'], [hintQueueArn]),
];

/**
 * What Lambda does in a function's name with the queue that feeds it.
 *
 * Source: Lambda Developer Guide, execution role permissions for SQS event sources.
 */
export const QUEUE_READING = [
  'sqs:ReceiveMessage',
  'sqs:DeleteMessage',
  'sqs:GetQueueAttributes',
] as const;

/** Telling decisions to the one event bus that the settings name. */
export const busPolicy: PolicyGroup = ({ eventBusArn }) => [
  allow('TellDecisions', ['events:PutEvents'], [eventBusArn]),
];
