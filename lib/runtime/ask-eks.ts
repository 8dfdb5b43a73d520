import type { AwsCall } from '#lib/aws/calls/call.ts';
import { type DescribedCluster, describeCluster } from '#lib/aws/cluster.ts';
import { describeAwsError } from '#lib/aws/errors.ts';
import { type Environment, settingsTold } from './settings.ts';

/**
 * What EKS knows of a cluster, under the names of the settings that it stands in for. Throws in a
 * sentence that says what to grant, or to set instead.
 */
export const askEks = async (aws: AwsCall, clusterName: string): Promise<Environment> =>
  settingsTold(await described(aws, clusterName));

async function described(aws: AwsCall, clusterName: string): Promise<DescribedCluster> {
  try {
    return await describeCluster(aws, clusterName);
  } catch (cause) {
    throw new Error(
      `What the settings leave out of the cluster was asked of EKS, in vain: ${describeAwsError(cause)}. Grant eks:DescribeCluster, or set JOINERY_CLUSTER_ENDPOINT, JOINERY_CLUSTER_CA, JOINERY_SERVICE_CIDR and JOINERY_KUBERNETES_VERSION`,
      { cause },
    );
  }
}
