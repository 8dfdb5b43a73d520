/**
 * How functions and nodes get into a cluster, as EKS has it.
 * Source: EKS User Guide, access entries; karpenter AWS provider v1.14, documentation.
 */
import { STSClient } from '@aws-sdk/client-sts';
import { describe, expect, it } from 'vitest';
import { grantAccess } from '#infra/tools/cluster-access.ts';
import { type AwsCall, typedCall } from '#lib/aws/calls/call.ts';
import { describeCluster } from '#lib/aws/cluster.ts';
import {
  type AccessEntry,
  type AccessWanted,
  FUNCTIONS_GROUP,
  planAccess,
} from '#lib/ec2/node-class/cluster-access.ts';
import { partitionOf } from '#lib/ec2/partition.ts';
import { dnsAddressIn } from '#lib/ec2/user-data/service-network.ts';

const FUNCTIONS = 'arn:aws:iam::111122223333:role/joinery/functions';
const NODES = 'arn:aws:iam::111122223333:role/nodes';
const WINDOWS = 'arn:aws:iam::111122223333:role/windows';

const wanted = (difference: Partial<AccessWanted> = {}): AccessWanted => ({
  clusterName: 'shop',
  authenticationMode: 'API',
  functionRoles: [FUNCTIONS],
  linuxRoles: [NODES],
  windowsRoles: [],
  entries: new Map(),
  ...difference,
});

const cluster = (difference: object = {}) => ({
  arn: 'arn:aws-cn:eks:cn-north-1:111122223333:cluster/shop',
  accessConfig: { authenticationMode: 'API_AND_CONFIG_MAP' },
  certificateAuthority: { data: 'Q0E=' },
  endpoint: 'https://shop.eks',
  kubernetesNetworkConfig: { ipFamily: 'ipv4', serviceIpv4Cidr: '172.20.0.0/16' },
  status: 'ACTIVE',
  version: '1.33',
  ...difference,
});

/** EKS with this cluster and no entries, and what it was asked to make. */
function anEks(described: object): { readonly call: AwsCall; readonly made: unknown[] } {
  const made: unknown[] = [];
  const call = typedCall(async (name, input) => {
    if (name === 'DescribeCluster') return { cluster: described };
    if (name === 'CreateAccessEntry') {
      made.push(input);
      return {};
    }
    throw Object.assign(new Error('not there'), { name: 'ResourceNotFoundException' });
  });
  return { call, made };
}

describe('access entries', () => {
  it.each(['API', 'API_AND_CONFIG_MAP'] as const)(
    'are made for functions and nodes of a cluster that knows them (%s)',
    (authenticationMode) => {
      const { create, instructions } = planAccess(
        wanted({ authenticationMode, windowsRoles: [WINDOWS] }),
      );

      expect(create).toEqual([
        { principalArn: FUNCTIONS, type: 'STANDARD', kubernetesGroups: ['joinery'] },
        { principalArn: NODES, type: 'EC2_LINUX', kubernetesGroups: [] },
        { principalArn: WINDOWS, type: 'EC2_WINDOWS', kubernetesGroups: [] },
      ]);
      expect(instructions).toEqual([]);
    },
  );

  it('give the functions a group that is none of the cluster itself', () => {
    const groups = planAccess(wanted()).create.flatMap(({ kubernetesGroups }) => kubernetesGroups);

    expect(groups).toEqual([FUNCTIONS_GROUP]);
    expect(groups.filter((group) => group.startsWith('system:'))).toEqual([]);
  });

  it('that are there are left alone, and a person is told where they say something else', () => {
    const nodes = { principalArn: NODES, type: 'STANDARD', kubernetesGroups: [] } as const;
    const functions = {
      principalArn: FUNCTIONS,
      type: 'STANDARD',
      kubernetesGroups: ['auditors', 'joinery'],
    } as const;
    const plan = planAccess(
      wanted({
        entries: new Map<string, AccessEntry>([
          [NODES, nodes],
          [FUNCTIONS, functions],
        ]),
      }),
    );

    expect(plan.create).toEqual([]);
    expect(plan.instructions).toEqual([
      `${NODES} has an access entry of type STANDARD, and needs EC2_LINUX: change it, or take another role`,
    ]);
  });

  it('are not for a cluster on aws-auth alone: a person is told what to write', () => {
    const { create, instructions } = planAccess(
      wanted({ authenticationMode: 'CONFIG_MAP', windowsRoles: [WINDOWS] }),
    );

    expect(create).toEqual([]);
    expect(instructions.join('\n')).toContain('authenticationMode=API_AND_CONFIG_MAP');
    expect(instructions.at(-1)).toBe(
      [
        'Else add to mapRoles in the ConfigMap aws-auth of kube-system:',
        '- rolearn: arn:aws:iam::111122223333:role/functions',
        '  username: joinery',
        '  groups:',
        '  - joinery',
        `- rolearn: ${NODES}`,
        '  username: system:node:{{EC2PrivateDNSName}}',
        '  groups:',
        '  - system:bootstrappers',
        '  - system:nodes',
        `- rolearn: ${WINDOWS}`,
        '  username: system:node:{{EC2PrivateDNSName}}',
        '  groups:',
        '  - system:bootstrappers',
        '  - system:nodes',
        '  - eks:kube-proxy-windows',
      ].join('\n'),
    );
  });
});

describe('the tool that lets functions and nodes in', () => {
  const wish = {
    cluster: 'shop',
    functionRoles: ['joinery'],
    nodeRoles: ['nodes'],
    windowsRoles: [],
    apply: true,
  };

  it('makes the entries that are missing, in the partition and account of the cluster', async () => {
    const { call, made } = anEks(cluster());
    const lines = await grantAccess(call, wish);

    expect(lines).toHaveLength(2);
    expect(made).toEqual([
      {
        clusterName: 'shop',
        principalArn: 'arn:aws-cn:iam::111122223333:role/joinery',
        type: 'STANDARD',
        kubernetesGroups: ['joinery'],
      },
      {
        clusterName: 'shop',
        principalArn: 'arn:aws-cn:iam::111122223333:role/nodes',
        type: 'EC2_LINUX',
      },
    ]);
  });

  it('says that functions belong into the VPC of a cluster whose endpoint is private', async () => {
    const { call } = anEks(cluster({ resourcesVpcConfig: { endpointPublicAccess: false } }));

    expect(await grantAccess(call, wish)).toContain(
      "The cluster's endpoint is private: the functions must run in its VPC, in a security group that it lets in.",
    );
  });

  it('does not take a refusal for an entry that is missing', async () => {
    const denied = Object.assign(new Error('not yours'), { name: 'AccessDeniedException' });
    const call = typedCall(async (name) => {
      if (name === 'DescribeCluster') return { cluster: cluster() };
      throw denied;
    });

    await expect(grantAccess(call, wish)).rejects.toBe(denied);
  });

  it('makes nothing without being told to', async () => {
    const { call, made } = anEks(cluster());

    expect(await grantAccess(call, { ...wish, apply: false })).toHaveLength(2);
    expect(made).toEqual([]);
  });

  it('only tells what to do where the cluster says nothing of access entries', async () => {
    const { call, made } = anEks(cluster({ accessConfig: undefined }));

    expect((await grantAccess(call, wish)).join()).toContain('aws-auth');
    expect(made).toEqual([]);
  });
});

describe('what EKS says of a cluster', () => {
  const described = (difference: object) =>
    describeCluster(anEks(cluster(difference)).call, 'shop');

  it('is all that a node needs to join it', async () => {
    expect(await described({})).toMatchObject({
      endpoint: 'https://shop.eks',
      certificateAuthority: 'Q0E=',
      serviceCidr: '172.20.0.0/16',
      dnsAddress: '172.20.0.10',
      ipFamily: 'ipv4',
      kubernetesVersion: '1.33',
      isPublic: true,
    });
  });

  it('is of its IPv6 network where its pods are', async () => {
    const kubernetesNetworkConfig = { ipFamily: 'ipv6', serviceIpv6Cidr: 'fd30:1c53:5f8a::/108' };

    expect(await described({ kubernetesNetworkConfig })).toMatchObject({
      serviceCidr: 'fd30:1c53:5f8a::/108',
      dnsAddress: 'fd30:1c53:5f8a::a',
      ipFamily: 'ipv6',
    });
  });

  it('says that its endpoint is private', async () => {
    const resourcesVpcConfig = { endpointPublicAccess: false, endpointPrivateAccess: true };

    expect(await described({ resourcesVpcConfig })).toMatchObject({ isPublic: false });
  });

  it('is not enough while it is being made', async () => {
    await expect(described({ endpoint: undefined, status: 'CREATING' })).rejects.toThrow(
      'The EKS cluster shop is CREATING and has no endpoint to speak to yet',
    );
  });
});

/** Where the SDK itself looks for STS in a region. */
const stsOf = (Region: string): string =>
  String(
    new STSClient({ region: Region }).config.endpointProvider({
      Region,
      UseDualStack: false,
      UseFIPS: false,
      UseGlobalEndpoint: false,
    }).url,
  );

describe('partitions', () => {
  it.each([
    ['us-east-1', 'aws', 'us-east-1'],
    ['ap-southeast-2', 'aws', 'ap-south-1'],
    ['eu-north-1', 'aws', 'eu-central-1'],
    ['sa-east-1', 'aws', 'us-east-1'],
    ['cn-north-1', 'aws-cn', 'cn-northwest-1'],
    ['us-gov-west-1', 'aws-us-gov', undefined],
    ['us-iso-east-1', 'aws-iso', undefined],
    ['us-isob-east-1', 'aws-iso-b', undefined],
    ['eu-isoe-west-1', 'aws-iso-e', undefined],
    ['eusc-de-east-1', 'aws-eusc', undefined],
  ])('%s is in %s and asks for prices in %s', (region, name, priceListRegion) => {
    const { dnsSuffix, ...partition } = partitionOf(region);

    expect(partition).toEqual({ name, ...(priceListRegion && { priceListRegion }) });
    expect(dnsSuffix).toBe(new URL(stsOf(region)).hostname.replace(`sts.${region}.`, ''));
  });
});

it.each([
  ['10.100.0.0/16', '10.100.0.10'],
  ['fd30::/108', 'fd30::a'],
  ['nonsense', undefined],
])('the DNS service of %s is at %s', (cidr, address) => {
  expect(dnsAddressIn(cidr)).toBe(address);
});
