import { describe, expect, it } from 'vitest';
import { requirementsOf } from '#lib/constraints/requirements.ts';
import {
  describeMinimums,
  lowerMinimums,
  type Minimum,
  unmetMinimums,
} from '#lib/solver/opening/min-values.ts';
import { spec } from '#test/build/constraints.ts';
import { aCatalog, anInstanceType } from '#test/build/instance-types.ts';
import { aPod } from '#test/build/pods.ts';
import { aSnapshot } from '#test/build/snapshots.ts';
import { solverParts } from '#test/build/solver-parts.ts';

const FAMILY = 'karpenter.k8s.aws/instance-family';
const TYPE = 'node.kubernetes.io/instance-type';
const CATALOG = aCatalog(['m5.large', 'm5.xlarge', 'c5.large'].map((name) => anInstanceType(name)));

const unmet = (...lines: readonly (readonly [string, number])[]): readonly Minimum[] => {
  const { sources } = solverParts(aSnapshot({ catalog: CATALOG, pods: [aPod()] }));
  const requirements = requirementsOf(lines.map(([text, minValues]) => spec(text, minValues)));
  return unmetMinimums(sources[0]?.types ?? [], requirements);
};

describe('unmetMinimums', () => {
  it('counts the different values that the types offer', () => {
    expect(unmet([`${FAMILY} Exists`, 2], [`${TYPE} Exists`, 3])).toEqual([]);
    expect(unmet([`${FAMILY} Exists`, 3])).toEqual([{ key: FAMILY, wanted: 3, found: 2 }]);
  });

  it('does not count values that the requirement excludes', () => {
    expect(unmet([`${FAMILY} NotIn c5`, 2])).toEqual([{ key: FAMILY, wanted: 2, found: 1 }]);
    expect(unmet([`${FAMILY} In c5 m5 r5`, 3])).toEqual([{ key: FAMILY, wanted: 3, found: 2 }]);
  });

  it('finds nothing of a key that no type has', () => {
    expect(unmet(['team Exists', 1])).toEqual([{ key: 'team', wanted: 1, found: 0 }]);
  });

  it('tells of keys in their order', () => {
    expect(unmet([`${TYPE} Exists`, 9], [`${FAMILY} Exists`, 9]).map(({ key }) => key)).toEqual([
      FAMILY,
      TYPE,
    ]);
  });
});

describe('lowerMinimums', () => {
  const requirements = requirementsOf([spec(`${FAMILY} Exists`, 3), spec('team In a b', 2)]);

  it('lowers a minimum to what was found, and leaves the others', () => {
    const lowered = lowerMinimums(requirements, [{ key: FAMILY, wanted: 3, found: 2 }]);

    expect(lowered.get(FAMILY)?.minValues).toBe(2);
    expect(lowered.get('team')?.minValues).toBe(2);
  });

  it('drops a minimum of which nothing was found', () => {
    const lowered = lowerMinimums(requirements, [
      { key: 'team', wanted: 2, found: 0 },
      { key: 'nobody', wanted: 1, found: 0 },
    ]);

    expect(lowered.get('team')).not.toHaveProperty('minValues');
    expect(lowered.has('nobody')).toBe(false);
  });
});

describe('describeMinimums', () => {
  it('says how many values there are of how many', () => {
    expect(describeMinimums(unmet([`${FAMILY} Exists`, 3]))).toBe(`2 of the 3 values of ${FAMILY}`);
  });
});
