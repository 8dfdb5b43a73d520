import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AwsCall } from '#lib/aws/calls/call.ts';
import { awsErrorKind, describeAwsError } from '#lib/aws/errors.ts';
import { createFleet } from '#lib/aws/fleet.ts';
import {
  findInstances,
  listInstances,
  tagInstance,
  terminateInstances,
} from '#lib/aws/instances.ts';
import type { Launch } from '#lib/model/launch.ts';
import { settings } from '#test/build/aws-callers.ts';
import { aCall, aLaunchOf, prepareAccount, tell, theNodeClass } from './account.ts';

let call: AwsCall;

beforeAll(async () => {
  await tell({ soldOut: [], faults: [] });
  await prepareAccount();
  call = aCall();
});

beforeEach(async () => {
  await tell({ soldOut: [], faults: [] });
});

const seen = (launch: Launch) =>
  listInstances(call, settings.clusterName, { 'joinery.dev/launch-group': launch.group });

/** What a call ends with; a call that ends well fails the test. */
async function endOf(task: Promise<unknown>): Promise<unknown> {
  try {
    await task;
  } catch (error) {
    return error;
  }
  throw new Error('expected the call to fail, and it did not');
}

describe('an EC2NodeClass', () => {
  it('finds its subnets, groups and images, and gets a profile with its role', async () => {
    const { status } = await theNodeClass(call);

    expect(status.subnets.map(({ zone }) => zone).sort()).toEqual([
      'us-east-1a',
      'us-east-1b',
      'us-east-1c',
    ]);
    expect(status.securityGroups).toHaveLength(1);
    expect(status.amis[0]?.id).toMatch(/^ami-/);
    expect(status.instanceProfile).toMatch(/^demo_/);
  });
});

describe('a launch', () => {
  it('buys the cheapest pool, once for all claims, with tags, groups and profile', async () => {
    const launch = await aLaunchOf(3);
    const { instances, errors } = await createFleet(call, launch);

    expect(errors).toEqual([]);
    expect(instances.map(({ instanceType }) => instanceType)).toEqual(
      Array.from({ length: 3 }, () => 'c5.large'),
    );
    const listed = await seen(launch);
    expect(listed.map(({ id }) => id)).toEqual(instances.map(({ id }) => id));
    expect(listed[0]).toMatchObject({
      capacityType: 'spot',
      instanceType: 'c5.large',
      tags: {
        'karpenter.sh/nodepool': 'default',
        'karpenter.k8s.aws/ec2nodeclass': 'default',
        'eks:eks-cluster-name': settings.clusterName,
        'aws:ec2launchtemplate:id': expect.stringMatching(/^lt-/),
      },
    });
  });

  it('gives the same instances to the same call, and finds them by tag after another', async () => {
    const launch = await aLaunchOf(2);
    const first = await createFleet(call, launch);
    const other = { ...launch, request: { ...Object(launch.request), Context: 'other' } };

    expect(await createFleet(call, launch)).toEqual(first);
    expect(await createFleet(call, other)).toMatchObject({ instances: [], arrivedBefore: true });
    expect(await seen(launch)).toHaveLength(2);
  });

  it('makes its launch template once', async () => {
    const before = (await tell()).CreateLaunchTemplate ?? 0;
    await createFleet(call, await aLaunchOf(1));
    await createFleet(call, await aLaunchOf(1));

    expect((await tell()).CreateLaunchTemplate).toBe(before);
  });

  it('makes its launch template again when somebody has deleted it', async () => {
    const launch = await aLaunchOf(1);
    const names = launch.launchTemplates.map(({ name }) => name);
    const known = new Map(names.map((name) => [name, Promise.resolve()]));
    for (const name of names) await call('DeleteLaunchTemplate', { LaunchTemplateName: name });

    expect((await createFleet(call, launch, known)).instances).toHaveLength(1);
  });

  it('takes the next pool where one is sold out, and says which was', async () => {
    await tell({ soldOut: [['spot', 'c5.large', '*']] });
    const { instances, errors } = await createFleet(call, await aLaunchOf(1));

    expect(instances).toMatchObject([{ instanceType: 'm5.large' }]);
    expect(errors).toHaveLength(3);
    expect(errors[0]).toMatchObject({
      code: 'InsufficientInstanceCapacity',
      capacityType: 'spot',
      instanceType: 'c5.large',
    });
  });

  it('comes to nothing, pool by pool, where all are sold out', async () => {
    await tell({ soldOut: [['*', '*', '*']] });
    const launch = await aLaunchOf(1);
    const { instances, errors, options } = await createFleet(call, launch);

    expect(instances).toEqual([]);
    expect(errors.map(({ instanceType, zone }) => `${instanceType} ${zone}`).sort()).toEqual(
      options.map(({ instanceType, zone }) => `${instanceType} ${zone}`).sort(),
    );
  });
});

describe('calls that fail', () => {
  const refusal = (action: string, code: string, times: number, status = 400) => ({
    faults: [{ action, kind: 'refuse' as const, code, status, times, message: 'not now' }],
  });

  it('are tried again by the SDK a little, then are told as throttled', async () => {
    const launch = await aLaunchOf(1);
    await tell(refusal('CreateFleet', 'RequestLimitExceeded', 2, 503));
    expect((await createFleet(call, launch)).instances).toHaveLength(1);

    const other = await aLaunchOf(1);
    await tell(refusal('CreateFleet', 'RequestLimitExceeded', 99, 503));
    expect(awsErrorKind(await endOf(createFleet(call, other)))).toBe('throttled');
    expect(await seen(other)).toEqual([]);
  });

  it.each([
    [
      'UnauthorizedOperation',
      403,
      ' (CreateFleet needs ec2:CreateFleet, ec2:RunInstances, ec2:CreateTags, iam:PassRole)',
    ],
    ['RequestExpired', 400, ''],
    ['ExpiredToken', 403, ''],
    ['AuthFailure', 401, ''],
  ])('are told as denied: %s', async (code, status, said) => {
    await tell(refusal('CreateFleet', code, 99, status));
    const error = await endOf(createFleet(call, await aLaunchOf(1)));

    expect(awsErrorKind(error)).toBe('denied');
    expect(describeAwsError(error)).toBe(`${code}: not now${said}`);
  });

  it('make no second instance where the answer was lost after the first was made', async () => {
    const launch = await aLaunchOf(1);
    await tell({ faults: [{ action: 'CreateFleet', kind: 'hang', times: 1 }] });
    const { instances } = await createFleet(call, launch);

    expect(instances).toHaveLength(1);
    expect(await seen(launch)).toHaveLength(1);
  });

  it('make no second instance where the answer could not be read', async () => {
    const launch = await aLaunchOf(2);
    await tell({ faults: [{ action: 'CreateFleet', kind: 'garble', times: 99 }] });
    expect(awsErrorKind(await endOf(createFleet(call, launch)))).toBe('broken');

    await tell({ faults: [] });
    expect((await createFleet(call, launch)).instances).toHaveLength(2);
    expect(await seen(launch)).toHaveLength(2);
  });
});

describe('an instance', () => {
  it('is ended, as often as it is asked for, and is listed as ending or not at all', async () => {
    const launch = await aLaunchOf(1);
    const { instances } = await createFleet(call, launch);
    const id = instances[0]?.id ?? '';
    await terminateInstances(call, [id]);
    await terminateInstances(call, [id]);

    expect((await seen(launch)).filter(({ state }) => state !== 'shutting-down')).toEqual([]);
    expect(await findInstances(call, [id, 'i-0123456789abcdef0'])).toMatchObject([
      { id, state: expect.stringMatching(/shutting-down|terminated/) },
    ]);
  });

  it('is tagged beside what it was launched with', async () => {
    const launch = await aLaunchOf(1);
    const { instances } = await createFleet(call, launch);
    await tagInstance(call, instances[0]?.id ?? '', { Name: 'node-1' });

    expect((await seen(launch))[0]?.tags).toMatchObject({
      Name: 'node-1',
      'karpenter.sh/nodepool': 'default',
    });
  });

  it('that EC2 never knew is ended', async () => {
    await expect(terminateInstances(call, ['i-0123456789abcdef0'])).resolves.toBeUndefined();
  });
});
