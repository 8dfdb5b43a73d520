import type { AwsCall } from '#lib/aws/calls/call.ts';
import { dnsAddressIn } from '#lib/ec2/user-data/service-network.ts';

/** How a cluster decides who an IAM role is: by access entries, by the ConfigMap aws-auth, by both. */
type AuthenticationMode = 'API' | 'API_AND_CONFIG_MAP' | 'CONFIG_MAP';

/** An EKS cluster, as EKS describes it. */
export interface DescribedCluster {
  readonly name: string;
  /** arn:aws:eks:us-east-1:111122223333:cluster/shop. */
  readonly arn: string;
  /** https://… */
  readonly endpoint: string;
  /** Base64 PEM. */
  readonly certificateAuthority: string;
  /** The service network, of the family that pods have. */
  readonly serviceCidr: string;
  /** Of the cluster's DNS service; '' where the service network does not tell it. */
  readonly dnsAddress: string;
  readonly ipFamily: 'ipv4' | 'ipv6';
  /** 1.33. */
  readonly kubernetesVersion: string;
  readonly authenticationMode: AuthenticationMode;
  /** Whether its endpoint can be reached from outside of its VPC. */
  readonly isPublic: boolean;
}

/**
 * The cluster called `name`. Throws what EKS refuses, and where the cluster has no endpoint yet, or
 * none that a node could join by.
 *
 * Source: EKS API, DescribeCluster.
 */
export async function describeCluster(call: AwsCall, name: string): Promise<DescribedCluster> {
  const { cluster } = await call('DescribeCluster', { name });
  const network = cluster?.kubernetesNetworkConfig;
  const isIpv6 = network?.ipFamily === 'ipv6';
  const serviceCidr = isIpv6 ? network.serviceIpv6Cidr : network?.serviceIpv4Cidr;
  const certificateAuthority = cluster?.certificateAuthority?.data;
  if (!cluster?.endpoint || !certificateAuthority || !serviceCidr || !cluster.version) {
    throw new Error(
      `The EKS cluster ${name} is ${cluster?.status ?? 'not there'} and has no endpoint to speak to yet`,
    );
  }
  return {
    name,
    arn: cluster.arn ?? '',
    endpoint: cluster.endpoint,
    certificateAuthority,
    serviceCidr,
    dnsAddress: dnsAddressIn(serviceCidr) ?? '',
    ipFamily: isIpv6 ? 'ipv6' : 'ipv4',
    kubernetesVersion: cluster.version,
    // Clusters from before access entries do not say, and have only the ConfigMap.
    authenticationMode: cluster.accessConfig?.authenticationMode ?? 'CONFIG_MAP',
    isPublic: cluster.resourcesVpcConfig?.endpointPublicAccess !== false,
  };
}
