import type { Account, Operations } from './account.ts';
import { awsError } from './error.ts';
import { optionalText, optionalTexts, text } from './request.ts';

/** What EKS says of a cluster of the embedded world. */
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

/**
 * EKS's DescribeCluster and its access entries, for the clusters there are; only what a node
 * needs to join is told. Entries let nobody in: the embedded API server asks no one who he is.
 */
export function clusterOperations(
  account: Account,
  clusters: () => readonly ClusterFacts[],
): Operations {
  const entries = new Map<string, unknown>();
  return {
    CreateAccessEntry: (input) => {
      const { name } = clusterNamed(clusters(), text(input, 'clusterName'));
      const principalArn = text(input, 'principalArn');
      if (entries.has(`${name} ${principalArn}`)) {
        throw awsError(
          'ResourceInUseException',
          `The specified access entry resource is already in use on this cluster.`,
        );
      }
      const accessEntry = {
        clusterName: name,
        kubernetesGroups: optionalTexts(input, 'kubernetesGroups') ?? [],
        principalArn,
        type: optionalText(input, 'type') ?? 'STANDARD',
      };
      entries.set(`${name} ${principalArn}`, accessEntry);
      return { accessEntry };
    },
    DescribeAccessEntry: (input) => {
      const { name } = clusterNamed(clusters(), text(input, 'clusterName'));
      const accessEntry = entries.get(`${name} ${text(input, 'principalArn')}`);
      if (accessEntry !== undefined) return { accessEntry };
      throw awsError(
        'ResourceNotFoundException',
        `The specified principalArn could not be found. You can view your available access entries with 'list-access-entries'.`,
      );
    },
    DescribeCluster: (input) =>
      describeCluster(account, clusterNamed(clusters(), text(input, 'name'))),
  };
}

function clusterNamed(clusters: readonly ClusterFacts[], name: string): ClusterFacts {
  const found = clusters.find((cluster) => cluster.name === name);
  if (found !== undefined) return found;
  throw awsError('ResourceNotFoundException', `No cluster found for name: ${name}.`);
}

function describeCluster(account: Account, cluster: ClusterFacts): unknown {
  const { name } = cluster;
  return {
    cluster: {
      accessConfig: { authenticationMode: 'API' },
      arn: `arn:aws:eks:${account.region}:${account.id}:cluster/${name}`,
      certificateAuthority: { data: cluster.ca },
      endpoint: cluster.endpoint,
      kubernetesNetworkConfig: { ipFamily: 'ipv4', serviceIpv4Cidr: cluster.serviceCidr },
      name,
      resourcesVpcConfig: { endpointPublicAccess: true, endpointPrivateAccess: false },
      status: 'ACTIVE',
      version: cluster.kubernetesVersion,
    },
  };
}
