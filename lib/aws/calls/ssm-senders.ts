import { GetParametersCommand, SSMClient } from '@aws-sdk/client-ssm';
import type { ClientSettings, Sender } from '#lib/aws/place.ts';

/** SSM's one operation, as an SDK command. */
export function ssmSenders(place: ClientSettings) {
  const client = new SSMClient(place);
  return {
    GetParameters: (input) => client.send(new GetParametersCommand(typed(input))),
  } satisfies Readonly<Record<string, Sender>>;
}

/** The input as its command takes it: the typed seam let nothing else pass. */
const typed = <Input>(input: unknown): Input => input as Input;
