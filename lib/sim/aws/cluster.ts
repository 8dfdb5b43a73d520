import type { Account, Operations } from './account.ts';
import { awsError } from './error.ts';
import { type Fields, optionalText, optionalTexts, text } from './request.ts';

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

/**
 * EKS's DescribeCluster and its access entries, for the one cluster there is; only what a node
 * needs to join is told. Entries let nobody in: the embedded API server asks no one who he is. ARC
 * never shifts traffic out of a zone of it.
 */
export function clusterOperations(account: Account, cluster: ClusterFacts): Operations {
  const entries = new Map<string, unknown>();
  return {
    CreateAccessEntry: (input) => {
      expectCluster(cluster, text(input, 'clusterName'));
      const principalArn = text(input, 'principalArn');
      if (entries.has(principalArn)) {
        throw awsError(
          'ResourceInUseException',
          `The specified access entry resource is already in use on this cluster.`,
        );
      }
      const accessEntry = {
        clusterName: cluster.name,
        kubernetesGroups: optionalTexts(input, 'kubernetesGroups') ?? [],
        principalArn,
        type: optionalText(input, 'type') ?? 'STANDARD',
      };
      entries.set(principalArn, accessEntry);
      return { accessEntry };
    },
    DescribeAccessEntry: (input) => {
      expectCluster(cluster, text(input, 'clusterName'));
      const accessEntry = entries.get(text(input, 'principalArn'));
      if (accessEntry !== undefined) return { accessEntry };
      throw awsError(
        'ResourceNotFoundException',
        `The specified principalArn could not be found. You can view your available access entries with 'list-access-entries'.`,
      );
    },
    GetManagedResource: () => ({ zonalShifts: [], autoshifts: [] }),
    DescribeCluster: (input) => describeCluster(account, cluster, input),
  };
}

function expectCluster(cluster: ClusterFacts, name: string): void {
  if (name === cluster.name) return;
  throw awsError('ResourceNotFoundException', `No cluster found for name: ${name}.`);
}

function describeCluster(account: Account, cluster: ClusterFacts, input: Fields): unknown {
  const name = text(input, 'name');
  expectCluster(cluster, name);
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
