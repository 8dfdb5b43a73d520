import type { Account, Operations } from './account.ts';
import { awsError } from './error.ts';
import { type Fields, text } from './request.ts';

/** What EKS says of the one cluster of the embedded world. */
export interface ClusterFacts {
  readonly name: string;
  readonly endpoint: string;
  /** Base64 PEM. */
  readonly ca: string;
  /** 10.100.0.0/16. */
  readonly serviceCidr: string;
  /** 1.33. */
  readonly kubernetesVersion: string;
}

/** EKS's DescribeCluster, for the one cluster there is; only what a node needs to join is told. */
export function clusterOperations(account: Account, cluster: ClusterFacts): Operations {
  return { DescribeCluster: (input) => describeCluster(account, cluster, input) };
}

function describeCluster(account: Account, cluster: ClusterFacts, input: Fields): unknown {
  const name = text(input, 'name');
  if (name !== cluster.name) {
    throw awsError('ResourceNotFoundException', `No cluster found for name: ${name}.`);
  }
  return {
    cluster: {
      arn: `arn:aws:eks:${account.region}:${account.id}:cluster/${name}`,
      certificateAuthority: { data: cluster.ca },
      endpoint: cluster.endpoint,
      kubernetesNetworkConfig: { ipFamily: 'ipv4', serviceIpv4Cidr: cluster.serviceCidr },
      name,
      status: 'ACTIVE',
      version: cluster.kubernetesVersion,
    },
  };
}
