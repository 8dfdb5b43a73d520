import { describe, expect, it } from 'vitest';
import { createAccessEntry, findAccessEntries } from '#lib/aws/access-entries.ts';
import { type RawAwsCall, typedCall } from '#lib/aws/calls/call.ts';
import { PERMISSIONS } from '#lib/aws/permissions.ts';
import { POLICIES } from '#lib/aws/policies/policies.ts';
import { embeddedWith } from '#lib/cli/embedded.ts';
import { askEks } from '#lib/runtime/ask-eks.ts';
import { MINUTE, SECOND } from '#test/build/objects.ts';
import { anUnbegunWorld } from '#test/build/unbegun-world.ts';

const PLACE = {
  partition: 'aws',
  region: 'us-east-1',
  accountId: '111122223333',
  clusterName: 'demo',
  nodeRoleArn: 'arn:aws:iam::111122223333:role/nodes',
  hintQueueArn: 'arn:aws:sqs:us-east-1:111122223333:hints',
  eventBusArn: 'arn:aws:events:us-east-1:111122223333:event-bus/ops',
};
/** Every permission that the policies give, so that none can be forgotten here. */
const GRANTED = [
  ...new Set(
    Object.values(POLICIES).flatMap((group) => group(PLACE).flatMap(({ Action }) => Action)),
  ),
].sort();

const OPERATIONS: readonly (readonly [string, readonly string[]])[] = Object.entries(PERMISSIONS);
const needing = (permission: string) =>
  OPERATIONS.filter(([, needed]) => needed.includes(permission));

/** A cluster with everything switched on that calls AWS. */
const SWITCHED_ON = embeddedWith(
  {
    asksInstanceStatus: true,
    tagsNodes: true,
    zonalShiftArn: 'arn:aws:eks:us-east-1:111122223333:cluster/demo',
  },
  { eventBus: 'ops' },
);

const denied = (operation: string): Error =>
  Object.assign(new Error(`You are not authorized to perform ${operation}.`), {
    name: 'UnauthorizedOperation',
  });

/** A security group of another network, which its owner shares with ours. */
const SHARED: Readonly<Record<string, (answer: object) => unknown>> = {
  DescribeSecurityGroups: (answer) => ({
    SecurityGroups: Object(answer).SecurityGroups.map((group: object) => ({
      ...group,
      VpcId: 'vpc-2',
    })),
  }),
  DescribeSecurityGroupVpcAssociations: () => ({
    SecurityGroupVpcAssociations: [{ GroupId: 'sg-0nodes', VpcId: 'vpc-0embedded' }],
  }),
};

/** AWS that denies one operation. */
const deniedIn =
  (aws: RawAwsCall, operation: string, asked: Set<string>): RawAwsCall =>
  async (name, input) => {
    asked.add(name);
    if (name === operation) throw denied(operation);
    const answer = Object(await aws(name, input));
    return SHARED[name]?.(answer) ?? answer;
  };

/** An object that selects whatever can be selected. */
const selectingAll = (object: Readonly<Record<string, unknown>>) =>
  object.kind === 'EC2NodeClass'
    ? {
        ...object,
        spec: {
          ...Object(object.spec),
          capacityReservationSelectorTerms: [{ tags: { team: 'web' } }],
          placementGroupSelector: { name: 'rack' },
        },
      }
    : object;

/** Everything that a person could read in a cluster and a log where one operation is denied. */
async function toldWithout(operation: string): Promise<string> {
  const asked = new Set<string>();
  const { world, begin } = anUnbegunWorld({
    change: selectingAll,
    connect: (ports) => SWITCHED_ON({ ...ports, aws: deniedIn(ports.aws, operation, asked) }),
  });
  world.aws.makePlacementGroup({ name: 'rack', strategy: 'spread' });
  begin();
  const inflate = { kind: 'Deployment', name: 'inflate' } as const;
  world.scale(inflate, 2);
  if (!(await world.runUntil(() => asked.has(operation), 6 * MINUTE))) {
    world.scale(inflate, 0);
    world.kubernetes.remove('NodePool', '', 'default');
    world.kubernetes.remove('EC2NodeClass', '', 'default');
    await world.runUntil(() => asked.has(operation), 10 * MINUTE);
  }
  expect([...asked]).toContain(operation);
  await world.run(20 * SECOND);
  const objects = ['EC2NodeClass', 'Event', 'NodeClaim', 'NodePool'].flatMap((kind) =>
    world.kubernetes.list(kind),
  );
  return [...world.journal.entries, ...objects].map(asText).join('\n');
}

const asText = (told: unknown): string =>
  JSON.stringify(told, (_key, value) => (value instanceof Error ? value.message : value));

/** What is told where it is not a look that finds out: a start, or the installer. */
const OUTSIDE: Readonly<Record<string, (call: ReturnType<typeof typedCall>) => Promise<unknown>>> =
  {
    DescribeCluster: (call) => askEks(call, 'demo'),
    DescribeAccessEntry: (call) => findAccessEntries(call, 'demo', ['role']),
    CreateAccessEntry: (call) =>
      createAccessEntry(call, 'demo', {
        principalArn: 'role',
        type: 'STANDARD',
        kubernetesGroups: [],
      }),
  };

const told = new Map<string, Promise<string>>();
/** Told once for each operation, since several permissions are needed by one. */
function toldOf(operation: string): Promise<string> {
  const known = told.get(operation);
  if (known !== undefined) return known;
  const outside = OUTSIDE[operation];
  const call = typedCall(async (name) => {
    throw denied(name);
  });
  const telling =
    outside === undefined ? toldWithout(operation) : outside(call).then(String, String);
  told.set(operation, telling);
  return telling;
}

describe('a permission that is missing', () => {
  it.each(GRANTED)('is named to a person: %s', async (permission) => {
    expect(needing(permission)).not.toEqual([]);
    for (const [operation, needed] of needing(permission)) {
      expect(await toldOf(operation)).toContain(`(${operation} needs ${needed.join(', ')})`);
    }
  });

  it.each(OPERATIONS)('is named whatever calls for it: %s', async (operation, needed) => {
    expect(await toldOf(operation)).toContain(`(${operation} needs ${needed.join(', ')})`);
  });
});
