import { describe, expect, it } from 'vitest';
import { PERMISSIONS } from '#lib/aws/permissions.ts';
import { amazonImages } from '#lib/sim/aws/images.ts';
import { anAccount, newestImage, START } from '#test/build/embedded-aws.ts';

const DAY_MS = 86_400_000;

describe('the embedded account', () => {
  it.each(Object.keys(PERMISSIONS))('knows the operation %s', async (name) => {
    const { ask } = anAccount();

    await expect(ask(name, {}).catch((error: Error) => error.name)).resolves.not.toBe(
      'InvalidAction',
    );
  });

  it('finds subnets and security groups by their tags', async () => {
    const { ask } = anAccount();
    const byTag = { Filters: [{ Name: 'tag:karpenter.sh/discovery', Values: ['demo'] }] };

    expect(await ask('DescribeSubnets', byTag)).toMatchObject({
      Subnets: [
        {
          SubnetId: 'subnet-0use1az1',
          AvailabilityZone: 'us-east-1a',
          AvailabilityZoneId: 'use1-az1',
        },
        { SubnetId: 'subnet-0use1az2', AvailabilityZone: 'us-east-1b' },
      ],
    });
    expect(await ask('DescribeSecurityGroups', byTag)).toMatchObject({
      SecurityGroups: [{ GroupId: 'sg-0nodes', GroupName: 'nodes' }],
    });
    expect(
      await ask('DescribeSubnets', { Filters: [{ Name: 'tag-key', Values: ['nobody'] }] }),
    ).toEqual({ Subnets: [] });
  });

  it('describes the image that the recommended parameter names, of the right architecture', async () => {
    const bench = anAccount();
    const id = await newestImage(bench, 'arm64');
    const { Images } = await bench.ask('DescribeImages', { ImageIds: [id] });

    expect(Images).toMatchObject([
      {
        ImageId: id,
        Name: 'amazon-eks-node-al2023-arm64-standard-1.33-v20261110',
        Architecture: 'arm64',
        State: 'available',
      },
    ]);
  });

  it('lets the recommended parameter move on when a newer image is published', async () => {
    const bench = anAccount();
    const before = await newestImage(bench);
    bench.aws.publishImages(amazonImages('1.33', [START - DAY_MS]));

    expect(await newestImage(bench)).not.toBe(before);
    expect(await bench.ask('DescribeImages', { ImageIds: [before] })).toHaveProperty('Images.0');
  });

  it('has no parameter for what Amazon does not publish', async () => {
    await expect(
      anAccount().ask('GetParameter', { Name: '/aws/service/eks/optimized-ami/1.99/x' }),
    ).rejects.toMatchObject({ name: 'ParameterNotFound' });
  });

  it('keeps instance profiles: one role, unique names', async () => {
    const { ask } = anAccount();
    const name = { InstanceProfileName: 'demo_1' };
    const missing = await ask('GetInstanceProfile', name).catch((error: Error) => error.name);
    await ask('CreateInstanceProfile', { ...name, Path: '/karpenter/' });
    await ask('AddRoleToInstanceProfile', { ...name, RoleName: 'node' });

    expect(missing).toBe('NoSuchEntityException');
    expect(await ask('GetInstanceProfile', name)).toMatchObject({
      InstanceProfile: { Path: '/karpenter/', Roles: [{ RoleName: 'node' }] },
    });
    await expect(ask('CreateInstanceProfile', name)).rejects.toMatchObject({
      name: 'EntityAlreadyExistsException',
      $metadata: { httpStatusCode: 409 },
    });
    await expect(
      ask('AddRoleToInstanceProfile', { ...name, RoleName: 'other' }),
    ).rejects.toMatchObject({ name: 'LimitExceededException' });
  });

  it.each([
    [
      'a name that is taken',
      { LaunchTemplateName: 'taken' },
      'InvalidLaunchTemplateName.AlreadyExistsException',
    ],
    [
      'a name that is no name',
      { LaunchTemplateName: 'a b' },
      'InvalidLaunchTemplateName.MalformedException',
    ],
    ['no name', {}, 'MissingParameter'],
    [
      'user data over 16 KB',
      {
        LaunchTemplateName: 'new',
        LaunchTemplateData: { UserData: Buffer.alloc(16_385).toString('base64') },
      },
      'InvalidParameterValue',
    ],
    [
      "a tag that is AWS's own",
      {
        LaunchTemplateName: 'new',
        TagSpecifications: [
          { ResourceType: 'launch-template', Tags: [{ Key: 'aws:x', Value: '' }] },
        ],
      },
      'InvalidParameterValue',
    ],
  ])('refuses a launch template with %s', async (_what, input, code) => {
    const { ask } = anAccount();
    await ask('CreateLaunchTemplate', { LaunchTemplateName: 'taken', LaunchTemplateData: {} });

    await expect(
      ask('CreateLaunchTemplate', { LaunchTemplateData: {}, ...input }),
    ).rejects.toMatchObject({ name: code });
  });

  it('tells who asks for its cluster, and for no other', async () => {
    const { ask } = anAccount();

    expect(await ask('DescribeCluster', { name: 'demo' })).toMatchObject({
      cluster: { version: '1.33', kubernetesNetworkConfig: { serviceIpv4Cidr: '10.100.0.0/16' } },
    });
    await expect(ask('DescribeCluster', { name: 'prod' })).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
    });
  });
});
