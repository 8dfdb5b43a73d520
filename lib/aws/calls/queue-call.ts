import { type AwsPlace, clientSettings } from '#lib/aws/place.ts';
import { type AwsCall, typedCall } from './call.ts';
import { sqsSenders } from './sqs-senders.ts';

/**
 * AWS behind the seam for those who only send hints: one client, loaded at once, because a function
 * that must answer within milliseconds has no time for it later. Every other operation is a bug.
 */
export function queueCall(place: AwsPlace): AwsCall {
  const { SendMessage } = sqsSenders(clientSettings(place));
  return typedCall(async (name, input) => {
    if (name !== 'SendMessage') throw new Error(`expected SendMessage, found ${name}`);
    return await SendMessage(input);
  });
}
