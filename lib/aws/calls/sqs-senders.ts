import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { ClientSettings, Sender } from '#lib/aws/place.ts';

/** SQS's one operation, as an SDK command. */
export function sqsSenders(place: ClientSettings) {
  const client = new SQSClient(place);
  return {
    SendMessage: (input) => client.send(new SendMessageCommand(typed(input))),
  } satisfies Readonly<Record<string, Sender>>;
}

/** The input as its command takes it: the typed seam let nothing else pass. */
const typed = <Input>(input: unknown): Input => input as Input;
