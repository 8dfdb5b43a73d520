import { describe, expect, it } from 'vitest';
import { createFleet } from '#lib/aws/fleet.ts';
import { aLaunch, inGroup, inTime } from '#test/build/aws-callers.ts';
import { anAccount } from '#test/build/embedded-aws.ts';

/** Pod limits of types, of which each needs a launch template of its own. */
const LIMITS = { 'm5.large': 29, 'c5.large': 17 };

describe('createFleet', () => {
  it('launches an instance for each claim, and tells which', async () => {
    const bench = anAccount();
    const launch = await aLaunch(bench, [inGroup('a'), inGroup('b')]);
    const { instances, errors } = await inTime(bench, (call) => createFleet(call, launch));

    expect(errors).toEqual([]);
    expect(instances).toHaveLength(2);
    expect(instances[0]).toMatchObject({
      id: expect.stringMatching(/^i-/),
      capacityType: 'spot',
      imageId: expect.stringMatching(/^ami-/),
      zone: expect.stringMatching(/^us-east-1/),
    });
  });

  it('gives the same instances however often it is asked', async () => {
    const bench = anAccount();
    const launch = await aLaunch(bench);
    const first = await inTime(bench, (call) => createFleet(call, launch));
    const second = await inTime(bench, (call) => createFleet(call, launch));

    expect(second).toEqual(first);
    expect(bench.aws.machines()).toHaveLength(1);
  });

  it('says that a call arrived before, where the same claims are asked for otherwise', async () => {
    const bench = anAccount();
    const launch = await aLaunch(bench);
    await inTime(bench, (call) => createFleet(call, launch));
    const request = { ...Object(launch.request), Context: 'other' };
    const again = await inTime(bench, (call) => createFleet(call, { ...launch, request }));

    expect(again).toMatchObject({ instances: [], errors: [], arrivedBefore: true });
    expect(bench.aws.machines()).toHaveLength(1);
  });

  it('tells what was sold out, by type and zone', async () => {
    const bench = anAccount();
    bench.aws.sellOut({ capacityType: 'spot', type: '*', zone: '*' });
    const launch = await aLaunch(bench);
    const { instances, errors, options } = await inTime(bench, (call) => createFleet(call, launch));

    expect(instances).toEqual([]);
    expect(new Set(errors.map(({ instanceType, zone }) => `${instanceType} ${zone}`))).toEqual(
      new Set(options.map(({ instanceType, zone }) => `${instanceType} ${zone}`)),
    );
  });

  it('makes a template again that EC2 does not know at this moment', async () => {
    const bench = anAccount();
    const launch = await aLaunch(bench);
    const code = 'InvalidLaunchTemplateName.NotFoundException';
    bench.aws.failNext({ name: 'CreateFleet', code, times: 1 });

    expect((await inTime(bench, (call) => createFleet(call, launch))).instances).toHaveLength(1);
  });

  it('makes it again, too, where EC2 says so only of the options', async () => {
    const bench = anAccount();
    const launch = await aLaunch(bench);
    const gone = { ErrorCode: 'InvalidLaunchTemplateId.NotFound', ErrorMessage: 'gone' };
    let isFirst = true;
    const { instances } = await inTime(bench, (call) =>
      createFleet(
        (async (name, input) => {
          if (name !== 'CreateFleet' || !isFirst) return await call(name, input);
          isFirst = false;
          return { Instances: [], Errors: [gone] };
        }) as typeof call,
        launch,
      ),
    );

    expect(instances).toHaveLength(1);
  });

  it('makes templates only where they are missing, and asks about them once a round', async () => {
    const bench = anAccount();
    const [first, second] = [await aLaunch(bench, [inGroup('a')]), await aLaunch(bench)];
    const known = new Map();
    await inTime(bench, (call) => createFleet(call, first, known));
    await inTime(bench, (call) => createFleet(call, second, known));
    await inTime(bench, (call) => createFleet(call, first));

    expect(bench.aws.calls()).toMatchObject({
      CreateLaunchTemplate: first.launchTemplates.length,
      DescribeLaunchTemplates: 2,
      CreateFleet: 3,
    });
  });

  it('makes one new template for a launch whose types need several, the other at the next', async () => {
    const bench = anAccount();
    const launch = await aLaunch(bench, [inGroup('a')], 0, LIMITS);
    const later = await aLaunch(bench, [inGroup('b')], 0, LIMITS);
    const first = await inTime(bench, (call) => createFleet(call, launch));
    const second = await inTime(bench, (call) => createFleet(call, later));

    expect(launch.launchTemplates).toHaveLength(2);
    expect(launch.dispensable).toHaveLength(1);
    expect(new Set(first.options.map(({ instanceType }) => instanceType)).size).toBe(1);
    expect(new Set(second.options.map(({ instanceType }) => instanceType)).size).toBe(2);
    expect(bench.aws.calls().CreateLaunchTemplate).toBe(2);
  });

  it('makes a template once for launches side by side', async () => {
    const bench = anAccount();
    const launches = [await aLaunch(bench, [inGroup('a')]), await aLaunch(bench, [inGroup('b')])];
    const known = new Map();
    await inTime(bench, (call) =>
      Promise.all(launches.map((launch) => createFleet(call, launch, known))),
    );

    expect(bench.aws.calls()).toMatchObject({ CreateLaunchTemplate: 1, CreateFleet: 2 });
  });

  it('throws what concerns the whole call', async () => {
    const bench = anAccount();
    const launch = await aLaunch(bench);
    bench.aws.failNext({ name: 'CreateFleet', code: 'RequestLimitExceeded', times: 9 });

    await expect(inTime(bench, (call) => createFleet(call, launch))).rejects.toThrow();
  });
});
