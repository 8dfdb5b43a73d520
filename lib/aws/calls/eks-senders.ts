import {
  CreateAccessEntryCommand,
  DescribeAccessEntryCommand,
  DescribeClusterCommand,
  EKSClient,
} from '@aws-sdk/client-eks';
import type { ClientSettings, Sender } from '#lib/aws/place.ts';

/** The operations of EKS, each as one SDK command. */
export function eksSenders(place: ClientSettings) {
  const client = new EKSClient(place);
  return {
    CreateAccessEntry: (input) => client.send(new CreateAccessEntryCommand(typed(input))),
    DescribeAccessEntry: (input) => client.send(new DescribeAccessEntryCommand(typed(input))),
    DescribeCluster: (input) => client.send(new DescribeClusterCommand(typed(input))),
  } satisfies Readonly<Record<string, Sender>>;
}

/** The input as its command takes it: the typed seam let nothing else pass. */
const typed = <Input>(input: unknown): Input => input as Input;
