import { describe, expect, it } from 'vitest';
import { isRejection } from '#lib/constraints/rejection.ts';
import { costInDollars, createShapes, type Occasion } from '#lib/solver/opening/shapes.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { GIB } from '#test/build/objects.ts';
import { somePods } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';
import { solverParts } from '#test/build/solver-parts.ts';

const CATALOG = aCatalog([
  anInstanceType('m5.large', { cpu: 2, usdPerHour: 0.096 }),
  anInstanceType('m5a.large', { cpu: 2, memoryGib: 9, usdPerHour: 0.086 }),
  anInstanceType('m5.xlarge', { cpu: 4, usdPerHour: 0.192 }),
  anInstanceType('m5a.xlarge', { cpu: 4, memoryGib: 17, usdPerHour: 0.17 }),
]);

function promising(occasion: Partial<Occasion> = {}): readonly string[] {
  const pods = somePods(40, { requests: { cpu: 500, memory: GIB } });
  const { sources, admissions, prices } = solverParts(aSnapshot({ catalog: CATALOG, pods }));
  const [source] = sources;
  const admission = source && admissions.open(source);
  if (!admission || isRejection(admission)) throw new Error('expected a pool that gives nodes');
  const next = createShapes(prices)(admission, {
    least: [500, GIB, 1],
    total: [20_000, 40 * GIB, 40],
    allowance: undefined,
    costOf: undefined,
    ...occasion,
  });
  const names: string[] = [];
  for (let shape = next(() => false); shape; shape = next(() => false)) {
    names.push(shape.choice.sourceType.type.name);
  }
  return names;
}

describe('shapes', () => {
  it('are those that no other type outdoes', () => {
    expect(promising().toSorted()).toEqual(['m5a.large', 'm5a.xlarge']);
  });

  it('are only those that hold the pod in question', () => {
    expect(promising({ least: [3000, GIB, 1] })).toEqual(['m5a.xlarge']);
  });

  it('are also those outdone by types that limits do not allow', () => {
    expect(promising({ allowance: { memory: 8.5 * GIB } })).toEqual(['m5.large']);
  });

  it('are all where it is not the price that counts', () => {
    expect(promising({ costOf: () => 1 })).toHaveLength(4);
  });

  it('come later the less is left that could be put on them', () => {
    const total = [2500, 5 * GIB, 5];

    expect(promising({ total: [20_000, 40 * GIB, 40] })).toEqual(['m5a.xlarge', 'm5a.large']);
    expect(promising({ total })).toEqual(['m5a.large', 'm5a.xlarge']);
    expect(
      promising({ total, costOf: costInDollars }).filter((each) => each.startsWith('m5a')),
    ).toEqual(promising({ total }));
  });
});
