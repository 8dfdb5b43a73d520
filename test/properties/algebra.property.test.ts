import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  has,
  intersectRequirement,
  operatorOf,
  overlaps,
  type Requirement,
  requirementOf,
  specsOf,
} from '#lib/constraints/requirement.ts';
import {
  conflict,
  incompatibility,
  intersectRequirements,
  isCompatible,
  requirementsOf,
  specsOfRequirements,
} from '#lib/constraints/requirements.ts';

const LARGEST = '9223372036854775807';

/** Few values, so that they meet; integers in several spellings, and what is none. */
const value = fc.constantFrom(
  '0',
  '1',
  '2',
  '3',
  '03',
  '+2',
  '-1',
  '9',
  'A',
  'B',
  '1.0',
  '',
  LARGEST,
);
const bound = fc.constantFrom('0', '1', '2', '3', '9', LARGEST);
const minValues = fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined });

const spec = fc
  .tuple(
    fc.oneof(
      fc.record({
        operator: fc.constantFrom('In' as const, 'NotIn' as const),
        values: fc.array(value, { maxLength: 4 }),
      }),
      fc.record({
        operator: fc.constantFrom('Exists' as const, 'DoesNotExist' as const),
        values: fc.constant([]),
      }),
      fc.record({
        operator: fc.constantFrom('Gt' as const, 'Lt' as const, 'Gte' as const, 'Lte' as const),
        values: bound.map((text) => [text]),
      }),
    ),
    minValues,
  )
  .map(([line, minimum]) => ({
    key: 'k',
    ...line,
    ...(minimum === undefined ? {} : { minValues: minimum }),
  }));

/** One to three lines on one key: bounds, exclusions and values all come together. */
const requirement: fc.Arbitrary<Requirement> = fc
  .array(spec, { minLength: 1, maxLength: 3 })
  .map((specs) => specs.map(requirementOf).reduce(intersectRequirement));

const requirements = fc
  .array(fc.tuple(fc.constantFrom('a', 'b', 'c'), spec), { maxLength: 4 })
  .map((lines) => requirementsOf(lines.map(([key, line]) => ({ ...line, key }))));

const RUNS = { numRuns: 2_000 };

describe('the intersection of requirements', () => {
  it('is the same whichever stands first', () => {
    fc.assert(
      fc.property(requirement, requirement, (a, b) => {
        expect(intersectRequirement(a, b)).toEqual(intersectRequirement(b, a));
      }),
      RUNS,
    );
  });

  it('is the same however three are grouped', () => {
    fc.assert(
      fc.property(requirement, requirement, requirement, (a, b, c) => {
        expect(intersectRequirement(intersectRequirement(a, b), c)).toEqual(
          intersectRequirement(a, intersectRequirement(b, c)),
        );
      }),
      RUNS,
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(requirement, requirement, (a, b) => {
        const both = intersectRequirement(a, b);
        expect(intersectRequirement(a, { ...a })).toEqual(a);
        expect(intersectRequirement(both, b)).toEqual(both);
      }),
      RUNS,
    );
  });

  it('has exactly the values that both have', () => {
    fc.assert(
      fc.property(requirement, requirement, fc.oneof(value, fc.string()), (a, b, text) => {
        expect(has(intersectRequirement(a, b), text)).toBe(has(a, text) && has(b, text));
      }),
      RUNS,
    );
  });

  it('is empty exactly where the two do not overlap', () => {
    fc.assert(
      fc.property(requirement, requirement, (a, b) => {
        const both = intersectRequirement(a, b);
        expect(overlaps(a, b)).toBe(operatorOf(both) !== 'DoesNotExist');
        expect(overlaps(a, b)).toBe(overlaps(b, a));
      }),
      RUNS,
    );
  });

  it('demands at least as many values as either', () => {
    fc.assert(
      fc.property(requirement, requirement, (a, b) => {
        const minimum = intersectRequirement(a, b).minValues ?? 0;
        expect(minimum).toBe(Math.max(a.minValues ?? 0, b.minValues ?? 0));
      }),
    );
  });

  it('changes neither of the two', () => {
    fc.assert(
      fc.property(requirement, requirement, (a, b) => {
        const before = [specsOf(a), specsOf(b)];
        intersectRequirement(a, b);
        expect([specsOf(a), specsOf(b)]).toEqual(before);
      }),
    );
  });
});

describe('a requirement', () => {
  it('is read back from its lines as it was', () => {
    fc.assert(
      fc.property(requirement, (a) => {
        const { isGt: _gt, isLt: _lt, ...set } = a;
        expect(specsOf(a).map(requirementOf).reduce(intersectRequirement)).toEqual(set);
      }),
      RUNS,
    );
  });
});

describe('requirements on several keys', () => {
  it('never allow more after meeting others', () => {
    fc.assert(
      fc.property(requirements, requirements, value, (a, b, text) => {
        for (const [key, both] of intersectRequirements(a, b)) {
          const [left, right] = [a.get(key), b.get(key)];
          expect(has(both, text)).toBe(
            (left ? has(left, text) : true) && (right ? has(right, text) : true),
          );
        }
      }),
      RUNS,
    );
  });

  it('meet in any order and grouping with the same result', () => {
    fc.assert(
      fc.property(requirements, requirements, requirements, (a, b, c) => {
        const left = intersectRequirements(intersectRequirements(a, b), c);
        const right = intersectRequirements(a, intersectRequirements(c, b));
        expect(specsOfRequirements(left)).toEqual(specsOfRequirements(right));
      }),
    );
  });

  it('have a conflict exactly where they cannot meet, whichever stands first', () => {
    const open: ReadonlySet<string> = new Set(['a']);

    fc.assert(
      fc.property(requirements, requirements, (a, b) => {
        expect(conflict(a, b) === undefined).toBe(conflict(b, a) === undefined);
        expect(isCompatible(a, b, open)).toBe(incompatibility(a, b, open) === undefined);
        if (isCompatible(a, b, open)) expect(conflict(a, b)).toBeUndefined();
      }),
      RUNS,
    );
  });

  it('stay compatible with what they were narrowed by', () => {
    fc.assert(
      fc.property(requirements, requirements, (a, b) => {
        if (conflict(a, b) !== undefined) return;
        const both = intersectRequirements(a, b);
        expect(conflict(both, a)).toBeUndefined();
        expect(conflict(both, b)).toBeUndefined();
      }),
    );
  });
});
