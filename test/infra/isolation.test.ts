import { describe, expect, it } from 'vitest';
import { type IamRequest, isAllowed } from '#test/build/iam.ts';
import { joineryStack, resourcesOf } from '#test/build/joinery-stack.ts';

const REGION = 'eu-west-1';
const ACCOUNT = '111122223333';
const PSEUDO: Readonly<Record<string, string>> = {
  'AWS::Partition': 'aws',
  'AWS::Region': REGION,
  'AWS::AccountId': ACCOUNT,
  'AWS::StackName': 'shop',
};

const { template } = joineryStack({
  nodeRoleName: 'nodes',
  settings: { JOINERY_EVENT_BUS: 'ops' },
  vpc: { subnetIds: ['subnet-0123456789abcdef0'], securityGroupIds: ['sg-0123456789abcdef0'] },
});

/** A template's value with what CloudFormation fills in. */
function filled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(filled);
  if (typeof value !== 'object' || value === null) return value;
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': joined } = Object(value);
  if (Ref) return PSEUDO[Ref] ?? Ref;
  if (attribute) return `arn:aws:stack:${REGION}:${ACCOUNT}:${attribute[0]}`;
  if (joined) return joined[1].map(filled).join(joined[0]);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, filled(each)]));
}

const policies = new Map(
  resourcesOf(template, 'AWS::IAM::ManagedPolicy').map(([name, { PolicyDocument }]) => [
    name,
    Object(filled(PolicyDocument)).Statement,
  ]),
);

/** Everything that the roles of functions and schedules may do, whichever of them. */
const statements = resourcesOf(template, 'AWS::IAM::Role').flatMap(([, role]) => {
  const managed = [role.ManagedPolicyArns ?? []].flat().flatMap((arn) => {
    return policies.get(String(filled(arn))) ?? [];
  });
  const inline = [role.Policies ?? []].flat().flatMap((each) => {
    return Object(filled(each)).PolicyDocument.Statement;
  });
  return [...managed, ...inline];
});
const asked = [...new Set<string>(statements.flatMap(({ Action }) => Action))].toSorted();
const READS = /:(Describe|List|Get|ReceiveMessage)/;

const tags = (subject: 'ResourceTag' | 'RequestTag', of: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(of).map(([key, value]) => [`aws:${subject}/${key}`, value]));
const tagsOf = (cluster: string) => ({
  'eks:eks-cluster-name': cluster,
  [`kubernetes.io/cluster/${cluster}`]: 'owned',
  'karpenter.sh/nodepool': 'default',
  'karpenter.k8s.aws/ec2nodeclass': 'default',
  'topology.kubernetes.io/region': REGION,
});
const ours = tagsOf('shop');

/** Machines that are not ours, by what is known of them. */
const STRANGERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "another cluster's": tagsOf('till'),
  "a cluster's whose name ours begins": tagsOf('shop-2'),
  "a managed node group's of our cluster": { 'eks:eks-cluster-name': 'shop' },
  'with no tags': {},
};

const ec2 = (type: string) => `arn:aws:ec2:${REGION}:${ACCOUNT}:${type}/x-0123`;
const profile = `arn:aws:iam::${ACCOUNT}:instance-profile/till_1`;
const claimed = {
  ...tags('RequestTag', ours),
  'aws:TagKeys': Object.keys(ours),
  'ec2:CreateAction': 'RunInstances',
};

/** On whose things of which kinds each action that changes something could be tried. */
const THINGS: Readonly<Record<string, readonly string[]>> = {
  'ec2:TerminateInstances': [ec2('instance')],
  'ec2:DeleteLaunchTemplate': [ec2('launch-template')],
  'ec2:RunInstances': [ec2('launch-template')],
  'ec2:CreateFleet': [ec2('launch-template')],
  'iam:AddRoleToInstanceProfile': [profile],
  'iam:RemoveRoleFromInstanceProfile': [profile],
  'iam:DeleteInstanceProfile': [profile],
  'iam:TagInstanceProfile': [profile],
};

/** Calls of a function's code bear its ARN; Lambda's own in its name do not. */
const BY_CODE = {
  'lambda:SourceFunctionArn': `arn:aws:lambda:${REGION}:${ACCOUNT}:function:shop-provision`,
};
const may = ({ context, ...request }: IamRequest): boolean =>
  isAllowed(statements, { ...request, context: { ...context, ...BY_CODE } });

describe('what the template allows its functions', () => {
  it('is this and no more that changes anything', () => {
    expect(asked.filter((action) => !READS.test(action))).toEqual([
      'ec2:AssignPrivateIpAddresses',
      'ec2:CreateFleet',
      'ec2:CreateLaunchTemplate',
      'ec2:CreateNetworkInterface',
      'ec2:CreateTags',
      'ec2:DeleteLaunchTemplate',
      'ec2:DeleteNetworkInterface',
      'ec2:RunInstances',
      'ec2:TerminateInstances',
      'ec2:UnassignPrivateIpAddresses',
      'events:PutEvents',
      'iam:AddRoleToInstanceProfile',
      'iam:CreateInstanceProfile',
      'iam:DeleteInstanceProfile',
      'iam:PassRole',
      'iam:RemoveRoleFromInstanceProfile',
      'iam:TagInstanceProfile',
      'lambda:InvokeFunction',
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      'sqs:DeleteMessage',
      'sqs:SendMessage',
    ]);
  });

  it('takes every policy from this stack, none of which says more than it needs', () => {
    const managed = resourcesOf(template, 'AWS::IAM::Role').flatMap(([, role]) =>
      [role.ManagedPolicyArns ?? []].flat().map((arn) => String(filled(arn))),
    );

    expect(managed.length).toBeGreaterThan(10);
    expect(managed.filter((arn) => !policies.has(arn))).toEqual([]);
  });

  it.each([
    'ec2:CreateNetworkInterface',
    'ec2:DeleteNetworkInterface',
    'ec2:AssignPrivateIpAddresses',
    'ec2:UnassignPrivateIpAddresses',
  ])('%s is for Lambda, which runs functions in a VPC, and not for their code', (action) => {
    const request = { action, resource: ec2('network-interface') };

    expect(isAllowed(statements, request)).toBe(true);
    expect(may({ ...request, context: tags('ResourceTag', ours) })).toBe(false);
  });

  it.each([
    ['a name', 'ops', `arn:aws:events:${REGION}:${ACCOUNT}:event-bus/ops`],
    ['an ARN', 'arn:aws:events:eu-west-1:444455556666:event-bus/all', undefined],
  ])('tells decisions to the bus of %s and to no other', (_how, bus, arn = bus) => {
    const { template: made } = joineryStack({ settings: { JOINERY_EVENT_BUS: bus } });
    const telling = resourcesOf(made, 'AWS::IAM::ManagedPolicy')
      .flatMap(([, { PolicyDocument }]) => Object(filled(PolicyDocument)).Statement)
      .filter(({ Action }) => Action.includes('events:PutEvents'));

    expect(telling.map(({ Resource }) => Resource)).toEqual([[arn]]);
    const silent = JSON.stringify(joineryStack().template.findResources('AWS::IAM::ManagedPolicy'));
    expect(silent).not.toContain('events:PutEvents');
  });

  const cases = Object.entries(THINGS).flatMap(([action, resources]) =>
    resources.map((resource) => [action, resource] as const),
  );

  it.each(cases)('%s reaches what is ours on %s', (action, resource) => {
    const context = { ...tags('ResourceTag', ours), ...tags('RequestTag', ours) };
    expect(may({ action, resource, context })).toBe(true);
  });

  it.each(cases)("%s reaches nobody else's on %s", (action, resource) => {
    for (const [whose, theirs] of Object.entries(STRANGERS)) {
      // A request tag says nothing of what is there: a launch template is read, not made.
      const asking = resource.includes('launch-template') ? {} : claimed;
      const context = { ...tags('ResourceTag', theirs), ...asking };
      expect([whose, may({ action, resource, context })]).toEqual([whose, false]);
    }
  });

  it.each(Object.entries(STRANGERS))('tags no instance %s as ours', (_whose, theirs) => {
    for (const keys of [Object.keys(ours), ['Name'], ['karpenter.sh/nodeclaim', 'Name']]) {
      const context = { ...tags('ResourceTag', theirs), 'aws:TagKeys': keys };
      expect(may({ action: 'ec2:CreateTags', resource: ec2('instance'), context })).toBe(false);
    }
  });

  it("tags its own later with a Node's names and nothing else", () => {
    const named = (keys: readonly string[]) =>
      may({
        action: 'ec2:CreateTags',
        resource: ec2('instance'),
        context: { ...tags('ResourceTag', ours), 'aws:TagKeys': keys },
      });

    expect(named(['Name', 'karpenter.sh/nodeclaim'])).toBe(true);
    expect(named(['eks:eks-cluster-name'])).toBe(false);
  });

  it.each(['instance', 'volume', 'network-interface', 'fleet', 'launch-template'])(
    'makes no %s that is not tagged as ours from its first moment',
    (type) => {
      const made = (wanted: Readonly<Record<string, string>>) =>
        ['ec2:RunInstances', 'ec2:CreateFleet', 'ec2:CreateLaunchTemplate'].map((action) =>
          may({ action, resource: ec2(type), context: tags('RequestTag', wanted) }),
        );

      expect(made(ours)).toEqual([true, true, true]);
      for (const theirs of Object.values(STRANGERS)) {
        expect(made(theirs)).toEqual([false, false, false]);
      }
    },
  );

  it('makes no instance profile in another cluster’s name', () => {
    const context = tags('RequestTag', tagsOf('till'));

    expect(may({ action: 'iam:CreateInstanceProfile', resource: profile, context })).toBe(false);
  });

  it('passes the node role to EC2 and no other role to nobody', () => {
    const passed = (role: string, service: string) =>
      may({
        action: 'iam:PassRole',
        resource: `arn:aws:iam::${ACCOUNT}:role/${role}`,
        context: { 'iam:PassedToService': service },
      });

    expect(passed('nodes', 'ec2.amazonaws.com')).toBe(true);
    expect(passed('nodes', 'lambda.amazonaws.com')).toBe(false);
    expect(passed('admin', 'ec2.amazonaws.com')).toBe(false);
  });

  it.each([
    'sqs:SendMessage',
    'sqs:DeleteMessage',
    'lambda:InvokeFunction',
    'logs:PutLogEvents',
    'events:PutEvents',
  ])('names its own things for %s', (action) => {
    const resource = `arn:aws:${action.split(':')[0]}:${REGION}:${ACCOUNT}:other`;
    expect(may({ action, resource })).toBe(false);
  });
});
