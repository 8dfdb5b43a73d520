import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type AwsCall, typedCall } from './call.ts';
import type { AwsPlace } from './place.ts';

/**
 * AWS behind the seam for those who only send hints: one client, so that a function that must
 * answer within milliseconds does not load the others. Every other operation is a bug.
 */
export function queueCall(place: AwsPlace): AwsCall {
  const sqs = new SQSClient(place);
  return typedCall(async (name, input) => {
    if (name !== 'SendMessage') throw new Error(`expected SendMessage, found ${name}`);
    return await sqs.send(new SendMessageCommand(input as SendMessageCommand['input']));
  });
}
