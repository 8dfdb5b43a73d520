import { describe, expect, it } from 'vitest';
import {
  describeRequirement,
  has,
  intersectRequirement,
  overlaps,
  requirementOf,
} from '#lib/constraints/requirement.ts';
import { isCompatible, requirementsOf } from '#lib/constraints/requirements.ts';
import { spec } from '#test/build/constraints.ts';

const k = (text: string, minValues?: number) => requirementOf(spec(`k ${text}`, minValues));
const meet = (a: string, b: string): string =>
  describeRequirement(intersectRequirement(k(a), k(b)));

describe('10.12 algebra', () => {
  it.each([
    ['NotIn A', 'NotIn 1 2', 'k NotIn [1 2 A]'],
    ['NotIn 1 2', 'Gt 1', 'k NotIn [2] Gt 1'],
    ['NotIn 1 2', 'Gt 9', 'k Gt 9'],
    ['NotIn 1 2', 'Lt 1', 'k Lt 1'],
    ['Gt 1', 'Lt 9', 'k Gt 1 Lt 9'],
    ['Gt 9', 'Lt 9', 'k DoesNotExist'],
    ['Gt 1', 'Lt 1', 'k DoesNotExist'],
    ['In 1 9', 'Lt 9', 'k In [1]'],
    ['In A', 'Gt 1', 'k DoesNotExist'],
  ])('166: %s and %s meet in %s', (a, b, both) => {
    expect(meet(a, b)).toBe(both);
    expect(meet(b, a)).toBe(both);
  });

  it('167: minValues outlive what is left of the values', () => {
    const narrowed = intersectRequirement(k('In A B', 2), k('In A'));
    const gone = intersectRequirement(k('Exists', 1), k('DoesNotExist'));

    expect([describeRequirement(narrowed), narrowed.minValues]).toEqual([
      expect.stringContaining('k In [A]'),
      2,
    ]);
    expect([describeRequirement(gone), gone.minValues]).toEqual([
      expect.stringContaining('k DoesNotExist'),
      1,
    ]);
  });

  it.each([
    ['Exists', 'any', true],
    ['Gt 1', 'A', false],
    ['Lt 1', '1', false],
    ['NotIn 1 2', '9', true],
  ])('168: whether %s has %s', (text, value, expected) => {
    expect(has(k(text), value)).toBe(expected);
  });

  it.each([
    ['Exists', 'DoesNotExist', false],
    ['NotIn A', 'DoesNotExist', true],
    ['Gt 1', 'DoesNotExist', false],
  ])('170: %s and %s, both ways', (a, b, expected) => {
    const taken = (existing: string, incoming: string): boolean =>
      isCompatible(
        requirementsOf([spec(`k ${existing}`)]),
        requirementsOf([spec(`k ${incoming}`)]),
        new Set(),
      );

    expect([taken(a, b), taken(b, a)]).toEqual([expected, expected]);
    expect(overlaps(k(a), k(b))).toBe(false);
  });
});
