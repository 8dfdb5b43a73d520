import {
  CreateTagsCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  EC2Client,
} from '@aws-sdk/client-ec2';
import { CreateRoleCommand, IAMClient } from '@aws-sdk/client-iam';
import { inject } from 'vitest';
import { type AwsCall, typedCall } from '#lib/aws/calls/call.ts';
import { sdkCall } from '#lib/aws/calls/sdk-call.ts';
import { isRejection } from '#lib/constraints/rejection.ts';
import { launchOf } from '#lib/ec2/launch/launch.ts';
import type { Launch } from '#lib/model/launch.ts';
import type { NodeClaim } from '#lib/model/node-claim.ts';
import type { NodeClass } from '#lib/model/node-class.ts';
import { resolved, settings } from '#test/build/aws-callers.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { aNewClaim } from '#test/build/node-claims.ts';

export const REGION = 'us-east-1';
const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'];
const PRICES = { 'm5.large': 0.096, 'c5.large': 0.085, 'r5.large': 0.126 };

/** What goes wrong at the emulator's next calls; see the head of emulator.py. */
export interface Fault {
  readonly action: string;
  readonly kind: 'refuse' | 'hang' | 'garble';
  readonly code?: string;
  readonly status?: number;
  readonly message?: string;
  readonly times: number;
  readonly seconds?: number;
}

/** Pools that the emulator does not sell from: capacity type, type, zone, * for any. */
export type Pools = readonly (readonly [capacityType: string, type: string, zone: string])[];

/** Tells the emulator what it sells and what goes wrong; says how often it was called. */
export async function tell(
  said: { readonly soldOut?: Pools; readonly faults?: readonly Fault[] } = {},
): Promise<Readonly<Record<string, number>>> {
  const answer = await fetch(`${inject('endpoint')}/__emulator`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ prices: PRICES, ...said }),
  });
  const counts: Readonly<Record<string, number>> = Object(await answer.json());
  return counts;
}

/** The adapter over HTTP, through the SDK as in production but for its patience. */
export const aCall = (patienceMs = 1_500): AwsCall =>
  typedCall(sdkCall({ region: REGION, endpoint: inject('endpoint'), patienceMs }));

/** Marks the account's network as the cluster's and makes its node role. Done twice it is done. */
export async function prepareAccount(): Promise<void> {
  const place = { region: REGION, endpoint: inject('endpoint') };
  const ec2 = new EC2Client(place);
  const { Subnets = [] } = await ec2.send(new DescribeSubnetsCommand({}));
  const { SecurityGroups = [] } = await ec2.send(
    new DescribeSecurityGroupsCommand({ Filters: [{ Name: 'group-name', Values: ['default'] }] }),
  );
  const ids = [
    ...Subnets.filter(({ AvailabilityZone = '' }) => ZONES.includes(AvailabilityZone)).map(
      ({ SubnetId }) => SubnetId ?? '',
    ),
    ...SecurityGroups.map(({ GroupId }) => GroupId ?? ''),
  ];
  const Tags = [{ Key: 'karpenter.sh/discovery', Value: settings.clusterName }];
  await ec2.send(new CreateTagsCommand({ Resources: ids, Tags }));
  const role = { RoleName: 'node-role', AssumeRolePolicyDocument: '{}' };
  await new IAMClient(place).send(new CreateRoleCommand(role)).catch(() => undefined);
}

let nodeClass: NodeClass | undefined;
let launches = 0;

/** The EC2NodeClass, resolved against the emulator once. */
export async function theNodeClass(call: AwsCall): Promise<NodeClass> {
  nodeClass ??= await resolved(call);
  return nodeClass;
}

/** A launch of `count` new NodeClaims, of a group of its own. */
export async function aLaunchOf(
  count: number,
  requirements: NodeClaim['spec']['requirements'] = [],
): Promise<Launch> {
  launches += 1;
  const group = `group-${launches}`;
  const claims = Array.from({ length: count }, (_, at) =>
    aNewClaim({
      meta: {
        name: `${group}-${at}`,
        uid: `${group}-${at}`,
        annotations: { 'joinery.dev/launch-group': `${group}/${count}` },
      },
      spec: { requirements },
    }),
  );
  const types = Object.entries(PRICES).map(([name, usdPerHour]) =>
    anInstanceType(name, { zones: ZONES, usdPerHour }),
  );
  const context = { catalog: aCatalog(types), settings, attempt: 0 };
  const launch = launchOf(claims, undefined, await theNodeClass(aCall()), context);
  if (isRejection(launch)) throw new Error(launch.because);
  return launch;
}
