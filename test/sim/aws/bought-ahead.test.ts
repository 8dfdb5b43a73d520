import { describe, expect, it } from 'vitest';
import { type AwsBench, aFleet, anAccount, aTemplate, START } from '#test/build/embedded-aws.ts';
import { HOUR, MINUTE } from '#test/build/objects.ts';

/** A launch of this many m5.large in us-east-1a from a template that says this. */
async function launched(bench: AwsBench, data: Record<string, unknown>, total = 1, fleet = {}) {
  await aTemplate(bench, 'ahead', data).catch(() => undefined);
  const request = aFleet({ total, types: ['m5.large'], zones: ['a'], template: 'ahead' });
  const { Instances, Errors } = await bench.ask('CreateFleet', { ...request, ...fleet });
  return {
    ids: (Instances as { InstanceIds: string[] }[]).flatMap(({ InstanceIds }) => InstanceIds),
    codes: (Errors as { ErrorCode: string }[]).map(({ ErrorCode }) => ErrorCode),
  };
}

const naming = (id: string, market?: string) => ({
  CapacityReservationSpecification: {
    CapacityReservationPreference: 'capacity-reservations-only',
    CapacityReservationTarget: { CapacityReservationId: id },
  },
  ...(market === undefined ? {} : { InstanceMarketOptions: { MarketType: market } }),
});

const OF_A_BLOCK = {
  OnDemandOptions: undefined,
  TargetCapacitySpecification: {
    TotalTargetCapacity: 1,
    DefaultTargetCapacityType: 'capacity-block',
  },
};

const described = async (bench: AwsBench, ids: readonly string[]) => {
  const { Reservations } = await bench.ask('DescribeInstances', { InstanceIds: ids });
  return (Reservations as { Instances: unknown[] }[]).flatMap(({ Instances }) => Instances);
};

describe('a capacity reservation of the embedded EC2', () => {
  it('gives what was bought, whatever the pool holds, and no more', async () => {
    const bench = anAccount();
    const odcr = bench.aws.reserve({ type: 'm5.large', zone: 'us-east-1a', instances: 2 });
    bench.aws.sellOut({ capacityType: 'on-demand', type: '*', zone: '*' });
    const { ids, codes } = await launched(bench, naming(odcr.id), 3);

    expect(ids).toHaveLength(2);
    expect(codes).toEqual(['ReservationCapacityExceeded']);
    expect(odcr.left()).toBe(0);
    await bench.pass(MINUTE);
    expect(await described(bench, ids)).toMatchObject(
      ids.map(() => ({ CapacityReservationId: odcr.id })),
    );
  });

  it('has an instance again that ended', async () => {
    const bench = anAccount();
    const odcr = bench.aws.reserve({ type: 'm5.large', zone: 'us-east-1a', instances: 1 });
    const { ids } = await launched(bench, naming(odcr.id));
    for (const id of ids) bench.aws.terminate(id);
    await bench.pass(MINUTE);

    expect(odcr.left()).toBe(1);
  });

  it('leaves its instances to run on demand when it is cancelled', async () => {
    const bench = anAccount();
    const odcr = bench.aws.reserve({ type: 'm5.large', zone: 'us-east-1a', instances: 1 });
    const { ids } = await launched(bench, naming(odcr.id));
    odcr.cancel();
    await bench.pass(MINUTE);
    const [instance] = await described(bench, ids);

    expect(instance).toMatchObject({ State: { Name: 'running' } });
    expect(instance).not.toHaveProperty('CapacityReservationId');
    expect((await launched(bench, naming(odcr.id))).codes).toHaveLength(1);
  });

  it('is of one type and zone', async () => {
    const bench = anAccount();
    const odcr = bench.aws.reserve({ type: 'c5.large', zone: 'us-east-1a', instances: 1 });

    expect(await launched(bench, naming(odcr.id))).toEqual({
      ids: [],
      codes: ['InvalidParameterValue'],
    });
  });

  it('of a block is bought as a block, and ends half an hour early with its instances', async () => {
    const bench = anAccount();
    const block = bench.aws.reserve({
      ...{ type: 'm5.large', zone: 'us-east-1a', instances: 1, kind: 'capacity-block' },
      endsAt: START + HOUR,
    });
    const asOdcr = await launched(bench, naming(block.id));
    await bench.ask('DeleteLaunchTemplate', { LaunchTemplateName: 'ahead' });
    const { ids } = await launched(bench, naming(block.id, 'capacity-block'), 1, OF_A_BLOCK);
    await bench.pass(31 * MINUTE);

    expect(asOdcr).toEqual({ ids: [], codes: ['InvalidParameterCombination'] });
    expect(ids).toHaveLength(1);
    expect(await described(bench, ids)).toMatchObject([{ State: { Name: 'terminated' } }]);
  });
});

describe('a placement group of the embedded EC2', () => {
  const standing = (GroupId: string, PartitionNumber?: number) => ({
    Placement: { GroupId, ...(PartitionNumber === undefined ? {} : { PartitionNumber }) },
  });

  it('that spreads holds seven instances in a zone', async () => {
    const bench = anAccount();
    const group = bench.aws.makePlacementGroup({ name: 'apart', strategy: 'spread' });
    const { ids, codes } = await launched(bench, standing(group), 8);

    expect(ids).toHaveLength(7);
    expect(codes).toEqual(['InsufficientInstanceCapacity']);
  });

  it('of partitions deals its instances out, or puts them where they are asked for', async () => {
    const bench = anAccount();
    const group = bench.aws.makePlacementGroup({
      ...{ name: 'racks', strategy: 'partition', partitions: 3 },
    });
    const { ids } = await launched(bench, standing(group), 3);
    await bench.ask('DeleteLaunchTemplate', { LaunchTemplateName: 'ahead' });
    const { ids: asked } = await launched(bench, standing(group, 2));
    await bench.pass(MINUTE);

    expect(await described(bench, [...ids, ...asked])).toMatchObject(
      [1, 2, 3, 2].map((PartitionNumber) => ({ Placement: { PartitionNumber } })),
    );
  });

  it('that keeps together stays in the zone where it began', async () => {
    const bench = anAccount();
    const group = bench.aws.makePlacementGroup({ name: 'near', strategy: 'cluster' });
    await launched(bench, standing(group));
    const elsewhere = aFleet({ types: ['m5.large'], zones: ['b'], template: 'ahead' });

    expect(await bench.ask('CreateFleet', elsewhere)).toMatchObject({
      Instances: [],
      Errors: [{ ErrorCode: 'InvalidParameterValue' }],
    });
  });
});
