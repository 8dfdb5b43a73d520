import type {
  CreateAccessEntryCommandInput,
  CreateAccessEntryCommandOutput,
  DescribeAccessEntryCommandInput,
  DescribeAccessEntryCommandOutput,
  DescribeClusterCommandInput,
  DescribeClusterCommandOutput,
} from '@aws-sdk/client-eks';

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
