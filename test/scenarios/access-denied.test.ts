import { describe, expect, it } from 'vitest';
import { PERMISSIONS } from '#lib/aws/permissions.ts';
import { manifestsOf } from '#lib/cli/stories/command.ts';
import { inflate } from '#lib/cli/stories/inflate.ts';
import { setStage } from '#lib/cli/stories/stage.ts';

/** What is called only once nodes go, or NodeClasses. */
const WHEN_LEAVING = new Set([
  'DeleteInstanceProfile',
  'DeleteLaunchTemplate',
  'RemoveRoleFromInstanceProfile',
  'TerminateInstances',
]);
/** What a plain cluster never calls: settings and NodeClasses ask for it, or the installer does. */
const NEVER = new Set([
  'CreateAccessEntry',
  'CreateTags',
  'DescribeAccessEntry',
  'DescribeCapacityReservations',
  'DescribeCluster',
  'DescribePlacementGroups',
  'DescribeSecurityGroupVpcAssociations',
  'GetManagedResource',
  'PutEvents',
]);

/** Everything that a person could read in a cluster and a log where one operation is denied. */
async function toldWithout(operation: string): Promise<string> {
  const told: string[] = [];
  const stage = setStage({
    seed: 1,
    region: inflate.region,
    manifests: manifestsOf(inflate),
    listen: ({ text, fields }) => told.push(text, JSON.stringify(fields ?? {})),
  });
  const { world } = stage;
  world.aws.failNext({ name: operation, code: 'UnauthorizedOperation', times: 9_999 });
  await stage.setUp();
  stage.deploy();
  stage.scale('inflate', 2);
  await stage.pass(45_000);
  if (WHEN_LEAVING.has(operation)) {
    stage.scale('inflate', 0);
    stage.remove('NodePool', 'default');
    stage.remove('EC2NodeClass', 'default');
    await stage.pass(120_000);
  }
  expect(world.calls()[operation]).toBeGreaterThan(0);
  const objects = ['EC2NodeClass', 'Event', 'NodeClaim', 'NodePool'].flatMap((kind) => {
    return world.kubernetes.list(kind);
  });
  return [...told, ...objects.map((each) => JSON.stringify(each))].join('\n');
}

describe('a permission that is missing', () => {
  it.each(Object.entries(PERMISSIONS).filter(([operation]) => !NEVER.has(operation)))(
    'is named to a person where %s is denied',
    async (operation, needed) => {
      expect(await toldWithout(operation)).toContain(`(${operation} needs ${needed.join(', ')})`);
    },
  );
});
