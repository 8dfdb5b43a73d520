import { describe, expect, it } from 'vitest';
import { PERMISSIONS } from '#lib/aws/permissions.ts';
import { POLICIES, POLICIES_OF, type PolicyName } from '#lib/aws/policies/policies.ts';
import type { PolicyPlace, Statement } from '#lib/aws/policies/statement.ts';

const PLACE: PolicyPlace = {
  partition: 'aws',
  region: 'eu-west-1',
  accountId: '111122223333',
  clusterName: 'shop',
  nodeRoleArn: 'arn:aws:iam::111122223333:role/nodes',
  hintQueueArn: 'arn:aws:sqs:eu-west-1:111122223333:hints',
  eventBusArn: 'arn:aws:events:eu-west-1:111122223333:event-bus/ops',
};

const statementsOf = (names: readonly PolicyName[]): readonly Statement[] =>
  names.flatMap((name) => POLICIES[name](PLACE));
const everyGroup = Object.keys(POLICIES).filter((name): name is PolicyName => name in POLICIES);
const ALL = statementsOf(everyGroup);
const actionsOf = (statements: readonly Statement[]) =>
  new Set(statements.flatMap(({ Action }) => Action));

/** What the person who installs Joinery does, with credentials of their own. */
const INSTALLING = ['CreateAccessEntry', 'DescribeAccessEntry'];
const USED = Object.entries(PERMISSIONS).filter(([operation]) => !INSTALLING.includes(operation));

/** What makes or ends something, and so must be bound to the cluster's tags. */
const CHANGES = ALL.filter(({ Action }) =>
  Action.some((action) =>
    /:(Terminate|Delete|Create(Tags|LaunchTemplate|InstanceProfile)|AddRole|RemoveRole|TagInst)/.test(
      action,
    ),
  ),
);

describe('POLICIES', () => {
  it.each(USED)('permit all that %s needs', (_operation, actions) => {
    expect([...actionsOf(ALL)]).toEqual(expect.arrayContaining([...actions]));
  });

  it('permit nothing that no operation needs', () => {
    const needed = new Set<string>(USED.flatMap(([, actions]) => actions));

    expect([...actionsOf(ALL)].filter((action) => !needed.has(action))).toEqual([]);
  });

  it('name no action with a wildcard, and each statement once', () => {
    expect([...actionsOf(ALL)].filter((action) => action.includes('*'))).toEqual([]);
    expect(new Set(ALL.map(({ Sid }) => Sid)).size).toBe(ALL.length);
  });

  it('give every function all that the others are given where it does the same', () => {
    expect(POLICIES_OF.admit).toEqual(['hints']);
    expect(actionsOf(statementsOf(POLICIES_OF.consolidate))).not.toContain('ec2:CreateFleet');
    expect(actionsOf(statementsOf(POLICIES_OF.drift))).not.toContain('ec2:TerminateInstances');
  });
});

describe("another cluster's machines", () => {
  it.each(CHANGES.map((each) => [each.Sid, each] as const))(
    'are out of reach of %s',
    (_sid, { Condition = {} }) => {
      const equal = Condition.StringEquals ?? {};
      const like = Object.keys(Condition.StringLike ?? {});

      expect(
        ['RequestTag', 'ResourceTag'].map((tag) => equal[`aws:${tag}/eks:eks-cluster-name`]),
      ).toContain('shop');
      expect(
        like.some((key) => /\/karpenter\.(sh\/nodepool|k8s\.aws\/ec2nodeclass)$/.test(key)),
      ).toBe(true);
    },
  );

  it('cannot be tagged as ours afterwards', () => {
    const later = ALL.find(({ Sid }) => Sid === 'NameOurInstances');

    expect(later?.Condition).toMatchObject({
      StringEquals: { 'aws:ResourceTag/eks:eks-cluster-name': 'shop' },
      'ForAllValues:StringEquals': {
        'aws:TagKeys': ['karpenter.sh/nodeclaim', 'Name'],
      },
    });
  });

  it('are seen in one region only, whatever is described', () => {
    const describing = ALL.find(({ Sid }) => Sid === 'DescribeTheRegion');

    expect(describing?.Condition).toEqual({
      StringEquals: { 'aws:RequestedRegion': 'eu-west-1' },
    });
  });
});
