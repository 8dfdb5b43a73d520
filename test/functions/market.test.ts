import { describe, expect, it } from 'vitest';
import { manifestsOf } from '#lib/cli/stories/command.ts';
import { inflate } from '#lib/cli/stories/inflate.ts';
import { setStage } from '#lib/cli/stories/stage.ts';
import { type Crash, createFaultPlan } from '#lib/sim/faults.ts';
import { HOUR, MINUTE } from '#test/build/objects.ts';

/** What tells what EC2 sells, and what a NodeClass resolves to: all of it known before a launch. */
const KNOWN_BEFORE = [
  'DescribeAvailabilityZones',
  'DescribeCapacityReservations',
  'DescribeImages',
  'DescribeInstanceTypeOfferings',
  'DescribeInstanceTypes',
  'DescribeSecurityGroups',
  'DescribeSpotPriceHistory',
  'DescribeSubnets',
  'GetParameters',
  'GetProducts',
];

/** Until drift has run for the first time. */
const FIRST_REFRESH = 6 * MINUTE;

/** Story 1, set up, and the calls to AWS since then by functions whose name begins so. */
async function anInflateStage(crashes: readonly Crash[] = []) {
  const plan = createFaultPlan(crashes);
  const manifests = manifestsOf(inflate);
  const stage = setStage({ seed: 1, region: inflate.region, manifests, faults: plan });
  await stage.setUp();
  await stage.pass(FIRST_REFRESH);
  const before = plan.calls().length;
  return {
    stage,
    struck: plan.struck,
    asked: (who = '') =>
      plan
        .calls()
        .slice(before)
        .filter(({ seam, actor }) => seam === 'aws' && actor.startsWith(who))
        .map(({ name }) => name),
  };
}

describe('a launch', () => {
  it('asks EC2 for nothing that can be known before, in a warm sandbox', async () => {
    const { stage, asked } = await anInflateStage();
    stage.deploy();
    stage.scale('inflate', 5);

    expect(await stage.untilAllRun(3 * MINUTE)).toBe(true);
    expect(asked('provision')).toContain('CreateFleet');
    expect(asked('provision').filter((name) => KNOWN_BEFORE.includes(name))).toEqual([]);
  });

  it('nor in a cold one', async () => {
    const crash = { function: 'provision', name: 'create nodeclaims' };
    const { stage, asked, struck } = await anInflateStage([{ at: 1, how: 'lost', of: crash }]);
    stage.deploy();
    stage.scale('inflate', 5);

    expect(await stage.untilAllRun(5 * MINUTE)).toBe(true);
    expect(struck()).toHaveLength(1);
    expect(asked('provision')).toContain('CreateFleet');
    expect(asked('provision').filter((name) => KNOWN_BEFORE.includes(name))).toEqual([]);
  });

  it('is chosen by prices of the last half hour', async () => {
    const { stage } = await anInflateStage();
    const catalog = stage.world.kubernetes.get('ConfigMap', 'joinery', 'ec2-catalog');

    expect(Object(catalog).data).toMatchObject({
      onDemandPrices: expect.stringMatching(/^2026-11-20T12:0/),
      spotPrices: expect.stringMatching(/^2026-11-20T12:0/),
    });
  });
});

/** 1,235 types in three zones, those sold as spot, by the thousand. */
const SPOT_PAGES = 4;
const NOT_EC2 = ['GetParameters', 'GetProducts', 'ListInstanceProfiles', 'SendMessage'];

describe('an idle hour', () => {
  it('asks EC2 for spot prices twice, and for what it sells not at all', async () => {
    const { stage, asked } = await anInflateStage();
    await stage.pass(HOUR);
    const counts = Object.fromEntries(
      [...Map.groupBy(asked(), (name) => name)].map(([name, calls]) => [name, calls.length]),
    );
    expect(counts.DescribeSpotPriceHistory).toBe(2 * SPOT_PAGES);
    expect(counts).not.toHaveProperty('DescribeInstanceTypes');
    expect(counts).not.toHaveProperty('DescribeInstanceTypeOfferings');
    expect(counts).not.toHaveProperty('GetProducts');
    expect(asked().filter((name) => !NOT_EC2.includes(name)).length).toBeLessThanOrEqual(3 * 60);
  });
});
