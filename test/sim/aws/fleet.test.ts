import { describe, expect, it } from 'vitest';
import { aFleet, anAccount, aTemplate, newestImage } from '#test/build/embedded-aws.ts';

interface FleetAnswer {
  readonly Instances: readonly { InstanceIds: string[]; InstanceType: string }[];
  readonly Errors: readonly { ErrorCode: string; LaunchTemplateAndOverrides: unknown }[];
}

async function launch(difference: Parameters<typeof aFleet>[0] = {}, bench = anAccount()) {
  await aTemplate(bench);
  const answer = (await bench.ask('CreateFleet', aFleet(difference))) as unknown as FleetAnswer;
  return { bench, answer };
}

describe('CreateFleet in the embedded EC2', () => {
  it('buys the cheapest type on demand, as many as were asked for', async () => {
    const { answer } = await launch({ total: 3 });

    expect(answer.Instances).toMatchObject([{ InstanceType: 'c5.large' }]);
    expect(answer.Instances[0]?.InstanceIds).toHaveLength(3);
    expect(answer.Errors).toEqual([]);
  });

  it('names the pools that are sold out, and goes on to the next', async () => {
    const bench = anAccount();
    bench.aws.sellOut({ capacityType: 'on-demand', type: 'c5.large', zone: '*' });
    const { answer } = await launch({}, bench);

    expect(answer.Instances).toMatchObject([{ InstanceType: 'm5.large' }]);
    expect(answer.Errors).toMatchObject([
      {
        ErrorCode: 'InsufficientInstanceCapacity',
        LaunchTemplateAndOverrides: { Overrides: { InstanceType: 'c5.large' } },
      },
      { ErrorCode: 'InsufficientInstanceCapacity' },
    ]);
  });

  it('launches nothing where every pool is sold out, until the pools are full again', async () => {
    const bench = anAccount();
    const { lift } = bench.aws.sellOut({ capacityType: 'spot', type: '*', zone: '*' });
    const { answer } = await launch({ capacityType: 'spot' }, bench);
    lift();
    const later = await bench.ask('CreateFleet', aFleet({ capacityType: 'spot' }));

    expect(answer.Instances).toEqual([]);
    expect(answer.Errors.map(({ ErrorCode }) => ErrorCode)).toEqual(
      Array(4).fill('UnfulfillableCapacity'),
    );
    expect(later.Instances).toHaveLength(1);
  });

  it('drains a spot pool to its depth and takes the rest elsewhere', async () => {
    const { answer, bench } = await launch({
      capacityType: 'spot',
      types: ['c5.large'],
      total: 4_000,
    });
    const launched = answer.Instances.map(({ InstanceIds }) => InstanceIds.length);

    expect(launched.length).toBeGreaterThan(1);
    expect(bench.aws.machines()).toHaveLength(launched.reduce((sum, count) => sum + count, 0));
  });

  it('answers a known client token as the first time and launches nothing more', async () => {
    const { answer, bench } = await launch({ token: 'claim-1', total: 2 });
    const again = await bench.ask('CreateFleet', aFleet({ token: 'claim-1', total: 2 }));

    expect(again).toEqual(answer);
    expect(bench.aws.machines()).toHaveLength(2);
  });

  it('refuses a known client token with other parameters', async () => {
    const { bench } = await launch({ token: 'claim-1', total: 2 });

    await expect(
      bench.ask('CreateFleet', aFleet({ token: 'claim-1', total: 3 })),
    ).rejects.toMatchObject({
      name: 'IdempotentParameterMismatch',
      $metadata: { httpStatusCode: 400 },
    });
  });

  it('refuses a launch template that is not there', async () => {
    const bench = anAccount();

    await expect(bench.ask('CreateFleet', aFleet())).rejects.toMatchObject({
      name: 'InvalidLaunchTemplateName.NotFoundException',
    });
  });

  it.each([
    ['a foreign architecture', { types: ['m6g.large'] }, {}, 'InvalidParameterValue'],
    ['an unknown type', { types: ['m99.large'] }, {}, 'InvalidFleetConfiguration'],
    ['an image that is gone', {}, { ImageId: 'ami-0gone' }, 'InvalidAMIID.NotFound'],
    ['a group that is gone', {}, { SecurityGroupIds: ['sg-1'] }, 'InvalidGroup.NotFound'],
    [
      'a reservation that nobody bought',
      {},
      {
        CapacityReservationSpecification: {
          CapacityReservationTarget: { CapacityReservationId: 'cr-0' },
        },
      },
      'InvalidCapacityReservationId.NotFound',
    ],
    [
      'a placement group that nobody made',
      {},
      { Placement: { GroupId: 'pg-0' } },
      'InvalidPlacementGroup.Unknown',
    ],
    ['a profile not known', {}, { IamInstanceProfile: { Name: 'p' } }, 'InvalidParameterValue'],
  ])('reports %s as an error of its override', async (_what, fleet, data, code) => {
    const bench = anAccount();
    await aTemplate(bench, 'nodes', data);
    const { Errors } = await bench.ask('CreateFleet', aFleet({ zones: ['a'], ...fleet }));

    expect(Errors).toEqual(expect.arrayContaining([expect.objectContaining({ ErrorCode: code })]));
    expect(bench.aws.machines()).toHaveLength(0);
  });

  it('takes a new instance profile only once IAM has told EC2', async () => {
    const bench = anAccount();
    await bench.ask('CreateInstanceProfile', { InstanceProfileName: 'p' });
    await bench.ask('AddRoleToInstanceProfile', { InstanceProfileName: 'p', RoleName: 'node' });
    await aTemplate(bench, 'nodes', { IamInstanceProfile: { Name: 'p' } });
    const early = await bench.ask('CreateFleet', aFleet());
    await bench.pass(10_000);
    const late = await bench.ask('CreateFleet', aFleet());

    expect(early.Instances).toHaveLength(0);
    expect(late.Instances).toHaveLength(1);
  });

  it('gives the instance what its template says: user data, image, tags of the fleet', async () => {
    const { bench } = await launch();

    expect(bench.aws.machines()[0]).toMatchObject({
      userData: 'join demo',
      imageId: await newestImage(bench),
      usdPerHour: 0.085,
      tags: { 'karpenter.sh/nodepool': 'default' },
    });
  });

  it('keeps the deeper half of the spot pools and takes the cheapest of them', async () => {
    const { bench } = await launch({ capacityType: 'spot' });
    const [machine] = bench.aws.machines();

    expect(machine?.capacityType).toBe('spot');
    expect(machine?.usdPerHour).toBeLessThan(0.096 * 0.4 * 1.06);
  });
});
