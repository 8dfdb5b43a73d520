import {
  CreateAccessEntryCommand,
  type CreateAccessEntryCommandInput,
  type CreateAccessEntryCommandOutput,
  DescribeAccessEntryCommand,
  type DescribeAccessEntryCommandInput,
  type DescribeAccessEntryCommandOutput,
  DescribeClusterCommand,
  type DescribeClusterCommandInput,
  type DescribeClusterCommandOutput,
  EKSClient,
} from '@aws-sdk/client-eks';
import type { ClientSettings } from './place.ts';

/** The operations that tell where a cluster is and who may enter it. */
export interface AccessOperations {
  readonly CreateAccessEntry: {
    readonly input: CreateAccessEntryCommandInput;
    readonly output: CreateAccessEntryCommandOutput;
  };
  readonly DescribeAccessEntry: {
    readonly input: DescribeAccessEntryCommandInput;
    readonly output: DescribeAccessEntryCommandOutput;
  };
  readonly DescribeCluster: {
    readonly input: DescribeClusterCommandInput;
    readonly output: DescribeClusterCommandOutput;
  };
}

type Senders = Readonly<Record<keyof AccessOperations, (input: unknown) => Promise<unknown>>>;

/** Each of them as one SDK command. */
export function accessSenders(place: ClientSettings): Senders {
  const eks = new EKSClient(place);
  return {
    CreateAccessEntry: (input) => eks.send(new CreateAccessEntryCommand(typed(input))),
    DescribeAccessEntry: (input) => eks.send(new DescribeAccessEntryCommand(typed(input))),
    DescribeCluster: (input) => eks.send(new DescribeClusterCommand(typed(input))),
  };
}

/** The input as its command takes it: the typed seam let nothing else pass. */
const typed = <Input>(input: unknown): Input => input as Input;
