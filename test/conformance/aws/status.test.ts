/**
 * What Karpenter's AWS provider v1.14 writes into the status of an EC2NodeClass, restated. The
 * numbers are those of our list of its behaviours; upstream's own suites are controllers/nodeclass
 * and providers/amifamily, subnet, securitygroup, capacityreservation, placementgroup.
 */
import { describe, expect, it } from 'vitest';
import { deleteInstanceProfile, ensureInstanceProfile } from '#lib/aws/instance-profile.ts';
import { nodeClassFacts } from '#lib/aws/node-class-facts.ts';
import { nodeClassRemains } from '#lib/aws/node-class-remains.ts';
import { nodeClassActions } from '#lib/ec2/node-class/node-class-actions.ts';
import type { ResolvedPlacementGroup } from '#lib/model/node-class.ts';
import { inTime, settings } from '#test/build/aws-callers.ts';
import { anAccount } from '#test/build/embedded-aws.ts';
import { aNewClaim } from '#test/build/node-claims.ts';
import {
  aFoundImage,
  aWrittenNodeClass,
  resolving,
  someFacts,
  verdictOf,
} from '#test/build/node-class-facts.ts';
import { NOON } from '#test/build/objects.ts';
import { recordingCall } from '#test/build/recording-call.ts';
import { aReservation } from '#test/build/reserved.ts';
import { someSettings } from '#test/build/snapshots.ts';

type Spec = Readonly<Record<string, unknown>>;
const subnet = (id: string, freeAddresses: number) => ({
  id,
  zone: 'us-east-1a',
  zoneId: 'use1-az1',
  freeAddresses,
});

describe('subnets', () => {
  it('51: stand in order of their free addresses, equals in order of their ids', () => {
    const subnets = [subnet('a', 20), subnet('c', 100), subnet('b', 50), subnet('d', 50)];
    const { status } = resolving(aWrittenNodeClass(), { subnets });

    expect(status.subnets?.map(({ id }) => id)).toEqual(['c', 'b', 'd', 'a']);
  });

  it('52: tags of one term hold together, terms each for itself, ids all in one call', async () => {
    const { call, asked } = recordingCall({
      DescribeSubnets: (_input, at) => ({
        Subnets: [{ SubnetId: `subnet-${at}` }, { SubnetId: 'subnet-0' }],
        ...(at === 0 ? { NextToken: 'more' } : {}),
      }),
    });
    const { subnets } = await nodeClassFacts(
      call,
      aWrittenNodeClass({
        subnetSelectorTerms: [
          { tags: { a: '1', b: '*' } },
          { id: 'subnet-2' },
          { tags: { c: '3' } },
          { id: 'subnet-1' },
        ],
      }),
      settings,
    );

    expect(asked('DescribeSubnets').map((input) => Object(input).Filters)).toEqual([
      [{ Name: 'subnet-id', Values: ['subnet-1', 'subnet-2'] }],
      [
        { Name: 'tag:a', Values: ['1'] },
        { Name: 'tag-key', Values: ['b'] },
      ],
      [{ Name: 'tag:c', Values: ['3'] }],
      [{ Name: 'subnet-id', Values: ['subnet-1', 'subnet-2'] }],
    ]);
    expect(subnets).toMatchObject([0, 1, 2, 3].map((at) => ({ id: `subnet-${at}` })));
  });
});

describe('security groups', () => {
  const lookedUp = async (vpcOfGroup: string, associations: unknown) => {
    const { call, asked } = recordingCall({
      DescribeSubnets: () => ({ Subnets: [{ SubnetId: 'subnet-1', VpcId: 'vpc-1' }] }),
      DescribeSecurityGroups: () => ({ SecurityGroups: [{ GroupId: 'sg-1', VpcId: vpcOfGroup }] }),
      DescribeSecurityGroupVpcAssociations: () => associations,
    });
    const facts = await nodeClassFacts(call, aWrittenNodeClass(), settings);
    const { subnets, securityGroups } = facts;
    return {
      times: asked('DescribeSecurityGroupVpcAssociations').length,
      verdict: verdictOf(
        resolving(aWrittenNodeClass(), { subnets, securityGroups }),
        'ValidationSucceeded',
      ),
    };
  };

  it('are of another network only where they are not shared with the subnets’ either', async () => {
    const shared = {
      SecurityGroupVpcAssociations: [{ GroupId: 'sg-1', VpcId: 'vpc-1', State: 'associated' }],
    };
    const denied = Promise.reject(new Error('no'));

    expect(await lookedUp('vpc-1', {})).toMatchObject({
      times: 0,
      verdict: expect.stringMatching(/^True/),
    });
    expect((await lookedUp('vpc-2', {})).verdict).toMatch(/^False SecurityGroupSubnetVPCMismatch/);
    expect((await lookedUp('vpc-2', shared)).verdict).toMatch(/^True/);
    expect((await lookedUp('vpc-2', denied)).verdict).toMatch(/^True/);
  });
});

/** The images that a call finds for an alias whose parameters `exists` accepts. */
async function imagesOf(alias: string, exists: (path: string) => boolean) {
  const { call } = recordingCall({
    GetParameters: ({ Names = [] }) => ({
      Parameters: Names.filter(exists).map((Name) => ({ Name, Value: `ami-${Name}` })),
      InvalidParameters: Names.filter((name) => !exists(name)),
    }),
    DescribeImages: ({ Filters }) => ({
      Images: (Filters?.[0]?.Values ?? []).map((ImageId) => ({
        ImageId,
        Name: ImageId,
        Architecture: /arm64/.test(ImageId) ? 'arm64' : 'x86_64',
        CreationDate: '2026-11-01T00:00:00Z',
      })),
    }),
  });
  const nodeClass = aWrittenNodeClass({ amiSelectorTerms: [{ alias }] });
  const kubernetesVersion = alias.startsWith('windows2025') ? '1.35' : '1.32';
  const context = { settings: someSettings({ kubernetesVersion }) };
  const { images } = await nodeClassFacts(call, nodeClass, context.settings);
  return resolving(nodeClass, { images }, context);
}

describe('images', () => {
  const variantsOf = (resolution: Awaited<ReturnType<typeof imagesOf>>) =>
    (resolution.status.amis ?? [])
      .map(({ requirements }) =>
        requirements
          .map(({ key, operator, values }) =>
            `${key.split('/')[1]} ${operator} ${values ?? ''}`.trim(),
          )
          .join(', '),
      )
      .sort();
  const STANDARD = 'instance-gpu-count DoesNotExist, instance-accelerator-count DoesNotExist';
  const NVIDIA = 'instance-gpu-count Exists';
  const NEURON = 'instance-accelerator-count Exists';
  const forLinux = [
    `arch In amd64, ${NEURON}`,
    `arch In amd64, ${STANDARD}`,
    `arch In amd64, ${NVIDIA}`,
    `arch In arm64, ${STANDARD}`,
    `arch In arm64, ${NVIDIA}`,
  ].sort();

  it.each([
    ['al2023@latest', forLinux],
    ['al2023@v20261101', forLinux],
    ['bottlerocket@v1.46.0', forLinux],
    ['al2@latest', forLinux.filter((each) => each !== `arch In arm64, ${NVIDIA}`)],
    ['windows2022@latest', ['os In windows, arch In amd64, windows-build In 10.0.20348']],
    ['windows2025@latest', ['os In windows, arch In amd64, windows-build In 10.0.26100']],
  ])('53: %s gives an image to each kind of machine', async (alias, expected) => {
    expect(variantsOf(await imagesOf(alias, () => true))).toEqual(expected);
  });

  it('54: the one that resolves is there; on purpose otherwise: none is AMINotFound', async () => {
    const one = await imagesOf('al2023@latest', (path) => path.includes('arm64/standard'));
    const none = await imagesOf('al2023@latest', () => false);

    expect(variantsOf(one)).toEqual([`arch In arm64, ${STANDARD}`]);
    expect(verdictOf(one, 'AMIsReady')).toMatch(/^True/);
    expect(verdictOf(none, 'AMIsReady')).toBe(
      'False AMINotFound: AMISelector did not match any AMIs',
    );
  });

  const DEPRECATED = { deprecatedAt: NOON };
  it.each([
    ['one that is kept up', aFoundImage('a'), aFoundImage('b', { createdAt: 20, ...DEPRECATED })],
    [
      'the newer of two that are not kept up',
      aFoundImage('a', { createdAt: 20, ...DEPRECATED }),
      aFoundImage('b', DEPRECATED),
    ],
    ['the greater name of one date', aFoundImage('b'), aFoundImage('a')],
    [
      'the smaller id of one name',
      aFoundImage('a', { name: 'x' }),
      aFoundImage('b', { name: 'x' }),
    ],
  ])('56: takes %s', (_what, better, worse) => {
    const taken = (...images: (typeof better)[]) =>
      resolving(aWrittenNodeClass(), { images }).status.amis?.map(({ id }) => id);

    expect(taken(better, worse)).toEqual([better.id]);
    expect(taken(worse, better)).toEqual([better.id]);
  });

  it.each<[Spec, unknown]>([
    [{ name: 'x' }, ['self', 'amazon']],
    [{ tags: { a: 'b' } }, undefined],
    [{ name: 'x', owner: '111122223333' }, ['111122223333']],
    [{ tags: { a: 'b' }, owner: '111122223333' }, ['111122223333']],
    [{ id: 'ami-1' }, undefined],
  ])('57: %j asks for images of %j', async (term, owners) => {
    const { call, asked } = recordingCall({ DescribeImages: () => ({ Images: [] }) });
    const spec = { amiFamily: 'AL2023', amiSelectorTerms: [term] };
    await nodeClassFacts(call, aWrittenNodeClass(spec), settings);

    expect(asked('DescribeImages').map((input) => Object(input).Owners)).toEqual([owners]);
  });

  it('58: a parameter that is not there or names no image is skipped, a refusal is told', async () => {
    const spec = {
      amiFamily: 'Custom',
      amiSelectorTerms: ['/gone', '/odd', '/good'].map((ssmParameter) => ({ ssmParameter })),
    };
    const parameters = [
      { Name: '/odd', Value: 'no image' },
      { Name: '/good', Value: 'ami-1' },
    ];
    const { call, asked } = recordingCall({
      GetParameters: () => ({ Parameters: parameters, InvalidParameters: ['/gone'] }),
      DescribeImages: () => ({ Images: [] }),
    });
    await nodeClassFacts(call, aWrittenNodeClass(spec), settings);
    const denied = Object.assign(new Error('no'), { name: 'AccessDeniedException' });
    const refused = await nodeClassFacts(
      recordingCall({ GetParameters: () => Promise.reject(denied) }).call,
      aWrittenNodeClass(spec),
      settings,
    );

    expect(asked('DescribeImages')).toMatchObject([
      { Filters: [{ Name: 'image-id', Values: ['ami-1'] }, { Name: 'state' }] },
    ]);
    expect(verdictOf(resolving(aWrittenNodeClass(spec), refused), 'AMIsReady')).toBe(
      'Unknown ResolutionFailed: AccessDeniedException: no (GetParameters needs ssm:GetParameters)',
    );
  });

  it.each([
    ['al2@latest', '1.33', 'False UnsupportedAlias'],
    ['al2@latest', '1.32', 'True AMIsReady'],
    ['windows2025@latest', '1.34', 'False UnsupportedAlias'],
    ['windows2025@latest', '1.35', 'True AMIsReady'],
  ])('59: %s in Kubernetes %s: %s', (alias, kubernetesVersion, expected) => {
    const nodeClass = aWrittenNodeClass({ amiSelectorTerms: [{ alias }] });
    const context = { settings: someSettings({ kubernetesVersion }) };

    expect(verdictOf(resolving(nodeClass, {}, context), 'AMIsReady')).toContain(`${expected}:`);
  });
});

describe('capacity reservations and placement groups', () => {
  const { state: _, ...found } = aReservation();
  const selecting = aWrittenNodeClass({ capacityReservationSelectorTerms: [{ id: 'cr-1' }] });

  it('61: on purpose otherwise: there is no gate, and one that selects none has none', () => {
    const none = resolving(aWrittenNodeClass());

    expect(none.status.capacityReservations).toEqual([]);
    expect(verdictOf(none, 'CapacityReservationsReady')).toMatch(/^True/);
  });

  it.each([
    ['capacity-block', 41, ['active']],
    ['capacity-block', 40, ['expiring']],
    ['default', 1, ['active']],
    ['default', 0, []],
  ] as const)('%s that ends in %i minutes: %j', (reservationType, minutesLeft, states) => {
    const endsAt = NOON + minutesLeft * 60_000;
    const { status } = resolving(selecting, {
      capacityReservations: [{ ...found, reservationType, endsAt }],
    });

    expect(status.capacityReservations?.map(({ state }) => state)).toEqual(states);
  });

  it('asks for reservations by id together, else by owner, criteria and tags', async () => {
    const { call, asked } = recordingCall({
      DescribeCapacityReservations: () => ({ CapacityReservations: [] }),
    });
    const terms = [
      { id: 'cr-2' },
      { id: 'cr-1' },
      { ownerID: '111122223333', instanceMatchCriteria: 'open', tags: { a: 'b' } },
    ];
    await nodeClassFacts(
      call,
      aWrittenNodeClass({ capacityReservationSelectorTerms: terms }),
      settings,
    );
    const active = { Name: 'state', Values: ['active'] };

    expect(asked('DescribeCapacityReservations')).toEqual([
      { CapacityReservationIds: ['cr-1', 'cr-2'], Filters: [active] },
      {
        MaxResults: 1000,
        Filters: [
          { Name: 'owner-id', Values: ['111122223333'] },
          { Name: 'instance-match-criteria', Values: ['open'] },
          { Name: 'tag:a', Values: ['b'] },
          active,
        ],
      },
    ]);
  });

  it('asks one by one where one of several reservations is not there', async () => {
    const gone = Object.assign(new Error('no'), { name: 'InvalidCapacityReservationId.NotFound' });
    const { call } = recordingCall({
      DescribeCapacityReservations: ({ CapacityReservationIds: ids = [] }) =>
        ids.includes('cr-gone')
          ? Promise.reject(gone)
          : {
              CapacityReservations: ids.map((CapacityReservationId) => ({
                CapacityReservationId,
                InstanceType: 'm5.large',
                AvailabilityZone: 'us-east-1a',
                OwnerId: '111122223333',
                InstanceMatchCriteria: 'targeted',
                AvailableInstanceCount: 3,
              })),
            },
    });
    const terms = [{ id: 'cr-gone' }, { id: 'cr-1' }];
    const { capacityReservations } = await nodeClassFacts(
      call,
      aWrittenNodeClass({ capacityReservationSelectorTerms: terms }),
      settings,
    );

    expect(capacityReservations).toMatchObject([{ id: 'cr-1', availableInstances: 3 }]);
  });

  it.each([
    [{ name: 'pg-my-name' }, { GroupNames: ['pg-my-name'] }],
    [{ id: 'pg-1' }, { GroupIds: ['pg-1'] }],
  ])('35: the placement group %j is looked up by %j', async (placementGroupSelector, input) => {
    const { call, asked } = recordingCall({
      DescribePlacementGroups: () => ({
        PlacementGroups: [
          { GroupId: 'pg-1', GroupName: 'a', Strategy: 'partition', PartitionCount: 3 },
        ],
      }),
    });
    const nodeClass = aWrittenNodeClass({ placementGroupSelector });
    const facts = await nodeClassFacts(call, nodeClass, settings);

    expect(asked('DescribePlacementGroups')).toMatchObject([input]);
    expect(resolving(nodeClass, facts).placementGroup).toEqual({
      id: 'pg-1',
      name: 'a',
      strategy: 'partition',
      partitions: 3,
    });
  });

  it('a placement group that is not there, or was not told, keeps a NodeClass from being ready', () => {
    const nodeClass = aWrittenNodeClass({ placementGroupSelector: { name: 'a' } });
    const judged = (placementGroups: readonly ResolvedPlacementGroup[] | { failed: string }) =>
      resolving(nodeClass, { placementGroups });

    expect(verdictOf(judged([]), 'PlacementGroupReady')).toBe(
      'False PlacementGroupNotFound: There is no available placement group a',
    );
    expect(verdictOf(judged({ failed: 'slow' }), 'PlacementGroupReady')).toBe(
      'False PlacementGroupResolutionFailed: slow',
    );
    expect(verdictOf(judged([]), 'ValidationSucceeded')).toContain('DependenciesNotReady');
    expect(verdictOf(resolving(aWrittenNodeClass()), 'PlacementGroupReady')).toMatch(/^True/);
  });
});

describe('instance profiles', () => {
  const wanted = { profile: 'demo_x', path: '/karpenter/', role: 'nodes', tags: {} };
  const FINALIZER = 'karpenter.k8s.aws/termination';
  const going = aWrittenNodeClass(
    {},
    { deletionTimestamp: '2026-11-20T12:00:00Z', finalizers: [FINALIZER] },
  );
  const context = { claims: [], unreadClaims: [], settings, now: NOON };

  it('64: on purpose otherwise: one whose role could not be attached stays and is finished', async () => {
    const bench = anAccount();
    bench.aws.failNext({ name: 'AddRoleToInstanceProfile', code: 'NoSuchEntity', times: 1 });
    const ensure = () => inTime(bench, (call) => ensureInstanceProfile(call, wanted));

    await expect(ensure()).rejects.toThrow();
    await ensure();
    expect(bench.aws.calls()).toMatchObject({ CreateInstanceProfile: 1 });
  });

  it('65: stays while a NodeClaim needs it, then until nothing of it is left', async () => {
    const bench = anAccount();
    const path = `/karpenter/us-east-1/demo/${going.meta.uid}/`;
    const templates = {
      'eks:eks-cluster-name': 'demo',
      'karpenter.k8s.aws/ec2nodeclass': 'default',
    };
    await bench.ask('CreateInstanceProfile', { InstanceProfileName: 'old', Path: path });
    await bench.ask('AddRoleToInstanceProfile', { InstanceProfileName: 'old', RoleName: 'a' });
    await bench.ask('CreateLaunchTemplate', {
      LaunchTemplateName: 'left',
      LaunchTemplateData: {},
      TagSpecifications: [
        {
          ResourceType: 'launch-template',
          Tags: Object.entries(templates).map(([Key, Value]) => ({ Key, Value })),
        },
      ],
    });
    const remains = () => inTime(bench, (call) => nodeClassRemains(call, going, settings));
    const next = async () => nodeClassActions(going, { ...context, remains: await remains() });

    expect(nodeClassActions(going, { ...context, claims: [aNewClaim()] })).toMatchObject([
      { kind: 'recordEvent', reason: 'WaitingOnNodeClaimTermination' },
    ]);
    expect(await next()).toMatchObject([
      { kind: 'deleteInstanceProfile', profile: 'old', roles: ['a'] },
      { kind: 'deleteLaunchTemplate', name: 'left' },
    ]);
    await inTime(bench, (call) => deleteInstanceProfile(call, { profile: 'old', roles: ['a'] }));
    expect(await next()).toMatchObject([{ kind: 'deleteLaunchTemplate' }]);
    await bench.ask('DeleteLaunchTemplate', { LaunchTemplateName: 'left' });
    expect(await next()).toMatchObject([{ kind: 'update', meta: { finalizers: [] } }]);
  });

  it('66: one that a status or a NodeClaim names, or that is young, is kept; others go', () => {
    const aProfile = (name: string, createdAt = 0) => ({ name, roles: ['node-role'], createdAt });
    const annotations = { 'karpenter.k8s.aws/instance-profile-name': 'used' };
    const found = ['test_profile', 'used', 'old'].map((name) => aProfile(name));
    const actions = nodeClassActions(
      {
        ...aWrittenNodeClass(),
        status: { ...aWrittenNodeClass().status, instanceProfile: 'test_profile' },
      },
      {
        ...context,
        facts: someFacts({ instanceProfiles: [...found, aProfile('young', NOON - 1)] }),
        claims: [aNewClaim({ meta: { annotations } })],
      },
    );

    expect(actions.filter(({ kind }) => kind === 'deleteInstanceProfile')).toMatchObject([
      { profile: 'old' },
    ]);
  });

  it('66: another cluster’s path is not even looked at', async () => {
    const { call, asked } = recordingCall({
      ListInstanceProfiles: () => ({ InstanceProfiles: [] }),
    });
    await nodeClassFacts(call, aWrittenNodeClass(), settings);

    expect(asked('ListInstanceProfiles')).toEqual([
      { PathPrefix: '/karpenter/us-east-1/demo/uid-of-default/' },
    ]);
  });
});
