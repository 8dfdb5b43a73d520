import { describe, expect, it } from 'vitest';
import { place } from '#lib/decide/place.ts';
import { spec } from '#test/build/constraints.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { aNodePool } from '#test/build/node-pools.ts';
import { somePods } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';

/** Types f0.t0 to f0.t79, each a cent dearer than the one before, and two of other families. */
const MANY = [
  ...Array.from({ length: 80 }, (_, at) =>
    anInstanceType(`f0.t${at}`, { usdPerHour: 1 + at / 100 }),
  ),
  anInstanceType('f1.dear', { usdPerHour: 50 }),
  anInstanceType('f2.dearer', { usdPerHour: 60 }),
];

const listed = (requirements: readonly ReturnType<typeof spec>[] = [], types = MANY) =>
  place(
    aSnapshot({
      nodePools: [aNodePool({ template: { requirements } })],
      catalog: aCatalog(types),
      pods: somePods(1),
    }),
  ).claims[0]?.instanceTypes;

describe('the types that a NodeClaim lists', () => {
  it('are the cheapest, up to 30 % dearer than the first', () => {
    expect(listed()).toHaveLength(31);
    expect(listed()?.[0]).toBe('f0.t0');
  });

  it('are fifteen at least where there are as many, however dear', () => {
    const steep = Array.from({ length: 20 }, (_, at) =>
      anInstanceType(`f0.t${at}`, { usdPerHour: 2 ** at }),
    );

    expect(listed([], steep)).toHaveLength(15);
  });

  it('are sixty at most', () => {
    const flat = Array.from({ length: 80 }, (_, at) => anInstanceType(`f0.t${at}`));

    expect(listed([], flat)).toHaveLength(60);
  });

  it('reach as far as minValues demands, by the cheapest types that add a value', () => {
    const types = listed([spec('karpenter.k8s.aws/instance-family Exists', 2)]);

    expect(types).toHaveLength(32);
    expect(types?.at(-1)).toBe('f1.dear');
  });
});
