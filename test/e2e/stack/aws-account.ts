import {
  CreateTagsCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  EC2Client,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { CreateClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import { CreateRoleCommand, IAMClient } from '@aws-sdk/client-iam';
import { embeddedTable } from '#lib/aws/embedded-table.ts';
import { SERVICE_CIDR } from './control-plane.ts';

/** The emulator as an account with a cluster in it. */
export interface AwsAccount {
  readonly endpoint: string;
  readonly region: string;
  /** USD an hour on demand, by type; spot costs SPOT_SHARE of it. */
  readonly prices: ReadonlyMap<string, number>;
  /** Says which pools (capacity type, type, zone, * for any) are sold out from now on. */
  readonly sellsNot: (pools: readonly (readonly [string, string, string])[]) => Promise<void>;
  /** Ends an instance, as a person in the console does. */
  readonly terminate: (instanceId: string) => Promise<void>;
  /** Calls by action since the account was made. */
  readonly calls: () => Promise<Readonly<Record<string, number>>>;
}

/** The emulator's own rule. */
export const SPOT_SHARE = 0.3;
/** Of the cluster and of the tags that its NodeClasses select by. */
export const CLUSTER_NAME = 'demo';
const ZONES = ['a', 'b', 'c'];
const NODE_ROLE = 'KarpenterNodeRole-demo';

/** Makes in the emulator what a cluster needs: network, role, prices, EKS's word of it. */
export async function makeAccount(endpoint: string, region: string): Promise<AwsAccount> {
  const table = embeddedTable(region);
  if (table === undefined) throw new Error(`expected an embedded region, found ${region}`);
  const prices = new Map(
    table.types.map(({ facts, onDemandUsdPerHour }) => [facts.name, onDemandUsdPerHour]),
  );
  const say = async (said: object): Promise<Readonly<Record<string, number>>> => {
    const answer = await fetch(`${endpoint}/__emulator`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(said),
    });
    return Object(await answer.json());
  };
  const before = await say({ prices: Object.fromEntries(prices), soldOut: [], faults: [] });
  const place = {
    region,
    endpoint,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  };
  await Promise.all([tagNetwork(place), makeRole(place), makeCluster(place)]);
  return {
    endpoint,
    region,
    prices,
    sellsNot: async (soldOut) => {
      await say({ soldOut });
    },
    terminate: async (instanceId) => {
      await new EC2Client(place).send(new TerminateInstancesCommand({ InstanceIds: [instanceId] }));
    },
    calls: async () =>
      Object.fromEntries(
        Object.entries(await say({})).map(([name, times]) => [name, times - (before[name] ?? 0)]),
      ),
  };
}

interface Place {
  readonly region: string;
  readonly endpoint: string;
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

async function tagNetwork(place: Place): Promise<void> {
  const ec2 = new EC2Client(place);
  const { Subnets = [] } = await ec2.send(new DescribeSubnetsCommand({}));
  const { SecurityGroups = [] } = await ec2.send(
    new DescribeSecurityGroupsCommand({ Filters: [{ Name: 'group-name', Values: ['default'] }] }),
  );
  const inZones = Subnets.filter(({ AvailabilityZone = '' }) =>
    ZONES.some((letter) => AvailabilityZone === `${place.region}${letter}`),
  );
  const Resources = [
    ...inZones.map(({ SubnetId = '' }) => SubnetId),
    ...SecurityGroups.map(({ GroupId = '' }) => GroupId),
  ];
  const Tags = [{ Key: 'karpenter.sh/discovery', Value: CLUSTER_NAME }];
  await ec2.send(new CreateTagsCommand({ Resources, Tags }));
}

async function makeRole(place: Place): Promise<void> {
  const role = { RoleName: NODE_ROLE, AssumeRolePolicyDocument: '{}' };
  await new IAMClient(place).send(new CreateRoleCommand(role));
}

async function makeCluster(place: Place): Promise<void> {
  await new EKSClient(place).send(
    new CreateClusterCommand({
      name: CLUSTER_NAME,
      version: '1.33',
      roleArn: 'arn:aws:iam::123456789012:role/cluster',
      resourcesVpcConfig: {},
      kubernetesNetworkConfig: { serviceIpv4Cidr: SERVICE_CIDR },
    }),
  );
}
